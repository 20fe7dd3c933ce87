//! The header of a file, which also shows the delimiter.

use std::slice;

use csv::StringRecord;

use crate::{
    delimiter::Delimiter,
    error::{FileProblem, ImportError},
    meaning,
    options::ReadOptions,
    source::Source,
};

/// The number of rows at the start of a file that can be titles.
const TITLE_ROWS: usize = 12;

/// Reads the header with each possible delimiter, and returns the delimiter with which it matches the most fields.
pub(crate) fn read(source: &Source, options: &ReadOptions) -> Result<(Delimiter, StringRecord), ImportError> {
    let (mut best, mut failure, mut later) = (None::<(usize, Delimiter, StringRecord)>, None, None);
    let given = options.delimiter.or(source.named_delimiter);
    for delimiter in given.as_ref().map_or(&Delimiter::ALL[..], slice::from_ref) {
        let mut records = match source.first(*delimiter, TITLE_ROWS) {
            Ok(records) => records.into_iter(),
            // With a wrong delimiter, the quotes of a valid header can look misplaced, so the next delimiter is tried.
            Err(error) => {
                failure.get_or_insert(error);
                continue;
            }
        };
        let header = records.next().map(|record| record.fields).unwrap_or_default();
        let header: StringRecord = header.iter().map(|title| source.unmarked(title)).collect();
        let known = meaning::known(options, &header);
        if best.as_ref().is_none_or(|(most, ..)| known > *most) {
            best = Some((known, *delimiter, header));
        }
        later = later
            .or_else(|| records.find(|record| meaning::known(options, &record.fields) > 1).map(|record| record.line));
    }
    match (best, failure, later) {
        (Some((0, ..)), _, Some(line)) => Err(source.error(FileProblem::TitleRows { line })),
        (Some((_, delimiter, header)), ..) if !header.is_empty() => Ok((delimiter, header)),
        (_, Some(failure), _) => Err(failure),
        _ => Err(source.error(FileProblem::Empty)),
    }
}
