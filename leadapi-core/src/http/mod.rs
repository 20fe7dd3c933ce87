//! The HTTP service, which checks each request in the order of contract D1.
//!
//! The client and the service share the table of operations and the header names. The service itself requires the
//! `service` feature.

pub mod header;
pub(crate) mod operation;
#[cfg(feature = "service")]
mod read_body;
#[cfg(feature = "service")]
mod response;
#[cfg(feature = "service")]
pub(crate) mod service;

pub use operation::{Endpoint, Operation, TABLE, lead_path};
#[cfg(feature = "service")]
pub use read_body::{ReadBodyError, read_body};
#[cfg(feature = "service")]
pub use response::{ResponseBody, error_response, json_response};
#[cfg(feature = "service")]
pub use service::{InvalidPath, LeadService, LeadServiceBuilder, RequestLog, ResponseFuture};
