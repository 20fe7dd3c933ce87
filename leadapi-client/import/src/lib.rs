#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod amounts;
mod columns;
mod csv_file;
mod delimiter;
mod dry_run;
mod error;
mod exporter;
mod field;
mod formula;
mod importer;
mod in_process;
mod journal;
mod options;
mod phone;
mod private_file;
mod records;
mod refused;
mod report;
mod row;
mod run;
mod source;

pub use self::{
    amounts::{AmountReading, Notation},
    csv_file::CsvFile,
    delimiter::Delimiter,
    error::{ExportError, FileProblem, ImportError, JournalProblem},
    exporter::Exporter,
    field::{ColumnTarget, UnknownField},
    importer::Importer,
    in_process::in_process,
    journal::{Destination, StoreIdentity},
    options::ReadOptions,
    phone::PhoneCounts,
    report::{ImportReport, RefusedRow, Unfinished},
};
