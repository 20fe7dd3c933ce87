//! The in-memory lead store, for the demo server, for tests and for hosts that persist their data elsewhere.

mod businesses;
mod changes;

use std::{
    collections::{self, VecDeque, hash_map::Entry},
    mem,
    sync::{Arc, PoisonError},
};

use async_trait::async_trait;
use foldhash::HashMap;
use serde_json::value::{RawValue, to_raw_value};

use leadapi_core::{
    admin,
    auth::Author,
    dataset::{BusinessSeed, Dataset, Directory},
    form::FormRecord,
    id::{BusinessId, LeadId},
    model::{ClientAccount, IdempotencyKey, Lead, LeadQuery, Page, Pipeline, Timestamp, Window},
    port::{Created, Idempotency, Listed, Store, StoreError, Updated},
    validate::{InvalidReference, LeadDraft, LeadEdit, NewLeadMeta},
};

use crate::{index::Index, sync::RwLock};

/// An in-memory [`Store`]. Its leads are lost when the process exits.
///
/// Its initial records come from a [`Dataset`], and a [`MemoryAdmin`](super::MemoryAdmin) changes them. Each business
/// has its own lock. Finding a page takes logarithmic time in the number of leads, regardless of the filters and the
/// offset.
#[derive(Debug, Default)]
pub struct MemoryStore {
    /// Locked only to find a business, so that work in one business does not delay the others.
    businesses: RwLock<HashMap<BusinessId, Business>>,
}

#[derive(Debug)]
struct Business {
    info: admin::Business,
    records: Arc<RwLock<Records>>,
}

/// The records of a business.
#[derive(Debug)]
pub(super) struct Records {
    /// Sorted by name, then by id.
    pub(super) clients: Vec<ClientAccount>,
    /// Sorted by creation time, then by id. The stages are sorted by position.
    pub(super) pipelines: Vec<Pipeline>,
    directory: Directory,
    /// The form records as JSON. They are rarely read, and parsed records would take twice the memory.
    forms: Vec<Box<RawValue>>,
    leads: Leads,
    /// Whether the business was removed after an operation had found it.
    is_removed: bool,
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
    /// use leadapi_core::dataset::Dataset;
    /// use leadapi_memory::MemoryStore;
    ///
    /// let store = MemoryStore::new(Dataset::parse(r#"{"businesses": []}"#)?);
    /// # Ok::<(), leadapi_core::dataset::InvalidDataset>(())
    /// ```
    pub fn new(dataset: Dataset) -> Self {
        let businesses = dataset.businesses.into_iter().map(|seed| (seed.id.clone(), Business::new(seed)));
        Self { businesses: RwLock::new(businesses.collect()) }
    }

    /// Returns the form records of a business. No API operation returns them (contract D11).
    pub fn forms(&self, business: &BusinessId) -> Vec<FormRecord> {
        self.read(business, Records::forms).unwrap_or_default()
    }

    // No code panics while it holds a lock, so poisoning can be ignored.

    /// Reads the records of a business. Returns `None` if there is no such business.
    fn read<T>(&self, business: &BusinessId, work: impl FnOnce(&Records) -> T) -> Option<T> {
        let records = self.records(business)?;
        let records = records.read().unwrap_or_else(PoisonError::into_inner);
        (!records.is_removed).then(|| work(&records))
    }

    /// Changes the records of a business. Returns `None` if there is no such business.
    fn write<T>(&self, business: &BusinessId, work: impl FnOnce(&mut Records) -> T) -> Option<T> {
        let records = self.records(business)?;
        let mut records = records.write().unwrap_or_else(PoisonError::into_inner);
        (!records.is_removed).then(|| work(&mut records))
    }

    fn records(&self, business: &BusinessId) -> Option<Arc<RwLock<Records>>> {
        let businesses = self.businesses.read().unwrap_or_else(PoisonError::into_inner);
        Some(businesses.get(business)?.records.clone())
    }
}

impl Business {
    fn new(seed: BusinessSeed) -> Self {
        let info = admin::Business::new(seed.id.clone(), &*seed.name, seed.created_at);
        Self { info, records: Arc::new(RwLock::new(Records::new(seed))) }
    }
}

