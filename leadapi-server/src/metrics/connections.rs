//! Connection metrics.

use prometheus::{IntCounter, IntCounterVec, IntGauge, Registry};

use super::{GaugeGuard, counter_vec, register};

#[derive(Clone)]
pub(crate) struct ConnectionMetrics {
    open: IntGauge,
    cut: IntCounterVec,
    refused: IntCounter,
    accept_errors: IntCounter,
    failed_handshakes: IntCounterVec,
    unread: IntGauge,
}

impl ConnectionMetrics {
    pub(super) fn new(registry: &Registry) -> Result<Self, prometheus::Error> {
        let this = Self {
            open: IntGauge::new("leadapi_connections", "Open connections.")?,
            cut: counter_vec("leadapi_connections_cut_total", "Connections closed on timeout, by phase.", &["wait"])?,
            refused: IntCounter::new(
                "leadapi_connections_refused_total",
                "Connections closed immediately, because a connection limit was reached.",
            )?,
            accept_errors: IntCounter::new(
                "leadapi_accept_errors_total",
                "Failed accepts, for example because the process has no file descriptors left.",
            )?,
            failed_handshakes: counter_vec(
                "leadapi_tls_handshakes_failed_total",
                "Failed TLS handshakes, by reason: failed, late (timed out), or crowded (replaced by a newer one at the limit).",
                &["reason"],
            )?,
            unread: IntGauge::new(
                "leadapi_unread_bytes",
                "Bytes of responses that clients have not read, except bytes in socket buffers.",
            )?,
        };
        let Self { open, cut, refused, accept_errors, failed_handshakes, unread } = &this;
        register(registry, &[open, unread])?;
        register(registry, &[cut, failed_handshakes])?;
        register(registry, &[refused, accept_errors])?;
        Ok(this)
    }

    /// Creates metrics that are not exported.
    pub(crate) fn unregistered() -> Result<Self, prometheus::Error> {
        Self::new(&Registry::new())
    }

    pub(crate) fn open(&self) -> GaugeGuard {
        self.open.inc();
        GaugeGuard(self.open.clone())
    }

    pub(crate) fn record_cut(&self, wait: &'static str) {
        self.cut.with_label_values(&[wait]).inc();
    }

    pub(crate) fn unread(&self) -> IntGauge {
        self.unread.clone()
    }

    pub(crate) fn record_refused(&self) {
        self.refused.inc();
    }

    pub(crate) fn record_accept_error(&self) {
        self.accept_errors.inc();
    }

    pub(crate) fn record_failed_handshake(&self, reason: &str) {
        self.failed_handshakes.with_label_values(&[reason]).inc();
    }
}
