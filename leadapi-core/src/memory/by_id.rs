//! A map of leads by id.

use std::{hash::BuildHasher, sync::Arc};

use foldhash::fast::RandomState;
use hashbrown::{HashTable, hash_table::Entry};

use crate::{id::LeadId, model::Lead};

/// The number of leads in a table when ids arrive in order: seven eighths of a power of two, which is the maximum
/// load of a hash table.
const FULL: usize = 448;

/// Leads in hash tables by range of ids. A table holds the ids from its `from` up to that of the next table; the
/// first table also holds all lesser ids.
///
/// A single table would place new leads anywhere in memory, at addresses that are rarely in the CPU cache. When it
/// grew, one create would wait until all leads were moved. The service's ids arrive in order, so new leads go into
/// the last table, which is small enough to stay in the cache. Only if a seed has brought greater ids do new leads go
/// into an earlier table.
#[derive(Debug, Default)]
pub(super) struct ById {
    hasher: RandomState,
    /// Only the sole table may be empty; other tables are removed when they become empty.
    tables: Vec<Table>,
    /// The greatest id that was ever inserted. For a greater id a full table is not split: a new table begins.
    greatest: Option<LeadId>,
}

#[derive(Debug)]
struct Table {
    from: LeadId,
    from_begins: Beginning,
    leads: HashTable<Arc<Lead>>,
}

/// The first 16 bytes of an id as a number with the same order. It compares in one step and without loading the text
/// from elsewhere in memory.
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

    /// The replacement must have the same id.
    pub(super) fn get_mut(&mut self, id: &LeadId) -> Option<&mut Arc<Lead>> {
        let (at, hash) = (self.table_of(id), self.hasher.hash_one(id));
        self.tables.get_mut(at)?.leads.find_mut(hash, |lead| lead.id == *id)
    }

    /// Inserts a lead and returns `true`, unless its id already exists.
    pub(super) fn insert(&mut self, lead: Arc<Lead>) -> bool {
        let at = if self.greatest.as_ref().is_none_or(|greatest| lead.id > *greatest) {
            self.greatest = Some(lead.id.clone());
            if self.tables.last().is_none_or(|last| last.leads.len() >= FULL) {
                // Most businesses never need a second table, so the first one grows on demand.
                let room = if self.tables.is_empty() { 0 } else { FULL };
                self.tables.push(Table::new(lead.id.clone(), HashTable::with_capacity(room)));
            }
            self.tables.len() - 1
        } else {
            self.table_of(&lead.id)
        };
        let Self { hasher, tables, .. } = self;
        let hash = |lead: &Arc<Lead>| hasher.hash_one(&lead.id);
        let Some(table) = tables.get_mut(at) else { return false };
        match table.leads.entry(hash(&lead), |held| held.id == lead.id, hash) {
            Entry::Occupied(_) => return false,
            Entry::Vacant(place) => place.insert(lead),
        };
        if table.leads.len() >= 2 * FULL
            && let Some(upper) = table.split(hash)
        {
            tables.insert(at + 1, upper);
        }
        true
    }

    pub(super) fn remove(&mut self, id: &LeadId) -> Option<Arc<Lead>> {
        let (at, hash) = (self.table_of(id), self.hasher.hash_one(id));
        let is_alone = self.tables.len() == 1;
        let table = self.tables.get_mut(at)?;
        let (lead, _) = table.leads.find_entry(hash, |lead| lead.id == *id).ok()?.remove();
        let (left, places) = (table.leads.len(), table.leads.num_buckets());
        if left == 0 && !is_alone {
            self.tables.remove(at);
        } else if left <= places / 8 {
            // Otherwise a table would keep the memory of deleted leads forever, because new leads go into other
            // tables.
            let hasher = &self.hasher;
            table.leads.shrink_to(2 * left, |lead| hasher.hash_one(&lead.id));
        }
        Some(lead)
    }

    /// Returns the index of the table whose range contains the id.
    fn table_of(&self, id: &LeadId) -> usize {
        let begins = beginning(id);
        // The start of the first table is ignored, because that table also holds all lesser ids.
        let others = self.tables.get(1..).unwrap_or_default();
        others.partition_point(|table| (table.from_begins, &table.from) <= (begins, id))
    }
}

impl Table {
    fn new(from: LeadId, leads: HashTable<Arc<Lead>>) -> Self {
        Self { from_begins: beginning(&from), from, leads }
    }

    /// Moves the upper half of the leads to a new table. Returns `None` when there are too few leads to split.
    fn split(&mut self, hash: impl Fn(&Arc<Lead>) -> u64) -> Option<Self> {
        let mut ids: Vec<_> = self.leads.iter().map(|lead| &lead.id).collect();
        let middle = ids.len().checked_div(2).filter(|middle| *middle > 0)?;
        let from = ids.select_nth_unstable(middle).1.clone();
        let mut upper = HashTable::with_capacity(middle);
        for lead in self.leads.extract_if(|lead| lead.id >= from) {
            upper.insert_unique(hash(&lead), lead, &hash);
        }
        self.leads.shrink_to_fit(hash);
        Some(Self::new(from, upper))
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeMap, iter};

