//! Tests of server processes with HTTPS: certificates from an ACME server, and the MCP listener.
#![cfg(unix)]
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails at the first unexpected value"
)]

mod acme;
mod acme_failures;
mod client;
mod mcp;
mod private_key;
mod server;
