//! The mapping that an import used, as the journal records it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The fields that the columns of a file become, and the options that change the leads of its rows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Mapping {
    /// The name of the field of each column by its title, or `None` for an ignored column.
    pub(crate) fields: BTreeMap<String, Option<String>>,
    /// The id of the client account, if the options name it for all rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) client: Option<String>,
    /// The titles of the columns whose order in the file changes a lead, in this order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) order: Vec<String>,
    /// The encoding, if the file has text that is not ASCII.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) encoding: Option<String>,
    /// Whether amounts have a decimal comma, if the file has an amount with a separator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) decimal_comma: Option<bool>,
    #[serde(default)]
    pub(crate) raw: bool,
    #[serde(default)]
    pub(crate) stand_in_names: bool,
    #[serde(default)]
    pub(crate) empty: Vec<String>,
}

/// Stands for the field `notes` if the text of the column gets its title.
pub(crate) const TITLED_NOTES: &str = "notes with title";

impl Mapping {
    /// Returns whether rows with the same text would create different leads than with an earlier mapping. Columns that
    /// only one of the two files has do not matter, because the rows of the two files then differ in their text.
    pub(crate) fn contradicts(&self, earlier: &Self) -> bool {
        let differs = |(title, field): (&String, _)| earlier.fields.get(title).is_some_and(|other| other != field);
        self.fields.iter().any(differs)
            || common(&self.order, &earlier.order).ne(common(&earlier.order, &self.order))
            || differ(self.encoding.as_ref(), earlier.encoding.as_ref())
            || differ(self.decimal_comma, earlier.decimal_comma)
            || (self.raw, self.stand_in_names, &self.empty) != (earlier.raw, earlier.stand_in_names, &earlier.empty)
    }

    /// Adds what an earlier mapping, which this one does not contradict, states about other columns and other text.
    pub(crate) fn extend(&mut self, earlier: &Self) {
        for (title, field) in &earlier.fields {
            self.fields.entry(title.clone()).or_insert_with(|| field.clone());
        }
        let others: Vec<_> = earlier.order.iter().filter(|title| !self.order.contains(title)).cloned().collect();
        self.order.extend(others);
        self.client = self.client.take().or_else(|| earlier.client.clone());
        self.encoding = self.encoding.take().or_else(|| earlier.encoding.clone());
        self.decimal_comma = self.decimal_comma.or(earlier.decimal_comma);
    }
}

/// Returns the titles that are also in `other`.
fn common<'t>(titles: &'t [String], other: &[String]) -> impl Iterator<Item = &'t String> {
    titles.iter().filter(move |title| other.contains(title))
}

/// Returns whether two values are known and differ.
fn differ<T: PartialEq>(one: Option<T>, other: Option<T>) -> bool {
    one.zip(other).is_some_and(|(one, other)| one != other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_column_of_both_files_can_contradict() {
        let mapping = |fields: &[(&str, Option<&str>)]| Mapping {
            fields: fields.iter().map(|(title, field)| ((*title).to_owned(), field.map(str::to_owned))).collect(),
            ..Mapping::default()
        };
        let earlier = mapping(&[("Name", Some("name")), ("No.", None)]);
        for (fields, contradicts) in [
            (&[("Name", Some("name")), ("Mail", Some("email"))][..], false),
            (&[("Name", Some("name"))], false),
            (&[("Name", Some("business_name"))], true),
            (&[("Name", Some("name")), ("No.", Some("notes"))], true),
        ] {
            assert_eq!(mapping(fields).contradicts(&earlier), contradicts, "{fields:?}");
        }
        let with_comma = Mapping { decimal_comma: Some(true), ..earlier.clone() };
        let with_point = Mapping { decimal_comma: Some(false), ..earlier.clone() };
        assert!(with_comma.contradicts(&with_point) && !with_comma.contradicts(&earlier));
        assert!(Mapping { raw: true, ..earlier.clone() }.contradicts(&earlier));
    }
}