impl Records {
    fn new(seed: BusinessSeed) -> Self {
        let BusinessSeed { mut clients, mut pipelines, leads, forms, mut idempotency, .. } = seed;
        clients.sort_by(|a, b| (&a.name, &a.id).cmp(&(&b.name, &b.id)));
        pipelines.sort_by(|a, b| (a.created_at, &a.id).cmp(&(b.created_at, &b.id)));
        let directory = Directory::new(&clients, &pipelines);
        // Converts all leads first, so the memory of the parsed leads is freed before the index is allocated.
        // Allocators often return freed memory to the system only on a later call, and a filled store may not allocate
        // for a long time.
        let mut shared = Vec::with_capacity(leads.len());
        shared.extend(leads.into_iter().map(|lead| directory.intern(lead)));
        let mut held = Leads::default();
        for lead in &shared {
            held.insert(lead);
        }
        idempotency.sort_by_key(|seed| seed.lead.created_at);
        for seed in idempotency {
            held.remember(&seed.idempotency, &Arc::new(seed.lead));
        }
        let forms = forms.iter().filter_map(|form| to_raw_value(form).ok()).collect();
        Self { clients, pipelines, directory, forms, leads: held, is_removed: false }
    }

    pub(super) fn forms(&self) -> Vec<FormRecord> {
        // Parsing cannot fail, because each text was serialized from a record (contract D11).
        self.forms.iter().filter_map(|text| serde_json::from_str(text.get()).ok()).collect()
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
        let at = meta.at;
        let created = self.write(business, |Records { directory, leads, .. }| {
            leads.forget_old_keys(at);
            if let Some(answer) = idempotency.and_then(|idempotency| leads.replay(idempotency, at)) {
                return Ok(answer);
            }
            let references = directory.look_up(draft.required_lookups());
            let lead = match draft.into_lead(meta, &references) {
                Ok(lead) => directory.intern(lead),
                Err(reference) => return Ok(Created::Refused(reference)),
            };
            if !leads.insert(&lead) {
                return Err(StoreError::AlreadyExists(format!("lead {}", lead.id).into()));
            }
            if let Some(idempotency) = idempotency {
                leads.remember(idempotency, &lead);
            }
            Ok(Created::New(lead))
        });
        created.unwrap_or(Ok(Created::Refused(InvalidReference::Client)))
    }

    async fn get(&self, business: &BusinessId, id: &LeadId) -> Result<Option<Arc<Lead>>, StoreError> {
        Ok(self.read(business, |records| records.leads.by_id.get(id).cloned()).flatten())
    }

    async fn update(
        &self,
        business: &BusinessId,
        _: &Author,
        id: &LeadId,
        edit: &LeadEdit,
    ) -> Result<Updated, StoreError> {
        let updated = self.write(business, |Records { directory, leads, .. }| {
            let Some(place) = leads.by_id.get_mut(id) else { return Updated::Missing };
            let after = match edit.apply(place, &directory.look_up(edit.required_lookups())) {
                Ok(lead) => directory.intern(lead),
                Err(reference) => return Updated::Refused(reference),
            };
            let before = mem::replace(place, after.clone());
            leads.index.remove(&before);
            leads.index.insert(&after);
            Updated::Changed(after)
        });
        Ok(updated.unwrap_or(Updated::Missing))
    }

    async fn delete(&self, business: &BusinessId, _: &Author, id: &LeadId) -> Result<bool, StoreError> {
        let deleted = self.write(business, |Records { leads, .. }| {
            let removed = leads.by_id.remove(id);
            if let Some(lead) = &removed {
                leads.index.remove(lead);
            }
            removed.is_some()
        });
        Ok(deleted.unwrap_or(false))
    }

    async fn list(&self, business: &BusinessId, query: &LeadQuery) -> Result<Listed, StoreError> {
        let listed = self.read(business, |Records { directory, leads, .. }| {
            directory.check_filters(query).map(|()| leads.index.page(query))
        });
        let listed = listed.unwrap_or_else(|| Directory::default().check_filters(query).map(|()| (Vec::new(), 0)));
        Ok(match listed {
            Ok((data, total)) => Listed::Page(Page::new(data, total as u64, query.window)),
            Err(reference) => Listed::Refused(reference),
        })
    }

    async fn pipelines(&self, business: &BusinessId, window: Window) -> Result<Page<Pipeline>, StoreError> {
        let found = self.read(business, |records| page(&records.pipelines, window));
        Ok(found.unwrap_or_else(|| page(&[], window)))
    }

    async fn clients(&self, business: &BusinessId, window: Window) -> Result<Page<ClientAccount>, StoreError> {
        let found = self.read(business, |records| page(&records.clients, window));
        Ok(found.unwrap_or_else(|| page(&[], window)))
    }
}

fn page<T: Clone>(all: &[T], window: Window) -> Page<T> {
    Page::new(window.slice(all).to_vec(), all.len() as u64, window)
}

#[cfg(test)]
mod tests;
