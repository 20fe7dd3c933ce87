//! Prometheus metrics. Labels never contain ids, tokens or other data from callers.

mod connections;
mod store;

use std::time::Duration;

use http::StatusCode;
use leadapi_core::{
    BoxError,
    http::{Operation, TABLE},
};
use prometheus::{
    Histogram, HistogramOpts, HistogramVec, IntCounter, IntCounterVec, IntGauge, Opts, Registry, TextEncoder,
    core::Collector,
};
use tokio_util::task::TaskTracker;

pub(crate) use self::connections::ConnectionMetrics;
pub use self::store::InstrumentedStore;

/// The upper bounds of the duration buckets in seconds. They range from the duration of a call to a store in memory to
/// the default request timeout.
const DURATION_BUCKETS: [f64; 15] =
    [0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 15.0];
const STATUS_CLASSES: [&str; 5] = ["1xx", "2xx", "3xx", "4xx", "5xx"];
/// The `operation` label for requests that match no operation.
const NO_OPERATION: &str = "none";

/// The metrics of a server. Labels never contain ids, tokens or other data from callers.
///
/// ```
/// let metrics = leadapi_server::Metrics::new()?;
/// assert!(metrics.text()?.contains("leadapi_requests_in_flight 0"));
/// # Ok::<(), leadapi_core::BoxError>(())
/// ```
pub struct Metrics {
    registry: Registry,
    /// Counts the in-flight requests, including those that wait for their body.
    in_flight: TaskTracker,
    /// One entry per operation in table order, followed by one for requests that match no operation.
    operations: Vec<OperationMetrics>,
    in_flight_gauge: IntGauge,
    rate_limited: IntCounterVec,
    connections: ConnectionMetrics,
    /// Unexported metrics, so that connections to further listeners do not count in those of the API.
    further_connections: ConnectionMetrics,
    store_seconds: HistogramVec,
    store_errors: IntCounterVec,
    suppressed_lines: IntCounter,
}

struct OperationMetrics {
    operation: Option<Operation>,
    seconds: Histogram,
    by_status: [IntCounter; STATUS_CLASSES.len()],
}

impl Metrics {
    /// Creates the metrics.
    ///
    /// # Errors
    ///
    /// Returns an error if two metrics have the same name.
    pub fn new() -> Result<Self, BoxError> {
        let registry = Registry::new();
        let requests = counter_vec("leadapi_requests_total", "Answered requests.", &["operation", "status"])?;
        let seconds = histogram_vec(
            "leadapi_request_duration_seconds",
            "Time from the head of a request to its response.",
            "operation",
        )?;
        let known = TABLE.iter().map(|line| Some(line.operation)).chain([None]);
        let operations = known.map(|operation| {
            let name = operation.map_or(NO_OPERATION, Operation::name);
            let by_status = STATUS_CLASSES.map(|class| requests.with_label_values(&[name, class]));
            OperationMetrics { operation, seconds: seconds.with_label_values(&[name]), by_status }
        });
        let build = Opts::new("leadapi_build_info", "Always 1; the label is the running version.");
        let build = IntGauge::with_opts(build.const_label("version", env!("CARGO_PKG_VERSION")))?;
        build.set(1);
        let this = Self {
            in_flight: TaskTracker::new(),
            operations: operations.collect(),
            in_flight_gauge: IntGauge::new("leadapi_requests_in_flight", "Requests in flight.")?,
            rate_limited: counter_vec(
                "leadapi_rate_limited_total",
                "Requests refused by the rate limit of their token.",
                &["operation"],
            )?,
            connections: ConnectionMetrics::new(&registry)?,
            further_connections: ConnectionMetrics::unregistered()?,
            store_seconds: histogram_vec("leadapi_store_duration_seconds", "Duration of store calls.", "call")?,
            store_errors: counter_vec("leadapi_store_errors_total", "Failed store calls.", &["call"])?,
            suppressed_lines: IntCounter::new(
                "leadapi_log_lines_suppressed_total",
                "Log lines of requests without a valid token that were not written, because there were too many.",
            )?,
            registry,
        };
        let Self { in_flight_gauge, rate_limited, store_seconds, store_errors, .. } = &this;
        register(&this.registry, &[&requests, rate_limited, store_errors])?;
        register(&this.registry, &[&seconds, store_seconds])?;
        register(&this.registry, &[in_flight_gauge, &build])?;
        register(&this.registry, &[&this.suppressed_lines])?;
        Ok(this)
    }

