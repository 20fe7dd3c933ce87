//! The rows of a CSV file, and their idempotency keys.

use std::collections::HashMap;

use csv::StringRecord;
use leadapi_core::model::{IdempotencyKey, InvalidIdempotencyKey, NewLead};
use sha2::{Digest, Sha256};

pub(crate) struct Row {
    /// The line in the file at which the row starts.
    pub(crate) line: u64,
    /// The fields as written in the file.
    pub(crate) record: StringRecord,
    /// The reason why the row is refused, if it is. In that case, `new` is not a valid lead, so the client rejects it
    /// without sending it.
    pub(crate) fault: Option<String>,
    pub(crate) new: NewLead,
}

impl Row {
    pub(crate) fn new(line: u64, record: StringRecord, new: Result<NewLead, String>) -> Self {
        match new {
            Ok(new) => Self { line, record, fault: None, new },
            Err(fault) => Self { line, record, fault: Some(fault), new: NewLead::default() },
        }
    }

    pub(crate) fn refuse(&mut self, fault: String) {
        (self.fault, self.new) = (Some(fault), NewLead::default());
    }
}

/// The idempotency keys of the rows of an import. They are the same in every run with the same name.
///
/// A key is derived from the name of the import, the content of the lead, and the number of equal leads before it in
/// the file. Other leads in the file and the order of the rows therefore do not affect it.
pub(crate) struct Keys {
    name: String,
    seen: HashMap<[u8; 32], u64>,
}

impl Keys {
    pub(crate) fn new(name: String) -> Self {
        Self { name, seen: HashMap::new() }
    }

    /// Returns the key of the next row, or the reason why the row is not a valid lead.
    pub(crate) fn next(&mut self, new: &NewLead) -> Result<IdempotencyKey, String> {
        let fingerprint = new.check().map_err(|errors| errors.to_string())?.fingerprint();
        let nth = self.seen.entry(fingerprint).and_modify(|nth| *nth += 1).or_insert(1);
        let hash = Sha256::new().chain_update(&self.name).chain_update([0]).chain_update(fingerprint).finalize();
        let hash = hash.iter().take(16).fold(String::new(), |hash, byte| format!("{hash}{byte:02x}"));
        IdempotencyKey::parse(&format!("csv-{hash}-{nth}")).map_err(|error: InvalidIdempotencyKey| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(name: &str, leads: &[&str]) -> Vec<String> {
        let mut keys = Keys::new(name.to_owned());
        let lead = |name| NewLead::new(&"c1".parse().unwrap(), name);
        leads.iter().map(|name| keys.next(&lead(*name)).unwrap().as_str().to_owned()).collect()
    }

    #[test]
    fn equal_leads_have_different_keys_and_order_does_not_matter() {
        let first = keys("leads.csv", &["Ann", "Bo", " Ann "]);
        assert_ne!(first[0], first[2]);
        let changed = keys("leads.csv", &["Cy", "Bo", "Ann", "Ann"]);
        assert_eq!([&changed[2], &changed[1], &changed[3]], [&first[0], &first[1], &first[2]]);
        assert_ne!(keys("other.csv", &["Ann"]), keys("leads.csv", &["Ann"]));
    }

    /// A journal lists the keys, so a later version must derive the same keys.
    #[test]
    fn the_key_of_a_row_stays_the_same() {
        assert_eq!(keys("leads.csv", &["Ann"]), ["csv-f80b3afffad344a53646d4d2d5e52152-1"]);
    }
}
