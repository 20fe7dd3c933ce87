//! The HTTP service, which checks each request in the order of contract D1.
//!
//! The client and the service share the table of operations and the header names, which are in `leadapi-model`.

mod read_body;
mod response;
pub(crate) mod service;

pub use leadapi_model::http::{Endpoint, ID_PLACEHOLDER, Operation, TABLE, header, lead_path, lead_path_below};
pub use read_body::{ReadBodyError, read_body};
pub use response::{ResponseBody, error_response, json_response};
pub use service::{InvalidPath, LeadService, LeadServiceBuilder, RequestLog, ResponseFuture};
