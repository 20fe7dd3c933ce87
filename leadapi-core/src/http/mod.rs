//! The service: one straight line from a request to its answer (contract D1).

mod body;
mod builder;
mod catch_panic;
mod decode;
mod encode;
mod error;
pub mod header;
mod json;
mod log;
mod operation;
mod query;
mod route;
mod service;

pub use builder::{Builder, InvalidPath};
pub use log::RequestLog;
pub use operation::{Endpoint, Operation, TABLE, lead_path};
pub use service::{LeadService, ResponseFuture};
