//! `data export-csv`: writes leads to a file.

use std::{
    fs::File,
    io::{self, Write},
    path::PathBuf,
};

use clap::Args;
use indicatif::ProgressBar;
use leadapi_client::{Client, Pacing};
use leadapi_core::{
    id::{ClientId, StageId},
    model::LeadQuery,
    validate::{LEAD_FIELDS, LeadField},
};
use leadapi_import::{Exporter, Notation};
use serde_json::json;

use super::{api::ApiArgs, delimiter::Delimiter, error::export_error, help};
use crate::{
    CommandError,
    data::file::{NewFile, is_standard},
    output::{Format, count, progress},
};

/// `data export-csv`.
#[derive(Debug, Args)]
#[command(about = help::EXPORT, long_about = help::export(), after_help = "Examples:
  LEADAPI_TOKEN=pak_… leadapi data export-csv leads.csv --url https://api.example.com/v1 --columns name,email,phone
  leadapi data export-csv leads.csv --store sqlite:leads.db --delimiter semicolon --bom")]
#[expect(clippy::struct_excessive_bools, reason = "each one is an option of the command line")]
pub(crate) struct ExportCsv {
    /// The file to create, readable only by its owner. It appears once it is complete. Defaults to standard output (-).
    #[arg(default_value = "-", hide_default_value = true)]
    file: PathBuf,
    /// Replace the file if it exists.
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    api: ApiArgs,
    /// Export only the leads of this client account.
    #[arg(long, value_name = "ID")]
    client: Option<ClientId>,
    /// Export only the leads in this stage.
    #[arg(long, value_name = "ID")]
    stage: Option<StageId>,
    /// The columns, separated by commas. Defaults to all fields of a lead.
    #[arg(long, value_name = "FIELDS", value_delimiter = ',', value_parser = column)]
    columns: Vec<LeadField>,
    #[arg(long, value_enum, default_value = "comma")]
    delimiter: Delimiter,
    /// Write amounts with a decimal comma, as "data import-csv --decimal-comma" reads them.
    #[arg(long)]
    decimal_comma: bool,
    /// Start the file with a byte order mark, by which Excel recognizes UTF-8.
    #[arg(long)]
    bom: bool,
    /// Export text as it is, even if a spreadsheet would evaluate it.
    #[arg(long)]
    raw: bool,
    /// The number of requests to send in any 60 s, if the limit of the server is not the usual one; 0 means no limit.
    #[arg(long, value_name = "N", default_value_t = 600)]
    reads_per_minute: u32,
    #[command(flatten)]
    format: Format,
}

fn column(name: &str) -> Result<LeadField, String> {
    let names: Vec<&str> = LEAD_FIELDS.iter().map(|field| field.name()).collect();
    let found = LEAD_FIELDS.into_iter().find(|field| field.name() == name.trim());
    found.ok_or_else(|| format!("the fields are {}", names.join(", ")))
}

impl ExportCsv {
    pub(in crate::data) async fn run(self) -> Result<(), CommandError> {
        let api = self.api.open(Pacing::default().reads(self.reads_per_minute)).await?;
        if is_standard(&self.file) {
            let to = Box::new(io::stdout());
            return self.export(api.client, to, ProgressBar::hidden(), CommandError::Output).await.map(drop);
        }
        let file = NewFile::at(&self.file, self.force)?;
        let bar = progress("leads", 0);
        let to: Box<File> = Box::new(file.create()?);
        let leads = self.export(api.client, to, bar.clone(), |source| file.failed(source)).await;
        bar.finish_and_clear();
        let leads = leads?;
        file.finish()?;
        let path = self.file.display().to_string();
        self.format.print(&json!({"export": path, "leads": leads}), || {
            format!("{} exported to {path}", count(leads, "lead was", "leads were"))
        })
    }

    /// Writes the leads and returns their number.
    async fn export(
        &self,
        client: Client,
        to: Box<dyn Write + Send>,
        bar: ProgressBar,
        failed: impl Fn(io::Error) -> CommandError,
    ) -> Result<u64, CommandError> {
        let mut query = LeadQuery::new();
        (query.client, query.stage) = (self.client.clone(), self.stage.clone());
        let columns = if self.columns.is_empty() { LEAD_FIELDS.to_vec() } else { self.columns.clone() };
        let notation = if self.decimal_comma { Notation::DecimalComma } else { Notation::Plain };
        let exporter = Exporter::new(client)
            .query(query)
            .columns(columns)
            .delimiter(self.delimiter.into())
            .notation(notation)
            .byte_order_mark(self.bom)
            .raw(self.raw)
            .on_progress(move |done, all| {
                bar.set_length(all);
                bar.set_position(done);
            });
        exporter.write(to).await.map_err(|error| export_error(error, failed))
    }
}
