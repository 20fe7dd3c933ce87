//! Tests the binary as an operator sees it: its output, signals and exit codes.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails at the first unexpected value"
)]

mod access;
mod admin;
mod businesses;
mod config;
mod csv;
mod data;
mod defaults;
mod displaced;
mod exit_codes;
mod failure;
mod form;
mod form_check;
mod in_use;
mod init;
mod lead_counts;
mod log;
mod lost_log;
#[cfg(feature = "mcp")]
mod mcp;
mod names;
mod openapi;
mod ops;
#[cfg(feature = "otlp")]
mod otlp;
mod output;
mod process;
mod restore;
mod secret_files;
mod serve;
mod server_process;
mod settings;
mod sqlite;
mod tokens;
mod wait;
#[cfg(not(any(feature = "acme", feature = "mcp", feature = "otlp", feature = "redis")))]
mod without_features;
