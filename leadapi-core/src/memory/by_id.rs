//! Leads, each found by its id.

use std::{hash::BuildHasher, sync::Arc};

use foldhash::fast::RandomState;
use hashbrown::{HashTable, hash_table::Entry};

use crate::{id::LeadId, model::Lead};

#[derive(Debug, Default)]
pub(super) struct ById {
    hasher: RandomState,
    leads: HashTable<Hashed>,
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
        self.leads.reserve(additional, Hashed::hash);
    }

    pub(super) fn get(&self, id: &LeadId) -> Option<&Arc<Lead>> {
        let hash = self.hasher.hash_one(id);
        self.leads.find(hash, |hashed| hashed.is(hash, id)).map(|hashed| &hashed.lead)
    }

    /// What is put in place of the lead has its id too.
    pub(super) fn get_mut(&mut self, id: &LeadId) -> Option<&mut Arc<Lead>> {
        let hash = self.hasher.hash_one(id);
        self.leads.find_mut(hash, |hashed| hashed.is(hash, id)).map(|hashed| &mut hashed.lead)
    }

    /// Says whether there was none of this id.
    pub(super) fn insert(&mut self, lead: Arc<Lead>) -> bool {
        let hash = self.hasher.hash_one(&lead.id);
        let is_it = |hashed: &Hashed| hashed.is(hash, &lead.id);
        let Entry::Vacant(place) = self.leads.entry(hash, is_it, Hashed::hash) else { return false };
        place.insert(Hashed { hash, lead });
        true
    }

    pub(super) fn remove(&mut self, id: &LeadId) -> Option<Arc<Lead>> {
        let hash = self.hasher.hash_one(id);
        let entry = self.leads.find_entry(hash, |hashed| hashed.is(hash, id)).ok()?;
        Some(entry.remove().0.lead)
    }
}

impl Hashed {
    const fn hash(&self) -> u64 {
        self.hash
    }

    fn is(&self, hash: u64, id: &LeadId) -> bool {
        self.hash == hash && self.lead.id == *id
    }
}
