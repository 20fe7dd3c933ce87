//! The input file. Maps its columns to fields and its rows to leads.

use std::path::{Path, PathBuf};

use csv::{ByteRecord, ReaderBuilder};
use leadapi_client::{id::ClientId, model::NewLead};
use leadapi_core::BoxError;

use crate::refused::OURS;

/// A CSV file whose header has been read.
pub(crate) struct Sheet {
    path: PathBuf,
    delimiter: u8,
    header: ByteRecord,
    columns: Vec<Option<Field>>,
    account: Option<ClientId>,
}

/// A row of the file.
pub(crate) struct Row {
    /// The row number, starting at 1 and not counting the header. It identifies the row across runs.
    pub(crate) number: u64,
    /// The checksum, which detects a row that has changed since the last run.
    pub(crate) checksum: u32,
    /// The fields exactly as in the file.
    pub(crate) record: ByteRecord,
    /// The reason why the row is not a valid lead. `new` is then empty, so validation rejects it before it is sent.
    pub(crate) fault: Option<String>,
    pub(crate) new: NewLead,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Account,
    Name,
    Email,
    Phone,
    Source,
    Notes,
    Value,
    Pipeline,
    Stage,
    BusinessName,
}

impl Sheet {
    pub(crate) fn open(path: &Path, delimiter: char, account: Option<&ClientId>) -> Result<Self, BoxError> {
        let delimiter = u8::try_from(delimiter).map_err(|_| "the delimiter must be an ASCII character")?;
        let header = reader(path, delimiter)?.byte_headers()?.clone();
        let columns: Vec<_> = header.iter().map(|title| Field::titled(&String::from_utf8_lossy(title))).collect();
        for (at, field) in columns.iter().enumerate() {
            if field.is_some() && columns.iter().skip(at + 1).any(|other| other == field) {
                return Err(format!("two columns map to the field {field:?}").into());
            }
        }
        if !columns.contains(&Some(Field::Name)) {
            return Err("the column `name` is missing: check the header row and --delimiter".into());
        }
        if account.is_none() && !columns.contains(&Some(Field::Account)) {
            return Err("no client account: use --client ID or a column client_id".into());
        }
        Ok(Self { path: path.to_owned(), delimiter, header, columns, account: account.cloned() })
    }

    pub(crate) const fn header(&self) -> &ByteRecord {
        &self.header
    }

    /// Returns whether the rows specify their own client accounts.
    pub(crate) fn has_accounts(&self) -> bool {
        self.columns.contains(&Some(Field::Account))
    }

    /// Returns the columns that match no field of a lead, except the columns that an earlier import added.
    pub(crate) fn unused(&self) -> Vec<String> {
        let titles = self.header.iter().zip(&self.columns);
        let titles = titles.filter(|(title, field)| field.is_none() && !OURS.contains(title));
        titles.map(|(title, _)| String::from_utf8_lossy(title).into_owned()).collect()
    }

    pub(crate) fn count_rows(&self) -> Result<u64, BoxError> {
        let (mut reader, mut record, mut rows) = (reader(&self.path, self.delimiter)?, ByteRecord::new(), 0);
        while reader.read_byte_record(&mut record)? {
            rows += 1;
        }
        Ok(rows)
    }

    /// Reads the rows lazily.
    pub(crate) fn rows(&self) -> Result<impl Iterator<Item = Row> + Send, BoxError> {
        let records = reader(&self.path, self.delimiter)?.into_byte_records();
        Ok((1..).zip(records).map(|(number, record)| match record {
            Ok(record) => self.row(number, record),
            Err(error) => Row::unread(number, ByteRecord::new(), error.to_string()),
        }))
    }

    fn row(&self, number: u64, record: ByteRecord) -> Row {
        match self.lead(&record) {
            Ok(new) => Row { number, checksum: checksum(&record), record, fault: None, new },
            Err(fault) => Row::unread(number, record, fault),
        }
    }

    fn lead(&self, record: &ByteRecord) -> Result<NewLead, String> {
        if record.len() != self.header.len() {
            return Err(format!("the row has {} fields, and the header has {}", record.len(), self.header.len()));
        }
        let mut new = NewLead::default();
        new.client_id = self.account.as_ref().map(ToString::to_string);
        for (text, field) in record.iter().zip(&self.columns) {
            let Some(field) = *field else { continue };
            let text = std::str::from_utf8(text).map_err(|_| format!("{field:?} is not UTF-8"))?;
            if text.trim().is_empty() {
                continue;
            }
            let text = text.to_owned();
            match field {
                Field::Account => new.client_id = Some(text.trim().to_owned()),
                Field::Name => new.name = Some(text),
                Field::Email => new.email = Some(text),
                Field::Phone => new.phone = Some(text),
                Field::Source => new.source = Some(text),
                Field::Notes => new.notes = Some(text),
                Field::Value => new.value = Some(number(&text)?),
                Field::Pipeline => new.pipeline_id = Some(text.trim().to_owned()),
                Field::Stage => new.stage_id = Some(text.trim().to_owned()),
                Field::BusinessName => new.business_name = Some(text),
            }
        }
        Ok(new)
    }
}

impl Row {
    fn unread(number: u64, record: ByteRecord, fault: String) -> Self {
        Self { number, checksum: checksum(&record), record, fault: Some(fault), new: NewLead::default() }
    }
}

impl AsRef<NewLead> for Row {
    fn as_ref(&self) -> &NewLead {
        &self.new
    }
}

impl Field {
    fn titled(title: &str) -> Option<Self> {
        Some(match title.trim().to_lowercase().replace([' ', '-'], "_").as_str() {
            "client_id" => Self::Account,
            "name" => Self::Name,
            "email" | "e_mail" => Self::Email,
            "phone" => Self::Phone,
            "source" => Self::Source,
            "notes" => Self::Notes,
            "value" => Self::Value,
            "pipeline" | "pipeline_id" => Self::Pipeline,
            "stage" | "stage_id" => Self::Stage,
            "business_name" => Self::BusinessName,
            _ => return None,
        })
    }
}

/// Opens a reader that accepts any number of fields per row. `lead` rejects a row with the wrong number of fields, and
/// the import continues with the next row.
fn reader(path: &Path, delimiter: u8) -> Result<csv::Reader<std::fs::File>, BoxError> {
    let reader = ReaderBuilder::new().delimiter(delimiter).flexible(true).from_path(path);
    reader.map_err(|error| format!("{} cannot be read: {error}", path.display()).into())
}

/// Parses a number. Rejects commas, because the meaning of 1,234 depends on the country.
fn number(text: &str) -> Result<f64, String> {
    text.trim().parse().map_err(|_| format!("value must be a number such as 450 or 1234.5, not {text:?}"))
}

fn checksum(record: &ByteRecord) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    for field in record {
        hasher.update(field);
        // UTF-8 text never contains this byte, so it separates the fields unambiguously.
        hasher.update(&[0xff]);
    }
    hasher.finalize()
}
