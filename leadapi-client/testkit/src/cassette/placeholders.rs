//! Placeholders for values that differ between runs.

use std::collections::{BTreeMap, BTreeSet};

/// The placeholders for one kind of value, numbered in order of first use.
#[derive(Debug)]
pub(super) struct Placeholders {
    prefix: &'static str,
    assigned: BTreeMap<String, String>,
}

impl Placeholders {
    pub(super) const fn new(prefix: &'static str) -> Self {
        Self { prefix, assigned: BTreeMap::new() }
    }

    pub(super) fn of(&mut self, value: &str) -> String {
        let next = self.assigned.len() + 1;
        self.assigned.entry(value.to_owned()).or_insert_with(|| format!("{}-{next}", self.prefix)).clone()
    }
}

/// The leads created during the recording, keyed by their ids in the service.
///
/// Placeholders are numbered from the oldest lead to the newest, and their fake creation times are later than the
/// creation time of every existing lead. A recorded list therefore stays sorted, so a pager accepts it.
#[derive(Debug, Default)]
pub(super) struct CreatedLeads(BTreeMap<String, LeadPlaceholder>);

#[derive(Debug)]
pub(super) struct LeadPlaceholder {
    pub(super) id: String,
    pub(super) created_at: String,
}

impl CreatedLeads {
    /// Creates placeholders from the creation time and id of each lead.
    pub(super) fn new(leads: BTreeSet<(String, String)>) -> Self {
        let placeholders = leads.into_iter().zip(1_u32..).map(|((_, id), nth)| {
            let placeholder = LeadPlaceholder { id: format!("id-{nth}"), created_at: fake_time(nth) };
            (id, placeholder)
        });
        Self(placeholders.collect())
    }

    pub(super) fn get(&self, id: &str) -> Option<&LeadPlaceholder> {
        self.0.get(id)
    }

    pub(super) fn rename(&self, text: &mut String) {
        if let Some(placeholder) = self.get(text) {
            text.clone_from(&placeholder.id);
        }
    }
}

/// Returns a distinct time for each lead, in a year without real leads.
fn fake_time(nth: u32) -> String {
    let (day, hour, minute, second) = (nth / 86_400 % 28 + 1, nth / 3_600 % 24, nth / 60 % 60, nth % 60);
    format!("2100-01-{day:02}T{hour:02}:{minute:02}:{second:02}.000Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_numbered_by_first_use() {
        let mut keys = Placeholders::new("key");
        assert_eq!(["b", "a", "b"].map(|value| keys.of(value)), ["key-1", "key-2", "key-1"]);
    }

    #[test]
    fn created_leads_are_numbered_in_list_order() {
        let leads =
            [("2026-01-01T00:00:00.002Z", "a"), ("2026-01-01T00:00:00.001Z", "c"), ("2026-01-01T00:00:00.001Z", "b")];
        let created = CreatedLeads::new(leads.map(|(time, id)| (time.to_owned(), id.to_owned())).into());
        assert_eq!(["b", "c", "a"].map(|id| created.get(id).unwrap().id.as_str()), ["id-1", "id-2", "id-3"]);
        assert_eq!(created.get("a").unwrap().created_at, "2100-01-01T00:00:03.000Z");
        assert_eq!(fake_time(86_400 + 3_661), "2100-01-02T01:01:01.000Z");
    }
}
