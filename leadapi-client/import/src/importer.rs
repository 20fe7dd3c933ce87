//! Creates leads from the rows of a file.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use leadapi_client::Client;

use crate::{
    csv_file::CsvFile,
    destination::Destination,
    directory::Directory,
    dry_run::copy_without_leads,
    error::ImportError,
    journal::Journal,
    preview::Preview,
    refused::{Refused, with_suffix},
    report::ImportReport,
    row::Keys,
    run::{OnProgress, RefusedRows, Run},
};

/// Creates a lead from each row of a file. If an import is interrupted, even with `kill -9`, and then repeated, each
/// row still creates exactly one lead.
///
/// `FILE.journal` records which rows were sent and which leads exist, so a repeated import skips the rows whose leads
/// exist. Rows are recognized by their content, so other rows of the file may change or move in the meantime. Without
/// the journal, the API still recognizes the rows for 24 hours. A row that was sent more than 22 hours ago, and whose
/// result is unknown, is refused.
///
/// Refused rows are written to `FILE.refused.csv` with the reasons.
pub struct Importer {
    client: Client,
    destination: Destination,
    name: Option<String>,
    folder: Option<PathBuf>,
    concurrency: usize,
    on_progress: Option<OnProgress>,
}

impl Importer {
    /// Creates an importer that calls the API through this client.
    ///
    /// The journal records the destination. Different APIs and stores must have different destinations, because the
    /// importer does not send rows that the journal lists as created. For a client that calls the API over HTTP, use
    /// `Destination::url(client.base_url())`.
    ///
    /// Set a long [timeout](leadapi_client::ClientBuilder::timeout), such as an hour, for the client's calls. The
    /// timeout includes the waits for the rate limit, which can be long if other programs use the same token.
    ///
    /// ```
    /// use leadapi_import::{CsvFile, Destination, Importer, ReadOptions};
    /// # use leadapi_core::{clock::SystemClock, dataset::Dataset};
    /// # use leadapi_memory::MemoryStore;
    ///
    /// # futures_executor::block_on(async {
    /// # let data = r#"{"businesses": [{"id": "sol", "name": "Sol", "created_at": "2026-01-12T09:00:00Z",
    /// #     "clients": [{"id": "casa-verde", "name": "Casa Verde", "created_at": "2026-01-12T09:00:00Z"}]}]}"#;
    /// # let store = MemoryStore::new(Dataset::parse(data)?);
    /// # let client = leadapi_import::in_process(store, SystemClock, "sol".parse()?)?;
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("leads.csv");
    /// std::fs::write(&path, "name,email\nAnn,ann@example.org\nBo,\n,cy@example.org\n")?;
    /// let file = CsvFile::open(&path, &ReadOptions::default().client("casa-verde"))?;
    /// let importer = Importer::new(client, Destination::url("https://api.example.com/v1"));
    /// let report = importer.run(&file).await?;
    /// assert_eq!((report.created, report.refused), (2, 1));
    /// let again = importer.run(&file).await?;
    /// assert_eq!((again.created, again.already_imported), (0, 2));
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// ```
    #[must_use]
    pub const fn new(client: Client, destination: Destination) -> Self {
        Self { client, destination, name: None, folder: None, concurrency: 8, on_progress: None }
    }

