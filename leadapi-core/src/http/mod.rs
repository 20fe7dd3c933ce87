//! The service: one straight line from a request to its answer (contract D1).
//!
//! The table of operations and the names of the headers are here for both ends; the service itself is part of the
//! feature `service`.

pub mod header;
pub(crate) mod operation;
#[cfg(feature = "service")]
pub(crate) mod service;

pub use operation::{Endpoint, Operation, TABLE, lead_path};
#[cfg(feature = "service")]
pub use service::{Builder, InvalidPath, LeadService, RequestLog, ResponseFuture};
