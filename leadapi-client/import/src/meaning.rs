//! The meaning of the titles of a file.

use csv::StringRecord;

use crate::{
    error::FileProblem,
    field::{self, ColumnTarget},
    options::ReadOptions,
    profile::{self, Meaning, Profile, ProfileChoice},
};

/// The meaning of a column.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Column {
    /// The options map the column, or its title is the name of a field.
    Mapped(ColumnTarget),
    /// The profile, or the list of usual titles, maps the column. If several columns have the same target, the first
    /// one with text fills it.
    Usual(ColumnTarget),
    /// The text becomes a line of the notes, with the title.
    Answer,
    Ignored,
    /// The title is empty.
    Untitled,
    Unknown,
}

impl Column {
    pub(crate) fn target(self) -> Option<ColumnTarget> {
        match self {
            Self::Mapped(target) | Self::Usual(target) => Some(target),
            Self::Answer => field::notes(),
            Self::Ignored | Self::Untitled | Self::Unknown => None,
        }
    }
}

/// Returns the meaning of each column.
pub(crate) fn of(
    options: &ReadOptions,
    profile: Option<Profile>,
    header: &StringRecord,
) -> Result<Vec<Column>, FileProblem> {
    let mut explicit: Vec<Option<Column>> = vec![None; header.len()];
    for (title, target) in &options.mappings {
        for position in positions(title, target.as_ref(), header)? {
            if let Some(column) = explicit.get_mut(position) {
                column.get_or_insert(target.map_or(Column::Ignored, Column::Mapped));
            }
        }
    }
    let taken = |target: ColumnTarget| {
        let targets = explicit.iter().flatten().filter_map(|column| column.target());
        target.name() != "notes" && targets.into_iter().any(|other| other.name() == target.name())
    };
    let implicit = |title: &str| match column(options, profile, title.trim()) {
        Column::Usual(target) if taken(target) && profile.is_some() => Column::Answer,
        Column::Mapped(target) | Column::Usual(target)
            if taken(target) && options.profile != ProfileChoice::FieldNames =>
        {
            Column::Unknown
        }
        column => column,
    };
    Ok(explicit.iter().zip(header).map(|(column, title)| column.unwrap_or_else(|| implicit(title))).collect())
}

/// Returns the number of columns with a known meaning.
pub(crate) fn known(options: &ReadOptions, header: &StringRecord) -> usize {
    let profile = options.profile_of(header);
    let is_mapped = |title: &str| options.mappings.iter().any(|(mapped, _)| mapped == title);
    let is_known = |title: &&str| match column(options, profile, title.trim()) {
        Column::Unknown | Column::Untitled => is_mapped(title.trim()),
        _ => true,
    };
    header.iter().filter(is_known).count()
}

/// Returns the meaning of a title that the options do not map.
fn column(options: &ReadOptions, profile: Option<Profile>, title: &str) -> Column {
    if field::REFUSED_COLUMNS.contains(&title) {
        return Column::Ignored;
    }
    let is_field = field::titled(title).is_some_and(|field| field.is_writable() && field::is_name(field, title));
    match profile.map(|profile| profile.meaning(title)) {
        Some(Meaning::Target(target)) => return Column::Usual(target),
        Some(Meaning::Answer) if !is_field && !title.is_empty() => return Column::Answer,
        _ => {}
    }
    let has_client = options.client.is_some() && options.profile != ProfileChoice::FieldNames;
    match field::titled(title) {
        // A column with the title `Client` is usually a company.
        Some(field) if has_client && field.name() == "client_id" && !field::is_name(field, title) => {}
        Some(field) if profile.is_some() && !field::is_name(field, title) => {}
        Some(field) if field.is_writable() => return Column::Mapped(ColumnTarget::Field(field)),
        Some(_) => return Column::Ignored,
        None => {}
    }
    let usual = || profile::usual(title).filter(|_| options.profile == ProfileChoice::Detect);
    match (profile, usual()) {
        (Some(_), _) => Column::Ignored,
        (None, Some(target)) => Column::Usual(target),
        (None, None) if title.is_empty() && options.profile != ProfileChoice::FieldNames => Column::Untitled,
        (None, None) => Column::Unknown,
    }
}

/// Returns the positions of the columns that `title` stands for: all columns with this title, one of several columns
/// with the same title (`Phone#2`), or the column with this number (`#5`).
fn positions(title: &str, target: Option<&ColumnTarget>, header: &StringRecord) -> Result<Vec<usize>, FileProblem> {
    let titled = |wanted: &str| -> Vec<usize> {
        let columns = header.iter().enumerate().filter(|(_, title)| title.trim() == wanted);
        columns.map(|(position, _)| position).collect()
    };
    let found = titled(title);
    let is_single = target.is_some_and(|target| target.name() != "notes");
    if found.len() > 1 && is_single {
        return Err(FileProblem::SameTitle { title: title.to_owned() });
    }
    if !found.is_empty() {
        return Ok(found);
    }
    let missing = || FileProblem::NoSuchColumn { title: title.to_owned() };
    let (base, number) = title.rsplit_once('#').ok_or_else(missing)?;
    let number = number.parse::<usize>().ok().and_then(|number| number.checked_sub(1)).ok_or_else(missing)?;
    let position = match base.trim() {
        // The columns that an import put before the original ones do not count.
        "" => {
            let original = header.iter().enumerate().filter(|(_, title)| !field::REFUSED_COLUMNS.contains(title));
            original.map(|(position, _)| position).nth(number)
        }
        base => titled(base).get(number).copied(),
    };
    Ok(vec![position.ok_or_else(missing)?])
}
