//! Export of traces to an OpenTelemetry collector.

use opentelemetry::trace::TracerProvider;
use opentelemetry_otlp::{SpanExporter, WithExportConfig};
use opentelemetry_sdk::{Resource, trace::SdkTracerProvider};
use tracing::Subscriber;
use tracing_subscriber::{
    EnvFilter, Layer,
    filter::{FilterExt, filter_fn},
    registry::LookupSpan,
};

use crate::CommandError;

const NAME: &str = "leadapi-server";

/// An exporter that sends spans in batches from a background thread until it is dropped.
#[derive(Debug)]
pub(super) struct Traces(SdkTracerProvider);

impl Traces {
    pub(super) fn to(endpoint: &str) -> Result<Self, CommandError> {
        let traces = format!("{}/v1/traces", endpoint.trim_end_matches('/'));
        let exporter = SpanExporter::builder().with_http().with_endpoint(traces).build();
        let exporter = exporter.map_err(|error| CommandError::Traces(error.to_string()))?;
        let resource = Resource::builder().with_service_name(NAME).build();
        Ok(Self(SdkTracerProvider::builder().with_batch_exporter(exporter).with_resource(resource).build()))
    }

    /// Returns a layer that traces every request, regardless of the log level. Its spans include the log lines that
    /// pass the filter.
    pub(super) fn layer<S>(&self, lines: EnvFilter) -> impl Layer<S> + use<S>
    where
        S: Subscriber + for<'a> LookupSpan<'a>,
    {
        let requests = filter_fn(|about| about.is_span() && about.target().starts_with(env!("CARGO_CRATE_NAME")));
        tracing_opentelemetry::layer().with_tracer(self.0.tracer(NAME)).with_filter(lines.or(requests))
    }
}

impl Drop for Traces {
    fn drop(&mut self) {
        // An unreachable collector must not make the shutdown fail.
        self.0.shutdown().unwrap_or_default();
    }
}
