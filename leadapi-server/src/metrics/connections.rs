//! Connection metrics.

use prometheus::{IntCounter, IntCounterVec, IntGauge, Registry};

use super::{One, counters, register};

#[derive(Clone)]
pub(crate) struct Connections {
    open: IntGauge,
    cut: IntCounterVec,
    refused: IntCounter,
    not_accepted: IntCounter,
    no_handshake: IntCounterVec,
    unread: IntGauge,
}

impl Connections {
    pub(super) fn new(registry: &Registry) -> Result<Self, prometheus::Error> {
        let this = Self {
            open: IntGauge::new("leadapi_connections", "Open connections.")?,
            cut: counters("leadapi_connections_cut_total", "Connections closed on timeout, by phase.", &["wait"])?,
            refused: IntCounter::new(
                "leadapi_connections_refused_total",
                "Connections closed immediately, because a connection limit was reached.",
            )?,
            not_accepted: IntCounter::new(
                "leadapi_accept_errors_total",
                "Failed accepts, for example because the process has no file descriptors left.",
            )?,
            no_handshake: counters(
                "leadapi_tls_handshakes_failed_total",
                "Failed TLS handshakes, by reason: failed, late (timed out), or crowded (replaced by a newer one at the limit).",
                &["reason"],
            )?,
            unread: IntGauge::new(
                "leadapi_unread_bytes",
                "Bytes of responses that clients have not read, except bytes in socket buffers.",
            )?,
        };
        let Self { open, cut, refused, not_accepted, no_handshake, unread } = &this;
        register(registry, &[open, unread])?;
        register(registry, &[cut, no_handshake])?;
        register(registry, &[refused, not_accepted])?;
        Ok(this)
    }

    /// Creates metrics for a listener that does not export them.
    pub(crate) fn uncounted() -> Result<Self, prometheus::Error> {
        Self::new(&Registry::new())
    }

    pub(crate) fn open(&self) -> One {
        self.open.inc();
        One(self.open.clone())
    }

    pub(crate) fn cut(&self, wait: &'static str) {
        self.cut.with_label_values(&[wait]).inc();
    }

    pub(crate) fn unread(&self) -> IntGauge {
        self.unread.clone()
    }

    pub(crate) fn refused(&self) {
        self.refused.inc();
    }

    pub(crate) fn not_accepted(&self) {
        self.not_accepted.inc();
    }

    pub(crate) fn handshake_failed(&self, reason: &str) {
        self.no_handshake.with_label_values(&[reason]).inc();
    }
}
