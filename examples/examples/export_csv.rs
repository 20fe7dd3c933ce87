//! Exports all leads of a business to a file, as CSV or as one JSON object per line.
//!
//! Run it with `cargo run -p leadapi-examples --example export_csv -- leads.csv`.

#![allow(clippy::print_stderr, reason = "the program reports to the terminal")]

use std::{
    ffi::OsString,
    fs::{self, File},
    io::{BufWriter, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{Parser, ValueEnum};
use indicatif::{HumanCount, ProgressBar, ProgressStyle};
use leadapi_client::{
    Client, Pacing,
    id::{ClientId, StageId},
    model::{LeadItem, LeadQuery},
};
use leadapi_core::BoxError;

/// Writes all leads, newest first, with the fields of a list item: every field except notes and `business_name`.
///
/// Reads the API's base URL from `LEADAPI_URL` and the token from `LEADAPI_TOKEN`.
///
/// Anyone can submit a lead through a form, and a spreadsheet treats a field that begins with =, +, - or @ as a
/// formula. To prevent formula injection, such fields are prefixed with a ' in CSV. Fields that consist only of digits,
/// spaces and +-.,()/, such as +34 600 000 000, are written unchanged. With --raw, all fields are written unchanged,
/// for other programs and for `import_csv`.
#[derive(Debug, Parser)]
struct Args {
    /// The file to write; an existing file is replaced only after the export is complete.
    file: PathBuf,
    /// The output format.
    #[arg(long, value_enum, default_value_t = Format::Csv)]
    format: Format,
    /// Write fields that look like formulas unchanged.
    #[arg(long)]
    raw: bool,
    /// Export only the leads of this client account.
    #[arg(long, value_name = "ID")]
    client: Option<ClientId>,
    /// Export only the leads in this stage.
    #[arg(long, value_name = "ID")]
    stage: Option<StageId>,
    /// Maximum number of pages to read in any 60 s, if the server's limit differs from the contract; 0 means no limit.
    #[arg(long, value_name = "N", default_value_t = 600)]
    reads_per_minute: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Csv,
    Ndjson,
}

const COLUMNS: [&str; 10] =
    ["id", "client_id", "name", "email", "phone", "source", "value", "pipeline_id", "stage_id", "created_at"];

#[tokio::main]
async fn main() -> ExitCode {
    match export(&Args::parse()).await {
        Ok(leads) => {
            eprintln!("{} leads", HumanCount(leads));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn export(args: &Args) -> Result<u64, BoxError> {
    let pacing = Pacing::default().reads(args.reads_per_minute);
    let client = Client::from_env()?.application("export_csv").pacing(pacing).build()?;
    let mut query = LeadQuery::new();
    (query.client, query.stage) = (args.client.clone(), args.stage.clone());

    // An interrupted export must not leave a file that looks complete, so the rows are first written to another file.
    let partial = with_suffix(&args.file, ".partial");
    let mut output = Output::new(&partial, args)?;
    let bar = ProgressBar::new(0).with_message("leads");
    bar.set_style(ProgressStyle::with_template("{msg} {wide_bar} {human_pos} of {human_len}, {eta} left")?);
    let mut written = 0;
    let mut leads = client.leads().list_all(query).prefetch(4).stream();
    while let Some(lead) = leads.try_next().await? {
        written += 1;
        bar.set_length(leads.total().unwrap_or_default());
        bar.set_position(written);
        output.write(&lead)?;
    }
    output.end()?;
    fs::rename(&partial, &args.file)?;
    bar.finish_and_clear();
    Ok(written)
}

/// The output file.
enum Output {
    Csv { lines: Box<csv::Writer<File>>, raw: bool },
    Ndjson(BufWriter<File>),
}

impl Output {
    fn new(path: &Path, args: &Args) -> Result<Self, BoxError> {
        let file = File::create(path).map_err(|error| format!("{} cannot be written: {error}", path.display()))?;
        Ok(match args.format {
            Format::Ndjson => Self::Ndjson(BufWriter::new(file)),
            Format::Csv => {
                let mut lines = Box::new(csv::Writer::from_writer(file));
                lines.write_record(COLUMNS)?;
                Self::Csv { lines, raw: args.raw }
            }
        })
    }

    fn write(&mut self, lead: &LeadItem) -> Result<(), BoxError> {
        match self {
            Self::Ndjson(lines) => {
                serde_json::to_writer(&mut *lines, lead)?;
                lines.write_all(b"\n")?;
            }
            Self::Csv { lines, raw } => {
                let fields = fields(lead);
                lines.write_record(fields.map(|field| if *raw { field } else { escape_formula(field) }))?;
            }
        }
        Ok(())
    }

    fn end(self) -> Result<(), BoxError> {
        let file = match self {
            Self::Csv { lines, .. } => lines.into_inner().map_err(csv::IntoInnerError::into_error)?,
            Self::Ndjson(lines) => lines.into_inner().map_err(std::io::IntoInnerError::into_error)?,
        };
        Ok(file.sync_all()?)
    }
}

/// The fields of a lead in the order of [`COLUMNS`].
fn fields(lead: &LeadItem) -> [String; 10] {
    let text = |field: &Option<String>| field.clone().unwrap_or_default();
    [
        lead.id.to_string(),
        lead.client_id.to_string(),
        lead.name.clone(),
        text(&lead.email),
        text(&lead.phone),
        text(&lead.source),
        lead.value.map(|value| value.to_string()).unwrap_or_default(),
        lead.pipeline_id.as_ref().map(ToString::to_string).unwrap_or_default(),
        lead.stage_id.as_ref().map(ToString::to_string).unwrap_or_default(),
        lead.created_at.to_string(),
    ]
}

/// Prefixes a field with `'` if a spreadsheet would evaluate it as a formula.
fn escape_formula(field: String) -> String {
    let is_formula = field.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let is_number = field.chars().all(|c| c.is_ascii_digit() || " +-.,()/".contains(c));
    if is_formula && !is_number { format!("'{field}") } else { field }
}

/// Returns the path with a suffix appended to its file name, such as `leads.csv.partial`.
fn with_suffix(file: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(file);
    name.push(suffix);
    name.into()
}
