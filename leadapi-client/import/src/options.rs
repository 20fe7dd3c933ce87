//! The options for reading a file.

use csv::StringRecord;

use crate::{
    amounts::Notation,
    delimiter::Delimiter,
    encoding::Encoding,
    field::ColumnTarget,
    profile::{Profile, ProfileChoice},
};

/// The options for reading a CSV file: the fields that columns are mapped to, and the notation of cells.
///
/// A column is mapped to the field with the same name. Case, spaces, hyphens, underscores and a missing `id` suffix do
/// not matter: `E-Mail` is the field `email`, and `Stage` is `stage_id`. The titles of the exports of several products,
/// and others that are usual in spreadsheets, are known too ([`Profile`]).
///
/// ```
/// use leadapi_import::{ColumnTarget, ReadOptions};
///
/// let options = ReadOptions::default().client("casa-verde").map("Company", "notes".parse()?).ignore("No.");
/// # drop(options);
/// # Ok::<(), leadapi_core::BoxError>(())
/// ```
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
#[expect(clippy::struct_excessive_bools, reason = "each one is an independent option")]
pub struct ReadOptions {
    /// The id or the name of the client account of rows without a `client_id`.
    pub client: Option<String>,
    /// The titles of columns whose names differ from their fields, each with the target of the column, or `None` to
    /// ignore the column. `Phone#2` is the second column with the title `Phone`, and `#2` is the second column.
    pub mappings: Vec<(String, Option<ColumnTarget>)>,
    /// Whether to ignore columns that are not fields of a lead. Otherwise, they are an error.
    pub ignore_unknown: bool,
    /// Whether to use the business name, the email address or the phone number as the name of a row without a name.
    /// Otherwise, such a row is refused.
    pub stand_in_names: bool,
    /// The notation of amounts. Amounts in any other notation are refused. By default, the amounts of the file show it.
    pub notation: Option<Notation>,
    /// Whether to keep a leading ' that marks text that looks like a formula. Otherwise, it is removed.
    pub raw: bool,
    /// The delimiter of fields. The default is the delimiter with which the header matches the most fields.
    pub delimiter: Option<Delimiter>,
    /// Whether to accept a quoted cell of several lines even if each line looks like a row.
    ///
    /// If not, a file with such a cell is an error, because two misplaced quotes can turn all rows between them into
    /// the text of one cell.
    pub multiline: bool,
    /// The encoding of a file without a byte order mark. The default is UTF-8, or UTF-16 if the file looks like it.
    pub encoding: Option<Encoding>,
    /// The number of lines, or rows of a worksheet, before the header. Blank rows before it need no option.
    pub skip_lines: u64,
    /// The worksheet of an Excel workbook. The default is the only visible one with cells.
    pub sheet: Option<String>,
    /// The way to understand titles that are not mapped.
    pub profile: ProfileChoice,
    /// Texts that stand for an empty cell, such as `N/A`. Case does not matter.
    pub empty: Vec<String>,
}

impl ReadOptions {
    /// Sets the client account of rows without a `client_id`, by its id or its name.
    ///
    /// ```
    /// let options = leadapi_import::ReadOptions::default().client("Casa Verde");
    /// assert!(options.client.is_some());
    /// ```
    #[must_use]
    pub fn client(mut self, client: impl Into<String>) -> Self {
        self.client = Some(client.into());
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
    /// assert_eq!(ReadOptions::default().notation(Notation::DecimalComma).notation, Some(Notation::DecimalComma));
    /// ```
    #[must_use]
    pub const fn notation(mut self, notation: Notation) -> Self {
        self.notation = Some(notation);
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

    /// Sets the encoding of a file without a byte order mark.
    ///
    /// ```
    /// let options = leadapi_import::ReadOptions::default().encoding("windows-1252".parse()?);
    /// assert!(options.encoding.is_some());
    /// # Ok::<(), leadapi_import::UnknownEncoding>(())
    /// ```
    #[must_use]
    pub const fn encoding(mut self, encoding: Encoding) -> Self {
        self.encoding = Some(encoding);
        self
    }

    /// Sets the number of lines, or rows of a worksheet, before the header.
    ///
    /// ```
    /// assert_eq!(leadapi_import::ReadOptions::default().skip_lines(3).skip_lines, 3);
    /// ```
    #[must_use]
    pub const fn skip_lines(mut self, lines: u64) -> Self {
        self.skip_lines = lines;
        self
    }

    /// Sets the worksheet of an Excel workbook.
    ///
    /// ```
    /// assert_eq!(leadapi_import::ReadOptions::default().sheet("Leads").sheet.as_deref(), Some("Leads"));
    /// ```
    #[must_use]
    pub fn sheet(mut self, name: impl Into<String>) -> Self {
        self.sheet = Some(name.into());
        self
    }

    /// Sets the way to understand titles that are not mapped.
    ///
    /// ```
    /// use leadapi_import::{Profile, ProfileChoice, ReadOptions};
    /// let options = ReadOptions::default().profile(ProfileChoice::Named(Profile::HubSpot));
    /// assert_ne!(options.profile, ProfileChoice::Detect);
    /// ```
    #[must_use]
    pub const fn profile(mut self, profile: ProfileChoice) -> Self {
        self.profile = profile;
        self
    }

    /// Adds a text that stands for an empty cell.
    ///
    /// ```
    /// assert_eq!(leadapi_import::ReadOptions::default().empty("N/A").empty("-").empty.len(), 2);
    /// ```
    #[must_use]
    pub fn empty(mut self, text: impl Into<String>) -> Self {
        self.empty.push(text.into());
        self
    }

    /// Returns the product whose export has these titles, unless the options name the profile.
    pub(crate) fn profile_of(&self, header: &StringRecord) -> Option<Profile> {
        match self.profile {
            ProfileChoice::Detect => Profile::recognize(header.iter()),
            ProfileChoice::Named(profile) => Some(profile),
            ProfileChoice::FieldNames => None,
        }
    }
}
