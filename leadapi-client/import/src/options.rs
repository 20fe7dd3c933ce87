//! The options for reading a file.

use csv::StringRecord;
use leadapi_core::id::ClientId;

use crate::{
    amounts::Notation,
    delimiter::Delimiter,
    field::{self, ColumnTarget},
};

/// The meaning of a column.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Column {
    Mapped(ColumnTarget),
    Ignored,
    Unknown,
}

impl Column {
    pub(crate) const fn target(self) -> Option<ColumnTarget> {
        if let Self::Mapped(target) = self { Some(target) } else { None }
    }
}

/// The options for reading a CSV file: the fields that columns are mapped to, and the notation of cells.
///
/// A column is mapped to the field with the same name. Case, spaces, hyphens, underscores and a missing `id` suffix do
/// not matter: `E-Mail` is the field `email`, and `Stage` is `stage_id`.
///
/// ```
/// use leadapi_import::{ColumnTarget, ReadOptions};
///
/// let options = ReadOptions::default().client("casa-verde".parse()?).map("Company", "notes".parse()?).ignore("No.");
/// # drop(options);
/// # Ok::<(), leadapi_core::BoxError>(())
/// ```
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
#[expect(clippy::struct_excessive_bools, reason = "each one is an independent option")]
pub struct ReadOptions {
    /// The client account of rows without a `client_id`.
    pub client: Option<ClientId>,
    /// The titles of columns whose names differ from their fields, each with the target of the column, or `None` to
    /// ignore the column.
    pub mappings: Vec<(String, Option<ColumnTarget>)>,
    /// Whether to ignore columns that are not fields of a lead. Otherwise, they are an error.
    pub ignore_unknown: bool,
    /// Whether to use the business name, the email address or the phone number as the name of a row without a name.
    /// Otherwise, such a row is refused.
    pub stand_in_names: bool,
    /// The notation of amounts. Amounts in any other notation are refused.
    pub notation: Notation,
    /// Whether to keep a leading ' that marks text that looks like a formula. Otherwise, it is removed.
    pub raw: bool,
    /// The delimiter of fields. The default is the delimiter with which the header matches the most fields.
    pub delimiter: Option<Delimiter>,
    /// Whether to accept a quoted cell of several lines even if each line looks like a row.
    ///
    /// If not, a file with such a cell is an error, because two misplaced quotes can turn all rows between them into
    /// the text of one cell.
    pub multiline: bool,
}

impl ReadOptions {
    /// Sets the client account of rows without a `client_id`.
    ///
    /// ```
    /// let options = leadapi_import::ReadOptions::default().client("casa-verde".parse()?);
    /// assert!(options.client.is_some());
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// ```
    #[must_use]
    pub fn client(mut self, client: ClientId) -> Self {
        self.client = Some(client);
        self
    }

    /// Uses a column for a field. Several columns can be mapped to `notes`: each one becomes a line, such as
    /// `Company: Sol`.
    ///
    /// ```
    /// let options = leadapi_import::ReadOptions::default().map("Given name", "first_name".parse()?);
    /// assert_eq!(options.mappings.len(), 1);
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// ```
    #[must_use]
    pub fn map(mut self, title: impl Into<String>, target: ColumnTarget) -> Self {
        self.mappings.push((title.into(), Some(target)));
        self
    }

    /// Ignores a column.
    ///
    /// ```
    /// let options = leadapi_import::ReadOptions::default().ignore("No.");
    /// assert_eq!(options.mappings.len(), 1);
    /// ```
    #[must_use]
    pub fn ignore(mut self, title: impl Into<String>) -> Self {
        self.mappings.push((title.into(), None));
        self
    }

    /// Sets whether to ignore columns that are not fields of a lead.
    ///
    /// ```
    /// assert!(leadapi_import::ReadOptions::default().ignore_unknown(true).ignore_unknown);
    /// ```
    #[must_use]
    pub const fn ignore_unknown(mut self, ignore: bool) -> Self {
        self.ignore_unknown = ignore;
        self
    }

    /// Sets whether another field can stand in for a missing name.
    ///
    /// ```
    /// assert!(leadapi_import::ReadOptions::default().stand_in_names(true).stand_in_names);
    /// ```
    #[must_use]
    pub const fn stand_in_names(mut self, stand_in: bool) -> Self {
        self.stand_in_names = stand_in;
        self
    }

    /// Sets the notation of amounts.
    ///
    /// ```
    /// use leadapi_import::{Notation, ReadOptions};
    /// assert_eq!(ReadOptions::default().notation(Notation::DecimalComma).notation, Notation::DecimalComma);
    /// ```
    #[must_use]
    pub const fn notation(mut self, notation: Notation) -> Self {
        self.notation = notation;
        self
    }

    /// Sets whether to keep a leading ' that marks text that looks like a formula.
    ///
    /// ```
    /// assert!(leadapi_import::ReadOptions::default().raw(true).raw);
    /// ```
    #[must_use]
    pub const fn raw(mut self, raw: bool) -> Self {
        self.raw = raw;
        self
    }

    /// Sets the delimiter of fields.
    ///
    /// ```
    /// use leadapi_import::{Delimiter, ReadOptions};
    /// assert_eq!(ReadOptions::default().delimiter(Delimiter::Tab).delimiter, Some(Delimiter::Tab));
    /// ```
    #[must_use]
    pub const fn delimiter(mut self, delimiter: Delimiter) -> Self {
        self.delimiter = Some(delimiter);
        self
    }

    /// Sets whether to accept a quoted cell of several lines even if each line looks like a row.
    ///
    /// ```
    /// assert!(leadapi_import::ReadOptions::default().multiline(true).multiline);
    /// ```
    #[must_use]
    pub const fn multiline(mut self, multiline: bool) -> Self {
        self.multiline = multiline;
        self
    }

    /// Returns the number of columns with a known meaning.
    pub(crate) fn known(&self, header: &StringRecord) -> usize {
        header.iter().filter(|title| !matches!(self.column(title), Column::Unknown)).count()
    }

    /// Returns the meaning of a column.
    pub(crate) fn column(&self, title: &str) -> Column {
        let title = title.trim();
        let mapped = self.mappings.iter().find(|(mapped, _)| mapped == title);
        match (mapped, field::titled(title)) {
            (Some((_, Some(target))), _) => Column::Mapped(*target),
            (None, Some(field)) if field.is_writable() => Column::Mapped(ColumnTarget::Field(field)),
            (None, None) if !field::REFUSED_COLUMNS.contains(&title) => Column::Unknown,
            // The options ignore the column, only the service sets its field, or an earlier import added the column.
            _ => Column::Ignored,
        }
    }
}
