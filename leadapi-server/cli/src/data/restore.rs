//! `data restore`: replaces a SQLite store with a backup.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::{CommandError, store::StoreArgs};

/// Restore a SQLite store from a backup while no server or command uses the store.
///
/// Do not copy the file by hand: if a crash left a write-ahead log next to the store, SQLite would apply it to the
/// backup. This command checks the backup first and never changes it. A crash during the restore leaves the former
/// store, the restored one, or files that the server rejects until you run the command again. Restore PostgreSQL with
/// its own tools.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  leadapi data restore copy.db --store sqlite:leads.db --force")]
pub(crate) struct Restore {
    /// A file from "data backup", or another SQLite store of this server.
    file: PathBuf,
    /// Replace the store if it exists. The former store is kept under another name, which is printed.
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    at: StoreArgs,
}

impl Restore {
    pub(super) fn run(self) -> Result<(), CommandError> {
        let store = self.at.url();
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
