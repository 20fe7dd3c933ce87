//! Leads, each found by its id.

use std::{hash::BuildHasher, iter, mem, sync::Arc};

use foldhash::fast::RandomState;
use hashbrown::HashTable;

use crate::{id::LeadId, model::Lead};

/// The most leads that lie apart as the youngest.
const YOUNGEST: usize = 512;

/// So many tables share the others: one that grows moves all that it holds, and a create waits for that.
const TABLES: usize = 64;

/// A table of all leads has the places of new ones anywhere in memory, where nothing else has been for long. So they come
/// into a table that is small enough to stay near the processor, and from there among the others many at once, which need
/// not wait for each other.
#[derive(Debug, Default)]
pub(super) struct ById {
    hasher: RandomState,
    youngest: HashTable<Hashed>,
    /// None, or as many as there may be.
    others: Vec<HashTable<Hashed>>,
    /// No id that was ever here is greater. One that is, as each is that the service makes, need not be looked for.
    greatest: Option<LeadId>,
}

/// A lead beside the hash of its id: a table that grows moves all that it holds, and would have to look at each lead, in
/// memory that nothing else has touched for long.
#[derive(Debug)]
struct Hashed {
    hash: u64,
    lead: Arc<Lead>,
}

impl ById {
    pub(super) fn reserve(&mut self, additional: usize) {
        // The last of them stay apart; a small business has no others.
        let others = additional.saturating_sub(YOUNGEST);
        if others > 0 {
            self.others().iter_mut().for_each(|table| table.reserve(others / TABLES, Hashed::hash));
        }
    }

    pub(super) fn get(&self, id: &LeadId) -> Option<&Arc<Lead>> {
        let hash = self.hasher.hash_one(id);
        let mut tables = iter::once(&self.youngest).chain(self.others.get(table_of(hash)));
        let hashed = tables.find_map(|table| table.find(hash, |hashed| hashed.is(hash, id)))?;
        Some(&hashed.lead)
    }

    /// What is put in place of the lead has its id too.
    pub(super) fn get_mut(&mut self, id: &LeadId) -> Option<&mut Arc<Lead>> {
        let hash = self.hasher.hash_one(id);
        let mut tables = iter::once(&mut self.youngest).chain(self.others.get_mut(table_of(hash)));
        let hashed = tables.find_map(|table| table.find_mut(hash, |hashed| hashed.is(hash, id)))?;
        Some(&mut hashed.lead)
    }

    /// Says whether there was none of this id.
    pub(super) fn insert(&mut self, lead: Arc<Lead>) -> bool {
        if self.greatest.as_ref().is_none_or(|greatest| lead.id > *greatest) {
            self.greatest = Some(lead.id.clone());
        } else if self.get(&lead.id).is_some() {
            return false;
        }
        if self.youngest.len() == YOUNGEST {
            let mut youngest = mem::take(&mut self.youngest);
            let others = self.others();
            for hashed in youngest.drain() {
                if let Some(table) = others.get_mut(table_of(hashed.hash)) {
                    table.insert_unique(hashed.hash, hashed, Hashed::hash);
                }
            }
            self.youngest = youngest;
        }
        let hash = self.hasher.hash_one(&lead.id);
        self.youngest.insert_unique(hash, Hashed { hash, lead }, Hashed::hash);
        true
    }

    pub(super) fn remove(&mut self, id: &LeadId) -> Option<Arc<Lead>> {
        let hash = self.hasher.hash_one(id);
        let mut tables = iter::once(&mut self.youngest).chain(self.others.get_mut(table_of(hash)));
        let entry = tables.find_map(|table| table.find_entry(hash, |hashed| hashed.is(hash, id)).ok())?;
        Some(entry.remove().0.lead)
    }

    fn others(&mut self) -> &mut [HashTable<Hashed>] {
        if self.others.is_empty() {
            self.others.resize_with(TABLES, HashTable::new);
        }
        &mut self.others
    }
}

/// By the bits in the middle, because a table tells its entries apart by the others.
const fn table_of(hash: u64) -> usize {
    (hash >> 32) as usize % TABLES
}

impl Hashed {
    const fn hash(&self) -> u64 {
        self.hash
    }

    fn is(&self, hash: u64, id: &LeadId) -> bool {
        self.hash == hash && self.lead.id == *id
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::model::Timestamp;

    fn id(number: u32) -> LeadId {
        LeadId::named(&format!("{number:05}"))
    }

    fn lead(number: u32) -> Arc<Lead> {
        let created_at = Timestamp::from(chrono::DateTime::UNIX_EPOCH);
        Arc::new(Lead::new(id(number), "c1".parse().unwrap(), "Ann", created_at))
    }

    #[derive(Debug, Clone)]
    enum Step {
        /// So many, each with a greater id than any before.
        Append(u32),
        Insert(u32),
        Replace(u32),
        Remove(u32),
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let number = 0_u32..3_000;
        let step = prop_oneof![
            1 => (1_u32..700).prop_map(Step::Append),
            2 => number.clone().prop_map(Step::Insert),
            1 => number.clone().prop_map(Step::Replace),
            1 => number.prop_map(Step::Remove),
        ];
        prop::collection::vec(step, 1..40)
    }

    proptest! {
        #[test]
        fn it_is_a_map(steps in steps()) {
            let (mut by_id, mut map) = (ById::default(), BTreeMap::new());
            let mut next = 0;
            for step in steps {
                match step {
                    Step::Append(many) => {
                        for number in next..next + many {
                            let lead = lead(number);
                            prop_assert!(by_id.insert(lead.clone()));
                            map.insert(number, lead);
                        }
                        next += many;
                    }
                    Step::Insert(number) => {
                        let lead = lead(number);
                        let is_new = !map.contains_key(&number);
                        prop_assert_eq!(by_id.insert(lead.clone()), is_new);
                        if is_new {
                            map.insert(number, lead);
                        }
                        next = next.max(number + 1);
                    }
                    Step::Replace(number) => {
                        let (held, expected) = (by_id.get_mut(&id(number)), map.get_mut(&number));
                        prop_assert_eq!(held.is_some(), expected.is_some());
                        if let Some((held, expected)) = held.zip(expected) {
                            *held = lead(number);
                            *expected = held.clone();
                        }
                    }
                    Step::Remove(number) => prop_assert_eq!(by_id.remove(&id(number)), map.remove(&number)),
                }
            }
            for number in 0..=next {
                let (held, expected) = (by_id.get(&id(number)), map.get(&number));
                prop_assert_eq!(held.map(Arc::as_ptr), expected.map(Arc::as_ptr), "{}", number);
            }
        }
    }
}
