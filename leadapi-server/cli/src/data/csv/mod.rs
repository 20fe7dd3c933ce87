//! `data import-csv` and `data export-csv`: leads as CSV, through the API.
//!
//! Both call the API through a [`leadapi_client::Client`]: over HTTP, or in process on a store. An import therefore
//! follows the rules of the API, and its idempotency keys work the same in both cases.

mod api;
mod delimiter;
mod error;
mod export;
mod help;
mod import;
mod report;
mod sheet;

pub(super) use self::{export::ExportCsv, import::ImportCsv};