    use proptest::prelude::*;

    use super::*;
    use crate::model::Timestamp;

    fn lead(id: LeadId) -> Arc<Lead> {
        let created_at = Timestamp::from(chrono::DateTime::UNIX_EPOCH);
        Arc::new(Lead::new(id, "c1".parse().unwrap(), "Ann", created_at))
    }

    fn id(begins: &str, number: usize) -> LeadId {
        LeadId::named(&format!("{begins}{number:05}"))
    }

    fn lengths(by_id: &ById) -> Vec<usize> {
        by_id.tables.iter().map(|table| table.leads.len()).collect()
    }

    /// With ids in order the tables are full, otherwise they stay small, even if the ids have a long common prefix.
    #[test]
    fn tables_stay_small() {
        const MANY: usize = 20 * FULL;
        for begins in ["", "all-of-them-begin-alike-"] {
            let filled = |numbers: &mut dyn Iterator<Item = usize>| {
                let mut by_id = ById::default();
                numbers.for_each(|number| assert!(by_id.insert(lead(id(begins, number)))));
                by_id
            };
            let in_order = filled(&mut (0..MANY));
            assert_eq!(lengths(&in_order), [FULL; 20]);
            let room = |by_id: &ById| -> usize { by_id.tables.iter().map(|table| table.leads.capacity()).sum() };
            assert_eq!(room(&in_order), MANY);
            let below_a_greater_one = filled(&mut iter::once(MANY).chain(0..MANY));
            assert!(room(&below_a_greater_one) <= MANY + 2 * FULL);
            for disorder in [filled(&mut (0..MANY).rev()), filled(&mut (0..MANY).map(|nth| nth * 7_919 % MANY))] {
                assert!(lengths(&disorder).iter().all(|length| *length < 2 * FULL), "{:?}", lengths(&disorder));
            }
        }
    }

    /// New leads arrive only at one end, so the memory of deleted leads must be released.
    #[test]
    fn what_is_removed_gives_back_its_room() {
        let mut by_id = ById::default();
        (0..20 * FULL).for_each(|number| assert!(by_id.insert(lead(id("", number)))));
        let kept = |number: usize| (5 * FULL..15 * FULL).contains(&number) && number.is_multiple_of(100);
        for number in (0..20 * FULL).filter(|number| !kept(*number)) {
            by_id.remove(&id("", number)).unwrap();
        }
        assert_eq!(by_id.tables.len(), 10);
        let places: usize = by_id.tables.iter().map(|table| table.leads.num_buckets()).sum();
        let left: usize = lengths(&by_id).iter().sum();
        assert!(places <= 8 * left, "{places} places for {left} leads");
        (0..20 * FULL).filter(|number| kept(*number)).for_each(|number| {
            by_id.remove(&id("", number)).unwrap();
        });
        assert_eq!(lengths(&by_id), [0]);
        assert_eq!(by_id.tables[0].leads.allocation_size(), 0);
    }

    #[derive(Debug, Clone)]
    enum Step {
        /// Inserts this many leads, each with a greater id than any before.
        Append(u32),
        /// Inserts the missing ids below this number, in shuffled order.
        Scatter(u32),
        Insert(u32),
        Replace(u32),
        Remove(u32),
        /// Removes the existing ids of a range, given by its start and its length.
        Clear(u32, u32),
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let number = 0_u32..3_000;
        let step = prop_oneof![
            2 => (1_u32..700).prop_map(Step::Append),
            1 => (1_u32..3_000).prop_map(Step::Scatter),
            2 => number.clone().prop_map(Step::Insert),
            1 => number.clone().prop_map(Step::Replace),
            1 => number.clone().prop_map(Step::Remove),
            1 => (number, 1_u32..2_000).prop_map(|(from, many)| Step::Clear(from, many)),
        ];
        prop::collection::vec(step, 1..40)
    }

    proptest! {
        #[test]
        fn it_is_a_map(steps in steps(), begins in "a{0,20}", in_order: bool) {
            // Ids that are not in order also differ in length: 9 sorts after 10.
            let id = |number: u32| {
                if in_order { id(&begins, number as usize) } else { LeadId::named(&format!("{begins}{number}")) }
            };
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
                    Step::Clear(from, many) => {
                        for number in from..from + many {
                            prop_assert_eq!(by_id.remove(&id(number)), map.remove(&number));
                        }
                    }
                }
            }
            for number in 0..=next {
                let (held, expected) = (by_id.get(&id(number)), map.get(&number));
                prop_assert_eq!(held.map(Arc::as_ptr), expected.map(Arc::as_ptr), "{}", number);
            }
        }
    }
}
