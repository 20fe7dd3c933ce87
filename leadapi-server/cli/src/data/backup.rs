//! `data backup`: copies a SQLite database, even while a server uses it.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::file::NewFile;
use crate::{CommandError, output::progress, store::StoreArgs};

/// Back up a SQLite store to a new file, as a consistent snapshot, even while a server uses it.
///
/// The copy is a complete store that only its owner can read; "data restore" restores it. Back up PostgreSQL with its
/// own tools.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  leadapi data backup copy.db --store sqlite:leads.db")]
pub(crate) struct Backup {
    /// The file to create.
    file: PathBuf,
    /// Replace the file if it exists.
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    at: StoreArgs,
}

impl Backup {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        let store = self.at.open().await?;
        let file = NewFile::at(&self.file, self.force)?;
        let bar = progress("pages", 0);
        let copied = store.backup(file.temporary_path(), |done, all| {
            bar.set_length(all);
            bar.set_position(done);
        });
        bar.finish_and_clear();
        copied?;
        file.finish()?;
        let path = self.file.display().to_string();
        self.at.format.print(&json!({"backup": path}), || format!("{} was backed up to {path}", self.at.store))
    }
}
