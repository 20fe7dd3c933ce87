//! The log: its filter, its format and its destination.

mod filter;
#[cfg(feature = "otlp")]
mod otlp;
mod queue;

use std::io;

use clap::{Args, ValueEnum};
use tracing_subscriber::{Layer, fmt, layer::SubscriberExt, util::SubscriberInitExt};

use self::queue::{FlushOnDrop, LogQueue};
use super::{CommandError, output};
use leadapi_server::Counter;

#[derive(Debug, Clone, Args)]
pub(super) struct LogOptions {
    /// The log filter: `off`, `error`, `warn`, `info`, `debug` or `trace`. Dependencies log only errors unless you name
    /// their crates: `info,h2=debug`.
    #[arg(long, env = "LEADAPI_LOG", value_name = "FILTER", default_value = "info", value_parser = checked)]
    log: String,
    /// The log format on standard error: human-readable text, or one JSON object per line.
    #[arg(long, env = "LEADAPI_LOG_FORMAT", value_name = "FORMAT", default_value = "text")]
    log_format: LogFormat,
    /// The URL of an OpenTelemetry collector that accepts traces over HTTP; each request becomes a span with its log
    /// lines.
    #[cfg(feature = "otlp")]
    #[arg(long, env = "OTEL_EXPORTER_OTLP_ENDPOINT", value_name = "URL")]
    otlp_endpoint: Option<String>,
}

/// The name and the help text of the counter of dropped lines.
const DROPPED_LINES: (&str, &str) =
    ("leadapi_log_lines_dropped_total", "Log lines dropped because their reader was too slow or gone.");

/// A guard for the log and the traces. On drop, it flushes the queued lines and spans.
#[must_use]
#[derive(Debug)]
pub(super) struct Logging {
    #[cfg(feature = "otlp")]
    _traces: Option<otlp::Traces>,
    _flush: FlushOnDrop,
    dropped: Counter,
}

impl Logging {
    /// Returns the counter of dropped lines.
    pub(super) const fn dropped(&self) -> &Counter {
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
    /// Returns the options for commands without log options: text, with the filter in `LEADAPI_LOG`, or `info` if that
    /// variable is missing or invalid.
    pub(super) fn from_environment() -> Self {
        let log = std::env::var("LEADAPI_LOG").ok().and_then(|text| checked(&text).ok());
        Self {
            log: log.unwrap_or_else(|| "info".to_owned()),
            log_format: LogFormat::Text,
            #[cfg(feature = "otlp")]
            otlp_endpoint: None,
        }
    }

    /// Starts logging. If the embedding program has already set up logging, keeps that setup.
    pub(super) fn start(&self) -> Result<Logging, CommandError> {
        let filter = filter::parse(&self.log).map_err(CommandError::log)?;
        let (name, help) = DROPPED_LINES;
        let dropped = Counter::new(name, help).map_err(CommandError::metrics)?;
        let (queue, flush) = LogQueue::start(io::stderr(), dropped.clone()).map_err(CommandError::LogWriter)?;
        let lines = fmt::layer().with_writer(move || queue.clone());
        let lines = match self.log_format {
            LogFormat::Text => lines.with_ansi(output::is_colored(&io::stderr())).boxed(),
            LogFormat::Json => lines.json().flatten_event(true).with_span_list(false).boxed(),
        };
        let log = tracing_subscriber::registry().with(lines.with_filter(filter));
        #[cfg(feature = "otlp")]
        {
            let traces = self.otlp_endpoint.as_deref().map(otlp::Traces::to).transpose()?;
            let events = filter::parse(&self.log).map_err(CommandError::log)?;
            log.with(traces.as_ref().map(|traces| traces.layer(events))).try_init().unwrap_or_default();
            Ok(Logging { _traces: traces, _flush: flush, dropped })
        }
        #[cfg(not(feature = "otlp"))]
        {
            log.try_init().unwrap_or_default();
            Ok(Logging { _flush: flush, dropped })
        }
    }
}
