//! The part of the HTTP interface that the client and the service share: the table of operations, and the header names.

pub mod header;
mod operation;

pub use operation::{Endpoint, ID_PLACEHOLDER, Operation, TABLE, lead_path, lead_path_below};
