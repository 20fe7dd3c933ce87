//! The HTTP service: each request passes the checks in the order of contract D1.
//!
//! The table of operations and the header names are shared by client and service. The service itself needs the feature
//! `service`.

pub mod header;
pub(crate) mod operation;
#[cfg(feature = "service")]
mod response;
#[cfg(feature = "service")]
pub(crate) mod service;

pub use operation::{Endpoint, Operation, TABLE, lead_path};
#[cfg(feature = "service")]
pub use response::{ResponseBody, error_response, json_response};
#[cfg(feature = "service")]
pub use service::{InvalidPath, LeadService, LeadServiceBuilder, RequestLog, ResponseFuture};