    pub(crate) fn connections(&self) -> ConnectionMetrics {
        self.connections.clone()
    }

    pub(crate) fn further_connections(&self) -> ConnectionMetrics {
        self.further_connections.clone()
    }

    /// Exports a counter that is incremented elsewhere.
    ///
    /// # Errors
    ///
    /// Returns an error if another metric has the same name.
    pub fn add(&self, counter: &Counter) -> Result<(), BoxError> {
        Ok(register(&self.registry, &[&counter.0])?)
    }

    /// Counts a log line that was not written, because requests without a valid token caused too many.
    pub fn record_suppressed_line(&self) {
        self.suppressed_lines.inc();
    }

    /// Returns the tracker that counts the in-flight requests.
    pub(crate) const fn in_flight(&self) -> &TaskTracker {
        &self.in_flight
    }

    pub(crate) fn record_response(&self, status: StatusCode, operation: Option<Operation>, duration: Duration) {
        let Some(metrics) = self.operations.iter().find(|metrics| metrics.operation == operation) else { return };
        metrics.seconds.observe(duration.as_secs_f64());
        if let Some(counter) = metrics.by_status.get(usize::from(status.as_u16() / 100).saturating_sub(1)) {
            counter.inc();
        }
        if status == StatusCode::TOO_MANY_REQUESTS {
            self.rate_limited.with_label_values(&[operation.map_or(NO_OPERATION, Operation::name)]).inc();
        }
    }

    /// Returns all metrics in the Prometheus text format.
    ///
    /// # Errors
    ///
    /// Returns an error if a metric cannot be written.
    pub fn text(&self) -> Result<String, BoxError> {
        self.in_flight_gauge.set(i64::try_from(self.in_flight.len()).unwrap_or(i64::MAX));
        Ok(TextEncoder::new().encode_to_string(&self.registry.gather())?)
    }
}

/// A counter of events outside the server, which [`Metrics::add`] exports. Clones share it.
///
/// ```
/// use leadapi_server::{Counter, Metrics};
///
/// let (metrics, reloads) = (Metrics::new()?, Counter::new("my_reloads_total", "Reloads of the settings.")?);
/// metrics.add(&reloads)?;
/// reloads.count(1);
/// assert!(metrics.text()?.contains("my_reloads_total 1"));
/// # Ok::<(), leadapi_core::BoxError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Counter(IntCounter);

impl Counter {
    /// Creates a counter with a name and a help text.
    ///
    /// # Errors
    ///
    /// Returns an error if Prometheus does not allow the name.
    pub fn new(name: &str, help: &str) -> Result<Self, BoxError> {
        Ok(Self(IntCounter::new(name, help)?))
    }

    /// Counts a number of events.
    pub fn count(&self, events: u64) {
        self.0.inc_by(events);
    }

    /// Returns the number of events.
    pub fn value(&self) -> u64 {
        self.0.get()
    }
}

/// A guard that decrements a gauge on drop. Its creator must increment the gauge.
pub(crate) struct GaugeGuard(IntGauge);

impl Drop for GaugeGuard {
    fn drop(&mut self) {
        self.0.dec();
    }
}

fn counter_vec(name: &str, help: &str, labels: &[&str]) -> Result<IntCounterVec, prometheus::Error> {
    IntCounterVec::new(Opts::new(name, help), labels)
}

fn histogram_vec(name: &str, help: &str, label: &str) -> Result<HistogramVec, prometheus::Error> {
    HistogramVec::new(HistogramOpts::new(name, help).buckets(DURATION_BUCKETS.to_vec()), &[label])
}

fn register<C: Collector + Clone + 'static>(registry: &Registry, metrics: &[&C]) -> Result<(), prometheus::Error> {
    metrics.iter().try_for_each(|metric| registry.register(Box::new((*metric).clone())))
}

impl std::fmt::Debug for Metrics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Metrics").finish_non_exhaustive()
    }
}
