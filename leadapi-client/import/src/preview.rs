//! The findings of a dry run in each column.

use std::{
    cell::LazyCell,
    collections::{HashSet, hash_map::RandomState},
    hash::BuildHasher,
};

use leadapi_core::validate::email_key;

use crate::{
    csv_file::CsvFile,
    field,
    report::{ColumnPreview, RefusedRow},
    row::Row,
};

/// The number of samples of each column.
const SAMPLES: usize = 3;

/// Collects the findings of a dry run.
pub(crate) struct Preview<'f> {
    file: &'f CsvFile,
    columns: Vec<ColumnPreview>,
    problems: Vec<RefusedRow>,
    duplicates: u64,
    hasher: RandomState,
    /// The hashes of the e-mail addresses and phone numbers. A set of texts would need too much memory.
    seen: HashSet<u64>,
}

impl<'f> Preview<'f> {
    pub(crate) fn new(file: &'f CsvFile) -> Self {
        let column = |(title, field): (&str, _)| ColumnPreview {
            title: title.to_owned(),
            field,
            samples: Vec::new(),
            refused: 0,
        };
        let columns = file.columns().map(column).collect();
        let (hasher, seen) = (RandomState::new(), HashSet::new());
        Self { file, columns, problems: Vec::new(), duplicates: 0, hasher, seen }
    }

    pub(crate) fn accepted(&mut self, row: &Row) {
        let new = LazyCell::new(|| serde_json::to_value(&row.new).unwrap_or_default());
        let mut filled = Vec::new();
        for (column, cell) in self.columns.iter_mut().zip(&row.record) {
            let before = self.file.columns.text(cell);
            let is_new = || column.samples.iter().all(|(sample, _)| sample != before);
            let Some(field) = column.field.filter(|_| !before.trim().is_empty()) else { continue };
            if column.samples.len() < SAMPLES && is_new() {
                let after = match new.get(field).map(field::cell) {
                    // Another column with this field has filled it.
                    Some(after) if filled.contains(&field) && after != before => format!("{}: {before}", column.title),
                    Some(after) if field != "notes" => after,
                    _ => before.to_owned(),
                };
                column.samples.push((before.to_owned(), after));
            }
            if field != "notes" {
                filled.push(field);
            }
        }
        let email = row.new.email.as_deref().map(|email| email_key(email.trim()));
        let phone = row.new.phone.as_deref().map(digits).filter(|digits| !digits.is_empty());
        let keys = [email, phone].into_iter().flatten().map(|key| self.hasher.hash_one(key));
        let repeated = keys.filter(|key| !self.seen.insert(*key)).count();
        self.duplicates += u64::from(repeated > 0);
    }

    pub(crate) fn refused(&mut self, row: &Row, reason: String) {
        let field = reason.split([' ', ':']).next().unwrap_or_default();
        if let Some(column) = self.columns.iter_mut().find(|column| column.field == Some(field)) {
            column.refused += 1;
        }
        self.problems.push(RefusedRow { line: row.line, reason });
    }

    /// Returns the refused rows, the columns, and the number of duplicates.
    pub(crate) fn finish(self) -> (Vec<RefusedRow>, Vec<ColumnPreview>, u64) {
        (self.problems, self.columns, self.duplicates)
    }
}

/// Returns the digits of a phone number, with `00` in place of a `+`.
fn digits(phone: &str) -> String {
    let phone = phone.trim().replace('+', "00");
    phone.chars().filter(char::is_ascii_digit).collect()
}
