#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

// A tool calls the API through a client, so each tool is written once for both transports. Only `protocol`, `service`
// and `stdio` use the `rmcp` crate.
mod arguments;
mod in_process;
mod json;
mod overview;
mod protocol;
mod service;
mod stdio;
mod tool;
mod tools;

pub use leadapi_access::{Authenticator, Peer, SiteUrl};

pub use self::{
    service::{McpService, PATH},
    stdio::{StdioError, serve_stdio},
};
