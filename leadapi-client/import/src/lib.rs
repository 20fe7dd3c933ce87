#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod amounts;
mod columns;
mod csv_file;
mod delimiter;
mod destination;
mod directory;
mod dry_run;
mod encoding;
mod error;
mod exporter;
mod field;
mod formula;
mod header;
mod importer;
mod in_process;
mod journal;
mod mapping;
mod meaning;
mod options;
mod phone;
mod preview;
mod private_file;
mod profile;
mod records;
mod refused;
mod report;
mod retry;
mod row;
mod run;
mod source;
mod workbook;

pub use self::{
    amounts::{AmountReading, Notation},
    csv_file::CsvFile,
    delimiter::Delimiter,
    destination::{Destination, StoreIdentity},
    encoding::{Encoding, UnknownEncoding},
    error::{ExportError, FileProblem, ImportError, JournalProblem},
    exporter::Exporter,
    field::{ColumnTarget, UnknownField},
    importer::Importer,
    in_process::in_process,
    options::ReadOptions,
    phone::PhoneCounts,
    profile::{Profile, ProfileChoice, UnknownProfile},
    report::{ColumnPreview, ImportReport, RefusedRow, Unfinished},
};
