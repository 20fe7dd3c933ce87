//! A read-only MCP server: five tools over the API, with the same tokens, scopes, limits and messages.
//!
//! A tool calls the API through a [`leadapi_client::Client`], so each tool is written once for both transports:
//!
//! - `serve --mcp-listen` (`handler.rs`) gives each request a client that passes the caller's token to the API's own
//!   handler in this process (`in_process.rs`). The API therefore checks, limits, measures and logs each call.
//! - The `mcp` command (`stdio.rs`) has one client that calls an API over HTTP.
//!
//! `protocol.rs`, `handler.rs` and `stdio.rs` are the only files that use the `rmcp` crate.

mod arguments;
mod handler;
mod in_process;
mod json;
mod listen;
mod overview;
mod protocol;
mod stdio;
mod tool;
mod tools;

pub(crate) use self::{
    listen::{McpListener, McpSite},
    stdio::serve_stdio,
};
