//! The log: how much of it, and for whom.

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
        Self { log: log.unwrap_or_else(|| "info".to_owned()), log_format: LogFormat::Text }
    }

    /// Starts to log. Where a host has begun that already, it stays as it is.
    pub(super) fn start(&self) -> Result<(), CommandError> {
        let filter = EnvFilter::try_new(&self.log).map_err(CommandError::Log)?;
        let lines = fmt::layer().with_writer(io::stderr);
        let lines = match self.log_format {
            LogFormat::Text => lines.with_ansi(io::stderr().is_terminal()).boxed(),
            LogFormat::Json => lines.json().flatten_event(true).with_span_list(false).boxed(),
        };
        tracing_subscriber::registry().with(filter).with(lines).try_init().unwrap_or_default();
        Ok(())
    }
}
