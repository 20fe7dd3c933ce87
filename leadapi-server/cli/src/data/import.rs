//! `data import`: imports a file into a store atomically.

use std::path::{Path, PathBuf};

use clap::Args;
use leadapi_core::dataset::Dataset;
use leadapi_sql::{Imported, SqlStore};
use serde_json::{Value, json};

use super::{NewSecrets, read, read_setting, secrets::with_secret};
use crate::{
    CommandError,
    output::{count, print_issued, print_line, progress},
    store::StoreArgs,
};

/// Import the businesses from a file into a store: all of them, or none if there is an error.
///
/// Each token without a "token" field gets a new secret, which is printed once. A SQLite file is created if it is
/// missing. During a large import, other writes to a SQLite store have to wait.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  leadapi data import businesses.json --store sqlite:leads.db")]
pub(crate) struct Import {
    /// A data set in the format of "data export" and "serve --data"; - reads standard input.
    file: PathBuf,
    #[command(flatten)]
    at: StoreArgs,
}

impl Import {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        let dataset = read(&self.file)?;
        let store = self.at.open_or_create().await?;
        let Imported { businesses, leads, issued, .. } = import(&store, dataset).await?;
        if !self.at.format.is_json() {
            print_issued(&issued);
        }
        let tokens: Vec<Value> = issued.iter().map(with_secret).collect();
        let done = json!({"businesses": businesses, "leads": leads, "tokens": tokens});
        self.at.format.print(&done, || {
            let (businesses, leads) = (count(businesses, "business", "businesses"), count(leads, "lead", "leads"));
            format!("imported: {businesses} with {leads}")
        })
    }
}

/// Imports a file if the store has no businesses yet. Otherwise, prints that the file was not imported.
pub(crate) async fn import_into_empty(
    store: &SqlStore,
    path: &Path,
    new_tokens: Option<PathBuf>,
) -> Result<(), CommandError> {
    if store.is_empty().await? {
        let dataset = read_setting(path)?;
        let secrets = NewSecrets::of(&dataset, path, new_tokens)?;
        match import(store, dataset).await {
            Ok(imported) => return secrets.show(&imported.issued),
            Err(error) if store.is_empty().await? => return Err(error),
            // Another server started at the same time and imported its data first.
            Err(_) => {}
        }
    }
    print_line(&format!("the store already contains data: {} was not imported", path.display()));
    Ok(())
}

async fn import(store: &SqlStore, dataset: Dataset) -> Result<Imported, CommandError> {
    let leads: usize = dataset.businesses.iter().map(|business| business.leads.len()).sum();
    let bar = progress("leads", leads.try_into().unwrap_or(u64::MAX));
    let shown = bar.clone();
    let imported = store.import(dataset, move |leads| shown.set_position(leads.try_into().unwrap_or(u64::MAX))).await;
    bar.finish_and_clear();
    Ok(imported?)
}
