//! The in-memory lead store, for the demo server, for tests and for hosts that persist their data elsewhere.

use std::{
    collections::{self, VecDeque, hash_map::Entry},
    mem,
    sync::{Arc, PoisonError},
};

use async_trait::async_trait;
use foldhash::HashMap;
use serde_json::value::{RawValue, to_raw_value};

use super::index::Index;
use crate::{
    auth::Author,
    dataset::{BusinessSeed, Dataset, Directory},
    form::FormRecord,
    id::{BusinessId, LeadId},
    model::{ClientAccount, IdempotencyKey, Lead, LeadQuery, Page, Pipeline, Timestamp, Window},
    port::{Created, Idempotency, Listed, Store, StoreError, Updated},
    sync::RwLock,
    validate::{InvalidReference, LeadDraft, LeadEdit, NewLeadMeta},
};

/// An in-memory [`Store`]. Its leads are lost when the process exits.
///
/// The businesses, client accounts, pipelines and forms come from a [`Dataset`] and never change. Only leads can
/// change. Each business has its own lock. Finding a page takes logarithmic time in the number of leads, regardless of
/// the filters and the offset.
#[derive(Debug, Default)]
pub struct MemoryStore {
    businesses: HashMap<BusinessId, Business>,
}

#[derive(Debug)]
struct Business {
    /// Sorted by name, then by id.
    clients: Vec<ClientAccount>,
    /// Sorted by creation time, then by id. The stages are sorted by position.
    pipelines: Vec<Pipeline>,
    directory: Directory,
    /// The form records as JSON. They are rarely read, and parsed records would take twice the memory.
    forms: Vec<Box<RawValue>>,
    leads: RwLock<Leads>,
}

#[derive(Debug, Default)]
struct Leads {
    by_id: HashMap<LeadId, Arc<Lead>>,
    index: Index,
    /// The stored idempotency keys with their creates. Callers choose the keys, so this map uses the standard library's
    /// hasher, which resists crafted collisions.
    remembered: collections::HashMap<IdempotencyKey, Remembered>,
    /// The stored keys in insertion order, which is usually oldest first.
    ages: VecDeque<(Timestamp, IdempotencyKey)>,
}

#[derive(Debug)]
struct Remembered {
    fingerprint: [u8; 32],
    lead: Arc<Lead>,
}

impl MemoryStore {
    /// Creates a store with the records of a data set.
    ///
    /// ```
    /// use leadapi_core::{dataset::Dataset, memory::MemoryStore};
    ///
    /// let store = MemoryStore::new(Dataset::parse(r#"{"businesses": []}"#)?);
    /// # Ok::<(), leadapi_core::dataset::InvalidDataset>(())
    /// ```
    pub fn new(dataset: Dataset) -> Self {
        let businesses = dataset.businesses.into_iter().map(|seed| (seed.id.clone(), Business::new(seed)));
        Self { businesses: businesses.collect() }
    }

    /// Returns the form records of a business. No API operation returns them (contract D11).
    pub fn forms(&self, business: &BusinessId) -> Vec<FormRecord> {
        let forms = self.businesses.get(business).into_iter().flat_map(|business| &business.forms);
        // Parsing cannot fail, because each text was serialized from a record (contract D11).
        forms.filter_map(|text| serde_json::from_str(text.get()).ok()).collect()
    }
}

impl Business {
    fn new(seed: BusinessSeed) -> Self {
        let BusinessSeed { mut clients, mut pipelines, leads, forms, mut idempotency, .. } = seed;
        clients.sort_by(|a, b| (&a.name, &a.id).cmp(&(&b.name, &b.id)));
        pipelines.sort_by(|a, b| (a.created_at, &a.id).cmp(&(b.created_at, &b.id)));
        let directory = Directory::new(&clients, &pipelines);
        // Converts all leads first, so the memory of the parsed leads is freed before the index is allocated.
        // Allocators often return freed memory to the system only on a later call, and a filled store may not allocate
        // for a long time.
        let mut shared = Vec::with_capacity(leads.len());
        shared.extend(leads.into_iter().map(|lead| directory.keep(lead)));
        let mut held = Leads::default();
        for lead in &shared {
            held.insert(lead);
        }
        idempotency.sort_by_key(|seed| seed.lead.created_at);
        for seed in idempotency {
            held.remember(&seed.idempotency, &Arc::new(seed.lead));
        }
        let forms = forms.iter().filter_map(|form| to_raw_value(form).ok()).collect();
        Self { clients, pipelines, directory, forms, leads: RwLock::new(held) }
    }

    // No code panics while it holds the lock, so poisoning can be ignored.

