//! Writes leads as CSV.

use std::{fmt, io::Write};

use futures_util::{StreamExt, TryStreamExt, stream};
use leadapi_client::Client;
use leadapi_core::{
    model::{LeadItem, LeadQuery},
    validate::{LEAD_FIELDS, LeadField},
};
use serde_json::Value;

use crate::{
    amounts::{Notation, with_decimal_comma},
    delimiter::Delimiter,
    error::ExportError,
    field, formula,
    run::OnProgress,
};

/// Writes leads as CSV, newest first.
///
/// The API returns `notes` and `business_name` only for single leads, so with these columns the export makes one
/// request per lead. Without them, it makes one request per 200 leads.
///
/// Anyone can submit a lead through a form, and a spreadsheet evaluates text that starts with =, +, - or @. The export
/// prefixes such text with a ' unless it is a number, and an import removes the prefix again.
///
/// ```
/// use leadapi_core::validate::LEAD_FIELDS;
/// use leadapi_import::Exporter;
/// # use leadapi_core::{clock::SystemClock, dataset::Dataset};
/// # use leadapi_memory::MemoryStore;
///
/// # futures_executor::block_on(async {
/// # let data = r#"{"businesses": [{"id": "sol", "name": "Sol", "created_at": "2026-01-12T09:00:00Z",
/// #     "clients": [{"id": "casa-verde", "name": "Casa Verde", "created_at": "2026-01-12T09:00:00Z"}],
/// #     "leads": [{"id": "lead-1", "client_id": "casa-verde", "name": "=1+1", "created_at": "2026-05-04T07:58:12Z"}]}]}"#;
/// # let client = leadapi_import::in_process(MemoryStore::new(Dataset::parse(data)?), SystemClock, "sol".parse()?)?;
/// let mut file = Vec::new();
/// let columns = LEAD_FIELDS.into_iter().filter(|field| ["id", "name"].contains(&field.name())).collect();
/// let leads = Exporter::new(client).columns(columns).write(&mut file).await?;
/// assert_eq!(leads, 1);
/// assert_eq!(String::from_utf8(file)?, "id,name\nlead-1,'=1+1\n");
/// # Ok::<(), leadapi_core::BoxError>(())
/// # }).unwrap();
/// ```
pub struct Exporter {
    client: Client,
    query: LeadQuery,
    columns: Vec<LeadField>,
    delimiter: Delimiter,
    notation: Notation,
    has_byte_order_mark: bool,
    raw: bool,
    on_progress: Option<OnProgress>,
}

impl Exporter {
    /// Creates an exporter of all leads and all fields.
    ///
    /// ```
    /// # use leadapi_import::Exporter;
    /// # async fn example(client: leadapi_client::Client) -> Result<(), leadapi_core::BoxError> {
    /// Exporter::new(client).write(std::fs::File::create("leads.csv")?).await?;
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn new(client: Client) -> Self {
        Self {
            client,
            query: LeadQuery::new(),
            columns: LEAD_FIELDS.to_vec(),
            delimiter: Delimiter::Comma,
            notation: Notation::Plain,
            has_byte_order_mark: false,
            raw: false,
            on_progress: None,
        }
    }

    /// Sets the filters. The window of the query is ignored.
    ///
    /// ```
    /// # use leadapi_import::Exporter;
    /// use leadapi_client::model::LeadQuery;
    /// # fn example(client: leadapi_client::Client) -> Result<Exporter, leadapi_core::BoxError> {
    /// let exporter = Exporter::new(client).query(LeadQuery::new().client("casa-verde".parse()?));
    /// # Ok(exporter) }
    /// ```
    #[must_use]
    pub fn query(mut self, query: LeadQuery) -> Self {
        self.query = query;
        self
    }

    /// Sets the columns. The default is all fields.
    ///
    /// ```
    /// # use leadapi_import::Exporter;
    /// use leadapi_core::validate::LEAD_FIELDS;
    /// # fn example(client: leadapi_client::Client) -> Exporter {
    /// // The fields of lists, which need no request per lead.
    /// Exporter::new(client).columns(LEAD_FIELDS.into_iter().filter(|field| field.is_in_list()).collect())
    /// # }
    /// ```
    #[must_use]
    pub fn columns(mut self, columns: Vec<LeadField>) -> Self {
        self.columns = columns;
        self
    }

    /// Sets the delimiter. The default is a comma.
    ///
    /// ```
    /// # use leadapi_import::{Delimiter, Exporter};
    /// # fn example(client: leadapi_client::Client) -> Exporter {
    /// Exporter::new(client).delimiter(Delimiter::Semicolon)
    /// # }
    /// ```
    #[must_use]
    pub const fn delimiter(mut self, delimiter: Delimiter) -> Self {
        self.delimiter = delimiter;
        self
    }

