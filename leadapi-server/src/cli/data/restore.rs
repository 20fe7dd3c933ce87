//! `data restore`: replaces a SQLite store with a backup.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::cli::{CommandError, store::StoreArgs};

/// Restore a SQLite store from a backup while no server uses the store.
///
/// Copying the file by hand is not enough: SQLite would apply a write-ahead log that a crash left next to the store.
/// The backup is checked first, and stays as it is. A crash during the restore leaves the former store, the restored
/// one, or files that the server refuses until this command is run again. PostgreSQL is restored with its own tools.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  leadapi-server data restore copy.db --store sqlite:leads.db --force")]
pub(in crate::cli) struct Restore {
    /// A file that "data backup" made, or another SQLite file of this server.
    file: PathBuf,
    /// Replace the store if it exists; it is kept under another name, which is printed.
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    at: StoreArgs,
}

impl Restore {
    pub(super) fn run(self) -> Result<(), CommandError> {
        let store = &self.at.store;
        if !self.file.exists() {
            let source = std::io::ErrorKind::NotFound.into();
            return Err(CommandError::Read { path: self.file, source });
        }
        let former = store.restore(&self.file, self.force)?.map(|path| path.display().to_string());
        let backup = self.file.display().to_string();
        self.at.format.print(&json!({"restored": backup, "former": former}), || {
            let former = former.as_ref().map(|path| format!("; the former store is kept as {path}"));
            format!("{store} was restored from {backup}{}", former.unwrap_or_default())
        })
    }
}
