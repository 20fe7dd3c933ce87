//! Leads, each found by its id.

use std::{hash::BuildHasher, sync::Arc};

use foldhash::fast::RandomState;
use hashbrown::HashTable;

use crate::{id::LeadId, model::Lead};

/// As many leads as a table holds when ids come in order: seven eighths of a power of two, which is as full as one can be.
const FULL: usize = 448;

/// Tables of leads, each of those whose ids begin between its own beginning and the next one's.
///
/// One table of all leads would have the places of new ones anywhere in memory, where nothing else has been for long, and
/// when it grew, a create would wait until all others have been moved. Ids that the service makes come in order, so that
/// new leads have the last table to themselves, which is small enough to stay near the processor.
#[derive(Debug, Default)]
pub(super) struct ById {
    hasher: RandomState,
    tables: Vec<Table>,
    /// No id that was ever here is greater. One that is, as each is that the service makes, need not be looked for.
    greatest: Option<LeadId>,
}

#[derive(Debug)]
struct Table {
    /// None of its ids begins before this.
    from: Beginning,
    leads: HashTable<Arc<Lead>>,
}

/// The first characters of an id, as a number in the same order: compared at once, where a text lies elsewhere in memory.
type Beginning = u128;

fn beginning(id: &LeadId) -> Beginning {
    let id = id.as_str().as_bytes();
    Beginning::from_be_bytes(id.first_chunk().copied().unwrap_or_else(|| {
        let mut short = [0; size_of::<Beginning>()];
        short.iter_mut().zip(id).for_each(|(to, byte)| *to = *byte);
        short
    }))
}

impl ById {
    pub(super) fn get(&self, id: &LeadId) -> Option<&Arc<Lead>> {
        let table = self.tables.get(self.table_of(id))?;
        table.leads.find(self.hasher.hash_one(id), |lead| lead.id == *id)
    }

    /// What is put in place of the lead has its id too.
    pub(super) fn get_mut(&mut self, id: &LeadId) -> Option<&mut Arc<Lead>> {
        let (at, hash) = (self.table_of(id), self.hasher.hash_one(id));
        self.tables.get_mut(at)?.leads.find_mut(hash, |lead| lead.id == *id)
    }

    /// Says whether there was none of this id.
    pub(super) fn insert(&mut self, lead: Arc<Lead>) -> bool {
        let at = if self.greatest.as_ref().is_none_or(|greatest| lead.id > *greatest) {
            self.begin_table(&lead.id);
            self.greatest = Some(lead.id.clone());
            self.tables.len() - 1
        } else if self.get(&lead.id).is_some() {
            return false;
        } else {
            self.table_of(&lead.id)
        };
        let Self { hasher, tables, .. } = self;
        let hash = |lead: &Arc<Lead>| hasher.hash_one(&lead.id);
        let Some(table) = tables.get_mut(at) else { return false };
        table.leads.insert_unique(hash(&lead), lead, hash);
        // Now and then only, because what begins alike stays together, however much it is.
        if table.leads.len().is_multiple_of(2 * FULL)
            && let Some(upper) = table.split(hash)
        {
            tables.insert(at + 1, upper);
        }
        true
    }

    pub(super) fn remove(&mut self, id: &LeadId) -> Option<Arc<Lead>> {
        let (at, hash) = (self.table_of(id), self.hasher.hash_one(id));
        let entry = self.tables.get_mut(at)?.leads.find_entry(hash, |lead| lead.id == *id).ok()?;
        Some(entry.remove().0)
    }

    /// The table in which an id is, if it is in any.
    fn table_of(&self, id: &LeadId) -> usize {
        let beginning = beginning(id);
        self.tables.partition_point(|table| table.from <= beginning).saturating_sub(1)
    }

    /// Begins a table for an id that is greater than all others, if the last one is full.
    fn begin_table(&mut self, id: &LeadId) {
        let Some((last, greatest)) = self.tables.last().zip(self.greatest.as_ref()) else {
            // Most businesses never have more than this one.
            return self.tables.push(Table { from: Beginning::MIN, leads: HashTable::new() });
        };
        if last.leads.len() >= FULL && beginning(greatest) < beginning(id) {
            self.tables.push(Table { from: beginning(id), leads: HashTable::with_capacity(FULL) });
        }
    }
}

impl Table {
    /// Gives the upper half of its leads, unless the lower half begins like that.
    fn split(&mut self, hash: impl Fn(&Arc<Lead>) -> u64) -> Option<Self> {
        let mut beginnings: Vec<_> = self.leads.iter().map(|lead| beginning(&lead.id)).collect();
        let middle = beginnings.len() / 2;
        let from = *beginnings.select_nth_unstable(middle).1;
        if beginnings.iter().all(|beginning| *beginning >= from) {
            return None;
        }
        let mut upper = HashTable::new();
        for lead in self.leads.extract_if(|lead| beginning(&lead.id) >= from) {
            upper.insert_unique(hash(&lead), lead, &hash);
        }
        Some(Self { from, leads: upper })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::model::Timestamp;

    fn lead(id: LeadId) -> Arc<Lead> {
        let created_at = Timestamp::from(chrono::DateTime::UNIX_EPOCH);
        Arc::new(Lead::new(id, "c1".parse().unwrap(), "Ann", created_at))
    }

    /// In order they are full, in disorder at least not large; what begins alike is in one.
    #[test]
    fn tables_stay_small() {
        const MANY: usize = 20 * FULL;
        let lengths = |begins: &str, numbers: &mut dyn Iterator<Item = usize>| -> Vec<usize> {
            let mut by_id = ById::default();
            numbers.for_each(|number| assert!(by_id.insert(lead(LeadId::named(&format!("{begins}{number:05}"))))));
            by_id.tables.iter().map(|table| table.leads.len()).collect()
        };
        assert_eq!(lengths("", &mut (0..MANY)), [FULL; 20]);
        assert_eq!(lengths("all-of-them-begin-alike-", &mut (0..MANY)), [MANY]);
        for lengths in [lengths("", &mut (0..MANY).rev()), lengths("", &mut (0..MANY).map(|nth| nth * 7_919 % MANY))] {
            assert!(lengths.iter().all(|length| *length < 2 * FULL), "{lengths:?}");
        }
    }

    #[derive(Debug, Clone)]
    enum Step {
        /// So many, each with a greater id than any before.
        Append(u32),
        /// All that are not there of so many, in disorder.
        Scatter(u32),
        Insert(u32),
        Replace(u32),
        Remove(u32),
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let number = 0_u32..3_000;
        let step = prop_oneof![
            2 => (1_u32..700).prop_map(Step::Append),
            1 => (1_u32..3_000).prop_map(Step::Scatter),
            2 => number.clone().prop_map(Step::Insert),
            1 => number.clone().prop_map(Step::Replace),
            1 => number.prop_map(Step::Remove),
        ];
        prop::collection::vec(step, 1..40)
    }

    proptest! {
        #[test]
        fn it_is_a_map(steps in steps(), begins in "a{0,20}") {
            let id = |number: u32| LeadId::named(&format!("{begins}{number:05}"));
            let lead = |number| lead(id(number));
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
                    Step::Scatter(many) => {
                        for number in (0..many).map(|number| number * 7_919 % many) {
                            let is_new = !map.contains_key(&number);
                            let lead = lead(number);
                            prop_assert_eq!(by_id.insert(lead.clone()), is_new);
                            map.entry(number).or_insert(lead);
                        }
                        next = next.max(many);
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
