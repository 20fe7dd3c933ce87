//! `data export`: writes a store to a file, one business at a time.

use std::{
    io::{self, BufWriter, Write},
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use clap::Args;
use indicatif::ProgressBar;
use leadapi_core::{admin::Admin, dataset::BusinessSeed};
use leadapi_sql::SqlStore;
use serde_json::json;

use super::file::{NewFile, is_standard};
use crate::{
    CommandError,
    business::count_leads,
    output::{count, progress},
    store::StoreArgs,
};

/// Export a consistent snapshot of a store, as a data set for "data import".
///
/// Tokens are exported with their id, times, hash and prefix, never with their secret. After an import into another
/// store, the tokens are valid there too, and a retried create with the same idempotency key does not create a second
/// lead.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  leadapi data export leads.json --store sqlite:leads.db")]
pub(crate) struct Export {
    /// The file to create, readable only by its owner. Defaults to standard output (-).
    #[arg(default_value = "-", hide_default_value = true)]
    file: PathBuf,
    /// Replace the file if it exists.
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    at: StoreArgs,
}

impl Export {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        let store = self.at.open().await?;
        if is_standard(&self.file) {
            let to = Box::new(io::stdout());
            return export(&store, to, ProgressBar::hidden(), CommandError::Output).await.map(drop);
        }
        let file = NewFile::at(&self.file, self.force)?;
        let bar = progress("leads", 0);
        if !bar.is_hidden() {
            bar.set_length(leads(&store).await?);
        }
        let exported = export(&store, Box::new(file.create()?), bar, |source| file.failed(source)).await?;
        file.finish()?;
        let path = self.file.display().to_string();
        let Exported { businesses, leads } = exported;
        self.at.format.print(&json!({"export": path, "businesses": businesses, "leads": leads}), || {
            let (businesses, leads) = (count(businesses, "business", "businesses"), count(leads, "lead", "leads"));
            format!("{} was exported to {path}: {businesses} with {leads}", self.at.store)
        })
    }
}

/// The numbers of exported businesses and leads.
#[derive(Debug, Clone, Copy, Default)]
struct Exported {
    businesses: usize,
    leads: usize,
}

async fn export(
    store: &SqlStore,
    to: Box<dyn Write + Send>,
    bar: ProgressBar,
    failed: impl Fn(io::Error) -> CommandError,
) -> Result<Exported, CommandError> {
    let output = Arc::new(Mutex::new(Output::new(to)));
    let (sink, shown) = (output.clone(), bar.clone());
    let write = move |business| sink.lock().unwrap_or_else(PoisonError::into_inner).business(&business);
    let exported = store.export(write, move |leads| shown.inc(leads)).await;
    bar.finish_and_clear();
    let mut output = output.lock().unwrap_or_else(PoisonError::into_inner);
    // A failed write also makes the export fail, but the error of the write itself is more precise.
    output.failed.take().map_or(Ok(()), |source| Err(failed(source)))?;
    exported?;
    output.end().map_err(failed)?;
    Ok(output.written)
}

/// Returns the number of leads in the store. Leads can still be added or deleted before the export begins.
async fn leads(store: &SqlStore) -> Result<u64, CommandError> {
    let mut leads = 0;
    for business in store.businesses().await? {
        leads += count_leads(store, &business.id).await?;
    }
    Ok(leads)
}

/// A writer that outputs a data set one business at a time.
struct Output {
    to: BufWriter<Box<dyn Write + Send>>,
    written: Exported,
    failed: Option<io::Error>,
}

impl Output {
    fn new(to: Box<dyn Write + Send>) -> Self {
        Self { to: BufWriter::new(to), written: Exported::default(), failed: None }
    }

    fn business(&mut self, business: &BusinessSeed) -> Result<(), leadapi_core::BoxError> {
        let before = if self.written.businesses == 0 { "{\"businesses\": [\n" } else { ",\n" };
        self.written.businesses += 1;
        self.written.leads += business.leads.len();
        let written = self.to.write_all(before.as_bytes());
        let written = written.and_then(|()| Ok(serde_json::to_writer_pretty(&mut self.to, business)?));
        written.map_err(|error| {
            self.failed = Some(error);
            "the output could not be written".into()
        })
    }

    fn end(&mut self) -> io::Result<()> {
        let after = if self.written.businesses == 0 { "{\"businesses\": []}\n" } else { "\n]}\n" };
        self.to.write_all(after.as_bytes())?;
        self.to.flush()
    }
}