    fn read<T>(&self, work: impl FnOnce(&Leads) -> T) -> T {
        work(&self.leads.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn write<T>(&self, work: impl FnOnce(&mut Leads) -> T) -> T {
        work(&mut self.leads.write().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Leads {
    /// Inserts a lead and returns `true`, unless its id already exists.
    fn insert(&mut self, lead: &Arc<Lead>) -> bool {
        let Entry::Vacant(vacant) = self.by_id.entry(lead.id.clone()) else { return false };
        vacant.insert(lead.clone());
        self.index.insert(lead);
        true
    }

    fn remember(&mut self, idempotency: &Idempotency, lead: &Arc<Lead>) {
        self.ages.push_back((lead.created_at, idempotency.key.clone()));
        let remembered = Remembered { fingerprint: idempotency.fingerprint, lead: lead.clone() };
        self.remembered.insert(idempotency.key.clone(), remembered);
    }

    fn forget_old_keys(&mut self, now: Timestamp) {
        while self.ages.front().is_some_and(|(at, _)| Idempotency::has_expired(*at, now)) {
            if let Some((at, key)) = self.ages.pop_front()
                && self.remembered.get(&key).is_some_and(|kept| kept.lead.created_at == at)
            {
                self.remembered.remove(&key);
            }
        }
    }

    fn replay(&self, idempotency: &Idempotency, now: Timestamp) -> Option<Created> {
        let remembered = self.remembered.get(&idempotency.key)?;
        idempotency.replay(&remembered.fingerprint, &remembered.lead, now)
    }
}

#[async_trait]
impl Store for MemoryStore {
    async fn create(
        &self,
        business: &BusinessId,
        _: &Author,
        meta: NewLeadMeta,
        draft: LeadDraft,
        idempotency: Option<&Idempotency>,
    ) -> Result<Created, StoreError> {
        let Some(business) = self.businesses.get(business) else {
            return Ok(Created::Refused(InvalidReference::Client));
        };
        let at = meta.at;
        // The lookup needs no lock, because the records that a lead can refer to never change in this store.
        let references = business.directory.look_up(draft.required_lookups());
        let made = draft.into_lead(meta, &references).map(|lead| business.directory.keep(lead));
        business.write(|leads| {
            leads.forget_old_keys(at);
            if let Some(answer) = idempotency.and_then(|idempotency| leads.replay(idempotency, at)) {
                return Ok(answer);
            }
            let lead = match made {
                Ok(lead) => lead,
                Err(reference) => return Ok(Created::Refused(reference)),
            };
            if !leads.insert(&lead) {
                return Err(StoreError::AlreadyExists(format!("lead {}", lead.id).into()));
            }
            if let Some(idempotency) = idempotency {
                leads.remember(idempotency, &lead);
            }
            Ok(Created::New(lead))
        })
    }

    async fn get(&self, business: &BusinessId, id: &LeadId) -> Result<Option<Arc<Lead>>, StoreError> {
        let business = self.businesses.get(business);
        Ok(business.and_then(|business| business.read(|leads| leads.by_id.get(id).cloned())))
    }

    async fn update(
        &self,
        business: &BusinessId,
        _: &Author,
        id: &LeadId,
        edit: &LeadEdit,
    ) -> Result<Updated, StoreError> {
        let Some(business) = self.businesses.get(business) else { return Ok(Updated::Missing) };
        Ok(business.write(|leads| {
            let Some(place) = leads.by_id.get_mut(id) else { return Updated::Missing };
            let after = match edit.apply(place, &business.directory.look_up(edit.required_lookups())) {
                Ok(lead) => business.directory.keep(lead),
                Err(reference) => return Updated::Refused(reference),
            };
            let before = mem::replace(place, after.clone());
            leads.index.remove(&before);
            leads.index.insert(&after);
            Updated::Changed(after)
        }))
    }

    async fn delete(&self, business: &BusinessId, _: &Author, id: &LeadId) -> Result<bool, StoreError> {
        let Some(business) = self.businesses.get(business) else { return Ok(false) };
        Ok(business.write(|leads| {
            let removed = leads.by_id.remove(id);
            if let Some(lead) = &removed {
                leads.index.remove(lead);
            }
            removed.is_some()
        }))
    }

    async fn list(&self, business: &BusinessId, query: &LeadQuery) -> Result<Listed, StoreError> {
        let Some(business) = self.businesses.get(business) else {
            let refused = Directory::default().check_filters(query).err().map(Listed::Refused);
            return Ok(refused.unwrap_or_else(|| Listed::Page(Page::new(Vec::new(), 0, query.window))));
        };
        if let Err(reference) = business.directory.check_filters(query) {
            return Ok(Listed::Refused(reference));
        }
        let (data, total) = business.read(|leads| leads.index.page(query));
        Ok(Listed::Page(Page::new(data, total as u64, query.window)))
    }

    async fn pipelines(&self, business: &BusinessId, window: Window) -> Result<Page<Pipeline>, StoreError> {
        Ok(page(self.businesses.get(business).map_or(&[], |business| &business.pipelines), window))
    }

    async fn clients(&self, business: &BusinessId, window: Window) -> Result<Page<ClientAccount>, StoreError> {
        Ok(page(self.businesses.get(business).map_or(&[], |business| &business.clients), window))
    }
}

fn page<T: Clone>(all: &[T], window: Window) -> Page<T> {
    Page::new(window.slice(all).to_vec(), all.len() as u64, window)
}

#[cfg(test)]
mod tests;
