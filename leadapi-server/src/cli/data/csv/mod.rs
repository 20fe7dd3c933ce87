//! `data import-csv` and `data export-csv`: leads as CSV, through the API.
//!
//! Both call the API through a [`leadapi_client::Client`]: over HTTP, or in process on a store. An import therefore
//! follows the rules of the API, and its idempotency keys work the same in both cases.

mod amounts;
mod api;
mod columns;
mod delimiter;
mod export;
mod field;
mod formula;
mod import;
mod in_process;
mod journal;
mod phone;
mod records;
mod refused;
mod report;
mod row;
mod sheet;
mod source;

pub(super) use self::{export::ExportCsv, import::ImportCsv};
