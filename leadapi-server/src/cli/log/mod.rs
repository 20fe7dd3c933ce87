//! The log: how much of it, and for whom.

#[cfg(feature = "otlp")]
mod otlp;

use std::io::{self, IsTerminal};

use clap::{Args, ValueEnum};
use tracing_subscriber::{EnvFilter, Layer, fmt, layer::SubscriberExt, util::SubscriberInitExt};

use super::CommandError;

#[derive(Debug, Clone, Args)]
pub(super) struct LogOptions {
    /// What is logged: `error`, `warn`, `info`, `debug` or `trace`, also for one part alone: `warn,leadapi_server=debug`.
    #[arg(long, env = "LEADAPI_LOG", value_name = "FILTER", default_value = "info", value_parser = filter)]
    log: String,
    /// How it is written, on the standard error stream: for people, or as an object of JSON for each line.
    #[arg(long, env = "LEADAPI_LOG_FORMAT", value_name = "FORMAT", default_value = "text")]
    log_format: LogFormat,
    /// Where a collector of OpenTelemetry takes traces over HTTP: each request is a span, with its lines of the log.
    #[cfg(feature = "otlp")]
    #[arg(long, env = "OTEL_EXPORTER_OTLP_ENDPOINT", value_name = "URL")]
    otlp_endpoint: Option<String>,
}

/// The log, until it is dropped: what has not been sent yet is sent then.
#[must_use]
pub(super) struct Logging {
    #[cfg(feature = "otlp")]
    _traces: Option<otlp::Traces>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum LogFormat {
    Text,
    Json,
}

fn filter(text: &str) -> Result<String, String> {
    EnvFilter::try_new(text).map(|_| text.to_owned()).map_err(|error| error.to_string())
}

impl LogOptions {
    /// For commands that have no options of their own for it.
    pub(super) fn from_environment() -> Self {
        let log = std::env::var("LEADAPI_LOG").ok().and_then(|text| filter(&text).ok());
        Self {
            log: log.unwrap_or_else(|| "info".to_owned()),
            log_format: LogFormat::Text,
            #[cfg(feature = "otlp")]
            otlp_endpoint: None,
        }
    }

    /// Starts to log. Where a host has begun that already, it stays as it is.
    pub(super) fn start(&self) -> Result<Logging, CommandError> {
        let filter = EnvFilter::try_new(&self.log).map_err(CommandError::Log)?;
        let lines = fmt::layer().with_writer(io::stderr);
        let lines = match self.log_format {
            LogFormat::Text => lines.with_ansi(io::stderr().is_terminal()).boxed(),
            LogFormat::Json => lines.json().flatten_event(true).with_span_list(false).boxed(),
        };
        let log = tracing_subscriber::registry().with(filter).with(lines);
        #[cfg(feature = "otlp")]
        {
            let traces = self.otlp_endpoint.as_deref().map(otlp::Traces::to).transpose()?;
            log.with(traces.as_ref().map(otlp::Traces::layer)).try_init().unwrap_or_default();
            Ok(Logging { _traces: traces })
        }
        #[cfg(not(feature = "otlp"))]
        {
            log.try_init().unwrap_or_default();
            Ok(Logging {})
        }
    }
}
