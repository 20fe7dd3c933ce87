//! Names in the place of what is different in every run, each given at first sight and kept to.

use std::collections::{BTreeMap, BTreeSet};

/// What one value is called, whenever it comes.
#[derive(Debug)]
pub(super) struct Names {
    prefix: &'static str,
    known: BTreeMap<String, String>,
}

impl Names {
    pub(super) const fn new(prefix: &'static str) -> Self {
        Self { prefix, known: BTreeMap::new() }
    }

    pub(super) fn of(&mut self, value: &str) -> String {
        let next = self.known.len() + 1;
        self.known.entry(value.to_owned()).or_insert_with(|| format!("{}-{next}", self.prefix)).clone()
    }
}

/// The leads that were created while it was recorded: what the service calls them, and what the cassette does.
///
/// They are numbered in the order that lists have them in, and their moments follow those of the leads that were there
/// before. So a list that was in order is in order still, and a walk over it does not stumble.
#[derive(Debug, Default)]
pub(super) struct Created(BTreeMap<String, Numbered>);

#[derive(Debug)]
pub(super) struct Numbered {
    pub(super) id: String,
    pub(super) created_at: String,
}

impl Created {
    /// Of the moment and the id of each.
    pub(super) fn new(leads: BTreeSet<(String, String)>) -> Self {
        let numbered = leads.into_iter().zip(1_u32..).map(|((_, id), nth)| {
            let numbered = Numbered { id: format!("id-{nth}"), created_at: moment(nth) };
            (id, numbered)
        });
        Self(numbered.collect())
    }

    pub(super) fn get(&self, id: &str) -> Option<&Numbered> {
        self.0.get(id)
    }

    pub(super) fn rename(&self, text: &mut String) {
        if let Some(numbered) = self.get(text) {
            text.clone_from(&numbered.id);
        }
    }
}

/// A second for each, in a year that no real lead is of.
fn moment(nth: u32) -> String {
    let (day, hour, minute, second) = (nth / 86_400 % 28 + 1, nth / 3_600 % 24, nth / 60 % 60, nth % 60);
    format!("2100-01-{day:02}T{hour:02}:{minute:02}:{second:02}.000Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_given_at_first_sight() {
        let mut names = Names::new("key");
        assert_eq!(["b", "a", "b"].map(|value| names.of(value)), ["key-1", "key-2", "key-1"]);
    }

    #[test]
    fn created_leads_keep_their_order() {
        let leads =
            [("2026-01-01T00:00:00.002Z", "a"), ("2026-01-01T00:00:00.001Z", "c"), ("2026-01-01T00:00:00.001Z", "b")];
        let created = Created::new(leads.map(|(moment, id)| (moment.to_owned(), id.to_owned())).into());
        assert_eq!(["b", "c", "a"].map(|id| created.get(id).unwrap().id.as_str()), ["id-1", "id-2", "id-3"]);
        assert_eq!(created.get("a").unwrap().created_at, "2100-01-01T00:00:03.000Z");
        assert_eq!(moment(86_400 + 3_661), "2100-01-02T01:01:01.000Z");
    }
}
