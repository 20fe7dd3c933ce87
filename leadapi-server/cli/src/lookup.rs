//! Finds the record that a person names on the command line by its id or its name.

use std::fmt::Display;

use leadapi_core::{
    admin::Business,
    model::{ClientAccount, Pipeline},
};

/// A record that has an id and a name.
pub(super) trait Named {
    /// The singular and the plural of the kind, and the place in which the name should be unique.
    const KIND: &'static Kind;

    fn id(&self) -> &str;
    fn name(&self) -> &str;

    /// Describes the record in a list of records with the same name.
    fn describe(&self) -> String {
        self.id().to_owned()
    }
}

/// A kind of record in messages.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kind {
    pub(super) one: &'static str,
    pub(super) many: &'static str,
    /// Text such as " in this business", or empty.
    pub(super) place: &'static str,
}

impl Kind {
    pub(super) const fn of_a_business(one: &'static str, many: &'static str) -> Self {
        Self { one, many, place: " in this business" }
    }
}

/// The reason a command does not know on which record to work.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LookupError {
    /// No record has this id or name.
    #[error("no such {}{}: {given}", kind.one, kind.place)]
    NoSuch { kind: &'static Kind, given: String },
    /// Several records have this name.
    #[error("{} {} have the name {name:?}: use an id instead ({})", ids.len(), kind.many, ids.join(", "))]
    Ambiguous { kind: &'static Kind, name: String, ids: Vec<String> },
    /// The store has no business.
    #[error("the store has no business: \"leadapi init\" creates the first one")]
    NoBusiness,
    /// There is no default for an option, because there are several candidates.
    #[error("{option} is required, because {owner} has {}: {}", count(candidates.len(), what), candidates.join(", "))]
    Several { option: &'static str, owner: &'static str, what: &'static str, candidates: Vec<String> },
    /// The business has no owner.
    #[error("--as is required, because the business has no owner")]
    NoOwner,
}

/// The highest number of candidates in a message.
const SHOWN: usize = 20;

fn count(shown: usize, what: &str) -> String {
    if shown > SHOWN { format!("many {what}") } else { format!("{shown} {what}") }
}

impl LookupError {
    /// Creates the error for an option without a default. A long list of candidates is cut.
    pub(super) fn several(
        option: &'static str,
        owner: &'static str,
        what: &'static str,
        candidates: impl Iterator<Item = String>,
    ) -> Self {
        let mut candidates: Vec<String> = candidates.take(SHOWN + 1).collect();
        if let Some(last) = candidates.get_mut(SHOWN) {
            "…".clone_into(last);
        }
        Self::Several { option, owner, what, candidates }
    }

    /// Returns whether the command line lacks something, in contrast to a record that does not exist.
    pub(super) const fn is_usage(&self) -> bool {
        matches!(self, Self::Ambiguous { .. } | Self::Several { .. } | Self::NoOwner)
    }
}

/// Returns the record with this id. If there is none, returns the only record with this name.
pub(super) fn find<'r, R: Named>(records: &'r [R], given: &str) -> Result<&'r R, LookupError> {
    find_among(records.iter(), given)
}

/// Like [`find`], but among some of the records.
pub(super) fn find_among<'r, R: Named + 'r>(
    mut records: impl Iterator<Item = &'r R> + Clone,
    given: &str,
) -> Result<&'r R, LookupError> {
    let given = given.trim();
    let mut named = records.clone().filter(|record| record.name() == given);
    if let Some(found) = records.find(|record| record.id() == given) {
        return Ok(found);
    }
    match (named.next(), named.clone().next()) {
        (Some(found), None) => Ok(found),
        (Some(first), Some(_)) => {
            let ids = [first].into_iter().chain(named).map(Named::describe).collect();
            Err(LookupError::Ambiguous { kind: R::KIND, name: given.to_owned(), ids })
        }
        (None, _) => Err(LookupError::NoSuch { kind: R::KIND, given: given.to_owned() }),
    }
}

/// Describes a record by its name and its id.
pub(super) fn name_and_id(name: impl Display, id: impl Display) -> String {
    format!("{name} ({id})")
}

macro_rules! named {
    ($($record:ty, $kind:expr;)*) => {$(
        impl Named for $record {
            const KIND: &'static Kind = &$kind;

            fn id(&self) -> &str {
                self.id.as_str()
            }

            fn name(&self) -> &str {
                &self.name
            }
        }
    )*};
}

named! {
    Business, Kind { one: "business", many: "businesses", place: "" };
    ClientAccount, Kind::of_a_business("client account", "client accounts");
    Pipeline, Kind::of_a_business("pipeline", "pipelines");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clients(records: &[(&str, &str)]) -> Vec<ClientAccount> {
        let at = "2026-05-04T12:00:00Z".parse().unwrap();
        records.iter().map(|(id, name)| ClientAccount::new(id.parse().unwrap(), *name, at)).collect()
    }

    #[test]
    fn a_record_is_found_by_its_id_or_its_unique_name() {
        let records = clients(&[("1", "Casa"), ("2", "Casa"), ("3", "Sol"), ("Sol", "Luna"), ("5", "Mar")]);
        for (given, found) in [
            ("1", Ok("1")),
            ("Luna", Ok("Sol")),
            (" Mar ", Ok("5")),
            // An id takes precedence over a name, also with spaces around it, as in a file of variables.
            ("Sol", Ok("Sol")),
            ("Sol ", Ok("Sol")),
            ("Casa", Err("2 client accounts have the name \"Casa\": use an id instead (1, 2)")),
            ("casa", Err("no such client account in this business: casa")),
            ("", Err("no such client account in this business: ")),
        ] {
            let record = find(&records, given).map(|record| record.id.as_str().to_owned());
            let expected = found.map(str::to_owned).map_err(str::to_owned);
            assert_eq!(record.map_err(|error| error.to_string()), expected, "{given:?}");
        }
    }

    #[test]
    fn a_long_list_of_candidates_is_cut() {
        let names = (0..1_000).map(|nth| nth.to_string());
        let text = LookupError::several("--business", "the store", "businesses", names).to_string();
        assert!(text.starts_with("--business is required, because the store has many businesses: 0, 1, "), "{text}");
        assert!(text.ends_with("19, …"), "{text}");
    }
}
