//! The log: how much of it, and for whom.

mod filter;
#[cfg(feature = "otlp")]
mod otlp;
mod queue;

use std::io::{self, IsTerminal};

use clap::{Args, ValueEnum};
use prometheus::IntCounter;
use tracing_subscriber::{Layer, fmt, layer::SubscriberExt, util::SubscriberInitExt};

use self::queue::{FlushOnDrop, LogQueue};
use super::CommandError;
use crate::metrics::log_lines_dropped;

#[derive(Debug, Clone, Args)]
pub(super) struct LogOptions {
    /// What is logged: `off`, `error`, `warn`, `info`, `debug` or `trace`. Other crates log their errors only, unless you name them: `info,h2=debug`.
    #[arg(long, env = "LEADAPI_LOG", value_name = "FILTER", default_value = "info", value_parser = checked)]
    log: String,
    /// How it is written, on the standard error stream: for people, or as an object of JSON for each line.
    #[arg(long, env = "LEADAPI_LOG_FORMAT", value_name = "FORMAT", default_value = "text")]
    log_format: LogFormat,
    /// Where a collector of OpenTelemetry takes traces over HTTP: each request is a span, with its lines of the log.
    #[cfg(feature = "otlp")]
    #[arg(long, env = "OTEL_EXPORTER_OTLP_ENDPOINT", value_name = "URL")]
    otlp_endpoint: Option<String>,
}

/// The log, until it is dropped: what is queued is written and sent then.
#[must_use]
#[derive(Debug)]
pub(super) struct Logging {
    #[cfg(feature = "otlp")]
    _traces: Option<otlp::Traces>,
    _flush: FlushOnDrop,
    dropped: IntCounter,
}

impl Logging {
    /// Counts the lines that the sink did not take in time.
    pub(super) const fn dropped(&self) -> &IntCounter {
        &self.dropped
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum LogFormat {
    Text,
    Json,
}

fn checked(text: &str) -> Result<String, String> {
    filter::parse(text).map(|_| text.to_owned()).map_err(|error| error.to_string())
}

impl LogOptions {
    /// For commands that have no options of their own for it.
    pub(super) fn from_environment() -> Self {
        let log = std::env::var("LEADAPI_LOG").ok().and_then(|text| checked(&text).ok());
        Self {
            log: log.unwrap_or_else(|| "info".to_owned()),
            log_format: LogFormat::Text,
            #[cfg(feature = "otlp")]
            otlp_endpoint: None,
        }
    }

    /// Starts to log. Where a host has begun that already, it stays as it is.
    pub(super) fn start(&self) -> Result<Logging, CommandError> {
        let filter = filter::parse(&self.log).map_err(CommandError::Log)?;
        let dropped = log_lines_dropped().map_err(CommandError::Metrics)?;
        let (queue, flush) = LogQueue::start(io::stderr(), dropped.clone()).map_err(CommandError::LogWriter)?;
        let lines = fmt::layer().with_writer(move || queue.clone());
        let lines = match self.log_format {
            LogFormat::Text => lines.with_ansi(io::stderr().is_terminal()).boxed(),
            LogFormat::Json => lines.json().flatten_event(true).with_span_list(false).boxed(),
        };
        let log = tracing_subscriber::registry().with(filter).with(lines);
        #[cfg(feature = "otlp")]
        {
            let traces = self.otlp_endpoint.as_deref().map(otlp::Traces::to).transpose()?;
            log.with(traces.as_ref().map(otlp::Traces::layer)).try_init().unwrap_or_default();
            Ok(Logging { _traces: traces, _flush: flush, dropped })
        }
        #[cfg(not(feature = "otlp"))]
        {
            log.try_init().unwrap_or_default();
            Ok(Logging { _flush: flush, dropped })
        }
    }
}
