//! `data import-csv`: creates leads from the rows of a file.

use std::path::PathBuf;

use clap::Args;
use leadapi_client::Pacing;
use leadapi_core::error_chain;
use leadapi_import::{ImportError, Importer};

use super::{api::ApiArgs, help, report::Report, sheet::SheetArgs};
use crate::{
    CommandError,
    csv_error::CsvError,
    output::{Format, progress},
    prompt,
};

/// `data import-csv`.
#[derive(Debug, Args)]
#[command(
    about = help::IMPORT,
    long_about = help::import(),
    after_help = "Exit codes: 0 if all rows are imported, 5 if all except the refused ones are, 1 if the import is
not complete, 2 if the command line is wrong.

Examples:
  LEADAPI_TOKEN=pak_… leadapi data import-csv leads.csv --url https://api.example.com/v1 --client ID
  leadapi data import-csv leads.csv --store sqlite:leads.db --client \"Casa Verde\" --map \"Company=business_name\""
)]
pub(crate) struct ImportCsv {
    #[command(flatten)]
    sheet: SheetArgs,
    #[command(flatten)]
    api: ApiArgs,
    /// Check all rows, and show what each column becomes, without creating leads or files. The token needs the scope
    /// read.
    #[arg(long)]
    dry_run: bool,
    /// Import without asking. Without this option, the command on a terminal first shows the report of a dry run, and
    /// asks for confirmation.
    #[arg(long)]
    yes: bool,
    /// The name of the import. Under another name, the same rows are imported again. Defaults to the name of FILE.
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// The folder for the journal and the refused rows. Defaults to the folder of FILE.
    #[arg(long, value_name = "FOLDER")]
    state: Option<PathBuf>,
    /// The number of rows to send in any 60 s, if the limit of the server is not the usual one; 0 means no limit.
    #[arg(long, value_name = "N", default_value_t = 60)]
    writes_per_minute: u32,
    #[command(flatten)]
    format: Format,
}

impl ImportCsv {
    pub(in crate::data) async fn run(self) -> Result<(), CommandError> {
        let file = self.sheet.open(self.name.as_deref())?;
        let api = self.api.open(Pacing::default().writes(self.writes_per_minute)).await?;
        let bar = progress("rows", file.rows());
        let shown = bar.clone();
        let mut importer = Importer::new(api.client, api.destination)
            .concurrency(api.concurrency)
            .on_progress(move |done, _| shown.set_position(done));
        if let Some(name) = self.name {
            importer = importer.name(name);
        }
        if let Some(folder) = self.state {
            importer = importer.folder(folder);
        }
        let must_ask = !self.dry_run && !self.yes && !self.format.is_json() && prompt::is_possible();
        if self.dry_run || must_ask {
            let result = importer.dry_run(&file).await;
            bar.finish_and_clear();
            let checked = result.map_err(|error| if must_ask { without_preview(error) } else { error.into() })?;
            let preview = Report { file: &file, is_dry_run: true, imported: checked };
            if self.dry_run {
                return preview.print(self.format);
            }
            prompt::confirm(&preview.text(), "Import these rows? (yes/no)")?;
            bar.reset();
        }
        let result = importer.run(&file).await;
        bar.finish_and_clear();
        Report { file: &file, is_dry_run: false, imported: result? }.print(self.format)
    }
}

/// Adds the option with which a token without the scope read can import.
fn without_preview(error: ImportError) -> CommandError {
    match error {
        ImportError::Api(error) if error.lacks_scope() => {
            CsvError::Api(format!("{}: pass --yes to import without a preview", error_chain(&error))).into()
        }
        error => error.into(),
    }
}
