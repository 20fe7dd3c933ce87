//! `data`: imports, exports, checks, backs up and restores data.

mod backup;
mod check;
mod csv;
mod export;
mod file;
mod import;
mod restore;
mod secrets;

use clap::Subcommand;

pub(super) use self::{
    file::{read, read_setting, read_text},
    import::import_into_empty,
    secrets::NewSecrets,
};
use super::CommandError;

#[derive(Debug, Subcommand)]
pub(super) enum DataCommand {
    Import(import::Import),
    Export(export::Export),
    ImportCsv(csv::ImportCsv),
    ExportCsv(csv::ExportCsv),
    Check(check::Check),
    Backup(backup::Backup),
    Restore(restore::Restore),
}

impl DataCommand {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        match self {
            Self::Import(import) => import.run().await,
            Self::Export(export) => export.run().await,
            Self::ImportCsv(import) => Box::pin(import.run()).await,
            Self::ExportCsv(export) => Box::pin(export.run()).await,
            Self::Check(check) => check.run(),
            Self::Backup(backup) => backup.run().await,
            Self::Restore(restore) => restore.run(),
        }
    }
}