    /// Sets the notation of amounts. The default has a decimal point. The export never groups digits.
    ///
    /// ```
    /// # use leadapi_import::{Exporter, Notation};
    /// # fn example(client: leadapi_client::Client) -> Exporter {
    /// Exporter::new(client).notation(Notation::DecimalComma)
    /// # }
    /// ```
    #[must_use]
    pub const fn notation(mut self, notation: Notation) -> Self {
        self.notation = notation;
        self
    }

    /// Sets whether to start the file with a byte order mark, which Excel needs to recognize UTF-8.
    ///
    /// ```
    /// # use leadapi_import::Exporter;
    /// # fn example(client: leadapi_client::Client) -> Exporter {
    /// Exporter::new(client).byte_order_mark(true)
    /// # }
    /// ```
    #[must_use]
    pub const fn byte_order_mark(mut self, has_byte_order_mark: bool) -> Self {
        self.has_byte_order_mark = has_byte_order_mark;
        self
    }

    /// Sets whether to write text unchanged, even if a spreadsheet would evaluate it.
    ///
    /// ```
    /// # use leadapi_import::Exporter;
    /// # fn example(client: leadapi_client::Client) -> Exporter {
    /// Exporter::new(client).raw(true)
    /// # }
    /// ```
    #[must_use]
    pub const fn raw(mut self, raw: bool) -> Self {
        self.raw = raw;
        self
    }

    /// Sets a callback that is called after each lead, with the number of leads written so far and the number of all
    /// leads.
    ///
    /// ```
    /// # use leadapi_import::Exporter;
    /// # fn example(client: leadapi_client::Client) -> Exporter {
    /// Exporter::new(client).on_progress(|done, all| eprint!("\r{done} of {all} leads"))
    /// # }
    /// ```
    #[must_use]
    pub fn on_progress(mut self, callback: impl Fn(u64, u64) + Send + Sync + 'static) -> Self {
        self.on_progress = Some(Box::new(callback));
        self
    }

    /// Writes the leads and returns their number. Writes without yielding to the runtime.
    ///
    /// ```
    /// # use leadapi_import::Exporter;
    /// # async fn example(client: leadapi_client::Client) -> Result<(), leadapi_core::BoxError> {
    /// let leads = Exporter::new(client).write(std::io::stdout()).await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`ExportError`] if the leads cannot be read or written. The output is then incomplete.
    pub async fn write(&self, mut to: impl Write) -> Result<u64, ExportError> {
        let needs_whole_leads = !self.columns.iter().all(|column| column.is_in_list());
        if self.has_byte_order_mark {
            to.write_all("\u{feff}".as_bytes())?;
        }
        let mut writer = csv::WriterBuilder::new().delimiter(self.delimiter.byte()).from_writer(to);
        writer.write_record(self.columns.iter().map(|column| column.name())).map_err(write_error)?;
        let mut pages = self.client.leads().list_all(self.query.clone()).pages();
        let (mut read, mut written) = (0, 0);
        while let Some(page) = pages.try_next().await? {
            let all = pages.total().unwrap_or_default();
            let leads = stream::iter(page).map(|lead| whole(&self.client, lead, needs_whole_leads));
            let mut leads = leads.buffered(CONCURRENT);
            while let Some(lead) = leads.try_next().await? {
                read += 1;
                if let Some(on_progress) = &self.on_progress {
                    on_progress(read, all);
                }
                // `None` means that the lead was deleted after its page was read.
                let Some(lead) = lead else { continue };
                let cells =
                    self.columns.iter().map(|column| self.cell(lead.get(column.name()).unwrap_or(&Value::Null)));
                let cells = cells.map(|cell| if self.raw { cell } else { formula::escape(cell) });
                writer.write_record(cells.map(String::into_bytes)).map_err(write_error)?;
                written += 1;
            }
        }
        writer.flush()?;
        Ok(written)
    }

    /// Returns the text of a cell. In a lead, only amounts are numbers.
    fn cell(&self, value: &Value) -> String {
        match value.as_f64().filter(|_| self.notation.has_decimal_comma()) {
            Some(number) => with_decimal_comma(number),
            None => field::cell(value),
        }
    }
}

impl fmt::Debug for Exporter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exporter").field("query", &self.query).finish_non_exhaustive()
    }
}

fn write_error(error: csv::Error) -> ExportError {
    ExportError::Write(error.into())
}

/// The maximum number of concurrent requests for single leads.
const CONCURRENT: usize = 8;

/// Returns a lead as JSON, with all its fields if they are needed. Returns `None` if the lead no longer exists.
async fn whole(client: &Client, item: LeadItem, needs_all: bool) -> Result<Option<Value>, leadapi_client::Error> {
    if !needs_all {
        return Ok(serde_json::to_value(item).ok());
    }
    match client.leads().get(&item.id).await {
        Ok(lead) => Ok(serde_json::to_value(lead).ok()),
        Err(error) if error.is_not_found() => Ok(None),
        Err(error) => Err(error),
    }
}
