//! `data import-csv`: creates leads from the rows of a file.

use std::path::PathBuf;

use clap::Args;
use leadapi_client::Pacing;
use leadapi_import::Importer;

use super::{api::ApiArgs, report::Report, sheet::SheetArgs};
use crate::cli::{
    CommandError,
    output::{Format, progress},
};

/// Create a lead from each row of a CSV file. An import that was interrupted, even with `kill -9`, can be repeated:
/// each row still creates exactly one lead.
///
/// The columns are `client_id`, `name` (required), `email`, `phone`, `source`, `notes`, `value`, `pipeline_id`,
/// `stage_id` and `business_name`, in any order. The columns `id` and `created_at` of an export are ignored.
///
/// FILE.journal records which rows were sent and which leads exist, so a repeated import skips these rows. Rows are
/// recognized by their content, so other rows of the file may change or move in the meantime. Without the journal, the
/// API still recognizes the rows for 24 hours. If a row was sent more than 22 hours ago and its result is unknown, it
/// is refused.
///
/// Refused rows are written to FILE.refused.csv with the reasons. Correct them there, and import that file.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 if all rows are imported, 5 if all except the refused ones are, 1 if the import is
not complete, 2 if the command line is wrong.

Examples:
  LEADAPI_TOKEN=pak_… leadapi-server data import-csv leads.csv --url https://api.example.com/v1 --client ID
  leadapi-server data import-csv leads.csv --store sqlite:leads.db --business ID --client ID --map \"Company=business_name\""
)]
pub(in crate::cli) struct ImportCsv {
    #[command(flatten)]
    sheet: SheetArgs,
    #[command(flatten)]
    api: ApiArgs,
    /// Check all rows, and show how an amount is read, without creating leads or files. The token needs the scope read.
    #[arg(long)]
    dry_run: bool,
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
    pub(in crate::cli::data) async fn run(self) -> Result<(), CommandError> {
        let file = self.sheet.open()?;
        let api = self.api.open(Pacing::default().writes(self.writes_per_minute)).await?;
        let bar = progress("rows", file.rows());
        let shown = bar.clone();
        let mut importer = Importer::new(api.client)
            .destination(api.destination)
            .concurrency(api.concurrency)
            .on_progress(move |done, _| shown.set_position(done));
        if let Some(name) = self.name {
            importer = importer.name(name);
        }
        if let Some(folder) = self.state {
            importer = importer.folder(folder);
        }
        let imported = if self.dry_run { importer.dry_run(&file).await } else { importer.run(&file).await };
        bar.finish_and_clear();
        Report { file: file.path().to_owned(), is_dry_run: self.dry_run, imported: imported? }.print(self.format)
    }
}
