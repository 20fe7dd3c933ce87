//! Traces for an OpenTelemetry collector.

use opentelemetry::trace::TracerProvider;
use opentelemetry_otlp::{SpanExporter, WithExportConfig};
use opentelemetry_sdk::{Resource, trace::SdkTracerProvider};
use tracing::Subscriber;
use tracing_subscriber::{Layer, registry::LookupSpan};

use crate::cli::CommandError;

const NAME: &str = "leadapi-server";

/// Sends spans in batches from a background thread until it is dropped.
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

    pub(super) fn layer<S>(&self) -> impl Layer<S> + use<S>
    where
        S: Subscriber + for<'a> LookupSpan<'a>,
    {
        tracing_opentelemetry::layer().with_tracer(self.0.tracer(NAME))
    }
}

impl Drop for Traces {
    fn drop(&mut self) {
        // An unreachable collector must not make the shutdown fail.
        self.0.shutdown().unwrap_or_default();
    }
}