    /// Sets the name of the import. Under a different name, the same rows are imported again. The default is the name
    /// of the file.
    ///
    /// ```
    /// # use leadapi_import::{Destination, Importer};
    /// # fn example(client: leadapi_client::Client, destination: Destination) -> Importer {
    /// Importer::new(client, destination).name("fair 2026")
    /// # }
    /// ```
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Sets the folder for the journal and the refused rows. The default is the folder of the file.
    ///
    /// ```
    /// # use leadapi_import::{Destination, Importer};
    /// # fn example(client: leadapi_client::Client, destination: Destination) -> Importer {
    /// Importer::new(client, destination).folder("/var/lib/imports")
    /// # }
    /// ```
    #[must_use]
    pub fn folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = Some(folder.into());
        self
    }

    /// Sets the maximum number of concurrent requests. The default is 8.
    ///
    /// ```
    /// # use leadapi_import::{Destination, Importer};
    /// # fn example(client: leadapi_client::Client, destination: Destination) -> Importer {
    /// Importer::new(client, destination).concurrency(64)
    /// # }
    /// ```
    #[must_use]
    pub const fn concurrency(mut self, concurrency: usize) -> Self {
        self.concurrency = concurrency;
        self
    }

    /// Sets a callback that is called after each row, with the number of finished rows and the number of all rows.
    ///
    /// ```
    /// # use leadapi_import::{Destination, Importer};
    /// # fn example(client: leadapi_client::Client, destination: Destination) -> Importer {
    /// Importer::new(client, destination).on_progress(|done, all| eprint!("\r{done} of {all} rows"))
    /// # }
    /// ```
    #[must_use]
    pub fn on_progress(mut self, callback: impl Fn(u64, u64) + Send + Sync + 'static) -> Self {
        self.on_progress = Some(Box::new(callback));
        self
    }

    /// Imports the rows that have not been imported yet. Reads and writes files without yielding to the runtime.
    ///
    /// See [`new`](Self::new) for an example.
    ///
    /// ```
    /// # use leadapi_import::{CsvFile, Importer};
    /// # async fn example(importer: Importer, file: CsvFile) -> Result<(), leadapi_core::BoxError> {
    /// let report = importer.run(&file).await?;
    /// if let Some(reason) = report.reason {
    ///     eprintln!("{} rows are not imported: {reason}", report.unfinished);
    /// }
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`ImportError`] if a file cannot be read or written, or if the journal belongs to an import into a
    /// different API. Also returns an error if the client accounts and pipelines cannot be read, unless the token lacks
    /// the scope read. If the API fails later, the report contains the reason.
    pub async fn run(&self, file: &CsvFile) -> Result<ImportReport, ImportError> {
        let state = self.state(file);
        let mut journal = Journal::open(&with_suffix(&state, ".journal"), &self.destination)?;
        journal.expect_columns(&self.import_name(file), &file.columns)?;
        let directory = match Directory::read(&self.client).await {
            // Such a token cannot look names up, and the API refuses them.
            Err(error) if error.lacks_scope() => Directory::default(),
            // Without the names, the rows would get other keys than in an earlier run.
            directory => directory.map_err(ImportError::Api)?,
        };
        journal.expect_client(&self.import_name(file), only_client(file, &directory)?)?;
        self.import(file, journal, &self.client, &directory, RefusedRows::File(Refused::new(file, state))).await
    }

    /// Checks all rows without creating leads or files. Reads only the client accounts and pipelines from the API.
    ///
    /// ```
    /// # use leadapi_import::{CsvFile, Importer};
    /// # async fn example(importer: Importer, file: CsvFile) -> Result<(), leadapi_core::BoxError> {
    /// for refused in importer.dry_run(&file).await?.problems {
    ///     println!("line {}: {}", refused.line, refused.reason);
    /// }
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`run`](Self::run), and an error if the API cannot be called.
    pub async fn dry_run(&self, file: &CsvFile) -> Result<ImportReport, ImportError> {
        let path = with_suffix(&self.state(file), ".journal");
        let mut journal = Journal::open_for_dry_run(&path, &self.destination)?;
        journal.expect_columns(&self.import_name(file), &file.columns)?;
        let directory = Directory::read(&self.client).await.map_err(ImportError::Api)?;
        journal.expect_client(&self.import_name(file), only_client(file, &directory)?)?;
        let copy = copy_without_leads(&directory)?;
        self.import(file, journal, &copy, &directory, RefusedRows::Listed(Preview::new(file))).await
    }

    async fn import(
        &self,
        file: &CsvFile,
        journal: Journal,
        client: &Client,
        directory: &Directory,
        refused: RefusedRows<'_>,
    ) -> Result<ImportReport, ImportError> {
        Run::new(file, journal, directory)
            .import(client, self.concurrency, Keys::new(self.import_name(file)), refused, self.on_progress.as_ref())
            .await
    }

    fn import_name(&self, file: &CsvFile) -> String {
        self.name.clone().unwrap_or_else(|| file_name(file).to_string_lossy().into_owned())
    }

    /// Returns the path that the journal and the file of refused rows share, without their suffixes.
    fn state(&self, file: &CsvFile) -> PathBuf {
        self.folder.as_ref().map_or_else(|| file.path().to_owned(), |folder| folder.join(file_name(file)))
    }
}

impl fmt::Debug for Importer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Importer").field("destination", &self.destination).finish_non_exhaustive()
    }
}

fn file_name(file: &CsvFile) -> &Path {
    Path::new(file.path().file_name().unwrap_or_default())
}

/// Returns the id of the client account of all rows, if the options name one that exists.
fn only_client(file: &CsvFile, directory: &Directory) -> Result<Option<String>, ImportError> {
    let id = file.columns.only_client().map(|text| directory.client(text)).transpose().map_err(ImportError::Client)?;
    Ok(id.filter(|id| directory.has_client(id)))
}

#[cfg(test)]
mod tests;
