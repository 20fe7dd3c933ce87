//! Applies any number of writes to the leads of one business in one transaction.
//!
//! [`run`] first loads the records that the writes need. It then applies each write in memory, in order, by the rules
//! of `leadapi-core`. Finally, it writes the changed records. The caller must prevent concurrent writes to the
//! business.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
};

use async_trait::async_trait;
use leadapi_core::{
    auth::Author,
    id::{BusinessId, ClientId, LeadId, PipelineId, StageId, TokenId},
    model::{IdempotencyKey, Lead},
    port::{Created, Idempotency, InvalidToken, Updated},
    validate::{LeadDraft, LeadEdit, LookupResult, NewLeadMeta, RequiredLookups},
};

use super::{
    author::{self, Validity},
    change::{ChangeKind, Changes},
    clock::StoreClock,
    error::SqlError,
    idempotency::{self, Record, RecordedLead, StoredResponse},
    lead,
    lead_counts::{CountBucket, CountChanges},
    lookup::{Found, Lookup},
    session::{Session, query},
    statement,
};

/// A write and its author.
#[derive(Debug, Clone)]
pub(crate) struct Write {
    pub(crate) author: Author,
    pub(crate) operation: LeadWrite,
}

/// A write operation of the [`Store`](leadapi_core::port::Store) port.
#[derive(Debug, Clone)]
pub(crate) enum LeadWrite {
    Create { meta: NewLeadMeta, draft: LeadDraft, idempotency: Option<Idempotency> },
    Update { id: LeadId, edit: LeadEdit },
    Delete { id: LeadId },
}

#[derive(Debug, Clone)]
pub(crate) enum WriteOutcome {
    Created(Created),
    Updated(Updated),
    Deleted(bool),
}

/// A transaction that loads and saves the records of writes. Each database does so in its own way.
#[async_trait]
pub(crate) trait WriteSession: Session {
    /// Looks up records, and passes those that exist to `found`, in any order.
    async fn look_up(
        &mut self,
        business: &BusinessId,
        lookups: BTreeSet<Lookup>,
        found: &mut (dyn FnMut(Found) + Send),
    ) -> Result<(), SqlError>;

    /// Saves all changes of the transaction. A failure may be reported only when the transaction ends.
    async fn save(&mut self, business: &BusinessId, changes: Changes) -> Result<(), SqlError>;
}

/// Runs the writes in the session's transaction.
pub(crate) async fn run(
    session: &mut dyn WriteSession,
    business: &BusinessId,
    writes: &[&Write],
    clock: &StoreClock,
) -> Result<Vec<Result<WriteOutcome, SqlError>>, SqlError> {
    let mut set = WriteSet::load(session, business, writes).await?;
    let outcomes = writes.iter().map(|write| set.apply(write, clock)).collect();
    set.save(session, business).await?;
    Ok(outcomes)
}

/// The records that the writes need, both as loaded and as changed so far.
#[derive(Debug, Default)]
struct WriteSet {
    clients: BTreeSet<ClientId>,
    first_stages: HashMap<PipelineId, StageId>,
    stage_pipelines: HashMap<StageId, PipelineId>,
    /// Sorted by id, so that all servers write leads in the same order.
    leads: BTreeMap<LeadId, Change<Lead>>,
    keys: BTreeMap<IdempotencyKey, Change<StoredResponse>>,
    /// The idempotency records, as loaded.
    records: Vec<(IdempotencyKey, Record)>,
    /// The tokens of the authors.
    authors: HashMap<TokenId, Validity>,
    newest_bucket: Option<CountBucket>,
}

#[derive(Debug)]
struct Change<T> {
    before: Option<Arc<T>>,
    after: Option<Arc<T>>,
}

impl<T> Change<T> {
    fn unchanged(found: Arc<T>) -> Self {
        Self { before: Some(found.clone()), after: Some(found) }
    }
}

impl Write {
    fn lookups(&self) -> impl Iterator<Item = Lookup> {
        let (named, lead, key) = match &self.operation {
            LeadWrite::Create { draft, idempotency, .. } => {
                (draft.required_lookups(), None, idempotency.as_ref().map(|idempotency| &idempotency.key))
            }
            LeadWrite::Update { id, edit } => (edit.required_lookups(), Some(id), None),
            LeadWrite::Delete { id } => (RequiredLookups::default(), Some(id), None),
        };
        let RequiredLookups { client, pipeline, stage, .. } = named;
        let client = client.cloned().map(Lookup::Client);
        let pipeline = pipeline.cloned().map(Lookup::Pipeline);
        let stage = stage.cloned().map(Lookup::Stage);
        let lead = lead.cloned().map(Lookup::Lead);
        let key = key.cloned().map(Lookup::Key);
        let author = author::token(&self.author).cloned().map(Lookup::Author);
        [client, pipeline, stage, lead, key, author].into_iter().flatten()
    }
}

impl WriteSet {
    async fn load(session: &mut dyn WriteSession, business: &BusinessId, writes: &[&Write]) -> Result<Self, SqlError> {
        let mut set = Self::default();
        let lookups = writes.iter().flat_map(|write| write.lookups()).collect();
        session.look_up(business, lookups, &mut |found| set.add(found)).await?;
        // Only a create whose key is already stored may need a second round trip.
        let referenced = set.records.iter().filter_map(|(_, record)| match &record.lead {
            RecordedLead::Unchanged(id) if !set.leads.contains_key(id) => Some(Lookup::Lead(id.clone())),
            _ => None,
        });
        let referenced: BTreeSet<Lookup> = referenced.collect();
        if !referenced.is_empty() {
            session.look_up(business, referenced, &mut |found| set.add(found)).await?;
        }
        for (key, record) in std::mem::take(&mut set.records) {
            let find = |id: &LeadId| set.leads.get(id).and_then(|lead| lead.before.clone());
            let stored = record.resolve(find)?;
            set.keys.insert(key, Change::unchanged(stored.into()));
        }
        Ok(set)
    }

    fn add(&mut self, found: Found) {
        match found {
            Found::Client(id) => drop(self.clients.insert(id)),
            Found::FirstStage(pipeline, id) => drop(self.first_stages.insert(pipeline, id)),
            Found::Stage(id, pipeline) => drop(self.stage_pipelines.insert(id, pipeline)),
            Found::Lead(lead) => drop(self.leads.insert(lead.id.clone(), Change::unchanged(lead))),
            Found::Record(key, record) => self.records.push((key, record)),
            Found::Author(id, validity) => drop(self.authors.insert(id, validity)),
            Found::NewestBucket(bucket) => self.newest_bucket = Some(bucket),
        }
    }

    fn references(&self, named: RequiredLookups<'_>) -> LookupResult {
        let mut found = LookupResult::default();
        found.client = named.client.and_then(|id| self.clients.get(id)).cloned();
        found.first_stage = named.pipeline.and_then(|id| self.first_stages.get(id)).cloned();
        found.stage_pipeline = named.stage.and_then(|id| self.stage_pipelines.get(id)).cloned();
        found
    }

    fn apply(&mut self, write: &Write, clock: &StoreClock) -> Result<WriteOutcome, SqlError> {
        if let Some(id) = author::token(&write.author) {
            self.authors.get(id).copied().unwrap_or(Err(InvalidToken::Unknown))?;
        }
        match &write.operation {
            LeadWrite::Create { meta, draft, idempotency } => {
                self.create(meta, draft, idempotency.as_ref(), clock).map(WriteOutcome::Created)
            }
            LeadWrite::Update { id, edit } => Ok(WriteOutcome::Updated(self.update(id, edit))),
            LeadWrite::Delete { id } => {
                let deleted = self.leads.get_mut(id).and_then(|lead| lead.after.take());
                Ok(WriteOutcome::Deleted(deleted.is_some()))
            }
        }
    }

    fn create(
        &mut self,
        meta: &NewLeadMeta,
        draft: &LeadDraft,
        idempotency: Option<&Idempotency>,
        clock: &StoreClock,
    ) -> Result<Created, SqlError> {
        let stored = idempotency.and_then(|idempotency| self.keys.get(&idempotency.key)?.after.as_ref());
        let replay =
            idempotency.zip(stored).and_then(|(idempotency, stored)| stored.replay(idempotency, meta.at, clock));
        if let Some(outcome) = replay {
            return Ok(outcome);
        }
        let references = self.references(draft.required_lookups());
        let lead = match draft.clone().into_lead(meta.clone(), &references) {
            Ok(lead) => Arc::new(lead),
            Err(reference) => return Ok(Created::Refused(reference)),
        };
        // If a lead with this id exists in the database but was not loaded, the insert violates the primary key.
        if self.leads.get(&lead.id).is_some_and(|known| known.before.is_some() || known.after.is_some()) {
            let text = format!("lead {}", lead.id);
            return Err(SqlError::Conflict(Arc::from(leadapi_core::BoxError::from(text))));
        }
        self.leads.insert(lead.id.clone(), Change { before: None, after: Some(lead.clone()) });
        if let Some(idempotency) = idempotency {
            let (fingerprint, stored_at) = (idempotency.fingerprint, Some(clock.key_time(meta.at)));
            let stored = StoredResponse { fingerprint, stored_at, lead: lead.clone() };
            let key = self.keys.entry(idempotency.key.clone()).or_insert(Change { before: None, after: None });
            key.after = Some(Arc::new(stored));
        }
        Ok(Created::New(lead))
    }

    fn update(&mut self, id: &LeadId, edit: &LeadEdit) -> Updated {
        let references = self.references(edit.required_lookups());
        let Some(lead) = self.leads.get_mut(id) else { return Updated::Missing };
        let Some(current) = &lead.after else { return Updated::Missing };
        match edit.apply(current, &references) {
            Ok(after) => {
                let after = Arc::new(after);
                lead.after = Some(after.clone());
                Updated::Changed(after)
            }
            Err(reference) => Updated::Refused(reference),
        }
    }

    async fn save(self, session: &mut dyn WriteSession, business: &BusinessId) -> Result<(), SqlError> {
        let (mut changes, mut counts) = (Changes::default(), CountChanges::default());
        for (key, change) in &self.keys {
            let Some(after) = change.after.as_ref().filter(|after| !is_same(change.before.as_ref(), after)) else {
                continue;
            };
            if change.before.is_some() {
                changes.add(ChangeKind::DeleteKey, query!(statement::DELETE_KEY, business, key));
            }
            // A later write in this transaction may have changed the lead.
            let lead = self.leads.get(&after.lead.id).and_then(|lead| lead.after.as_ref());
            changes.add(ChangeKind::InsertKey, after.insert(business, key, is_same(lead, &after.lead))?);
        }
        for (id, change) in &self.leads {
            match (&change.before, &change.after) {
                (None, None) => continue,
                (before, Some(after)) if is_same(before.as_ref(), after) => continue,
                (Some(before), _) => changes.add(ChangeKind::PreserveLead, idempotency::preserve(business, before)?),
                (None, Some(_)) => {}
            }
            match (&change.before, &change.after) {
                (None, Some(after)) => changes.add(ChangeKind::InsertLead, lead::insert(business, after)),
                (_, Some(after)) => changes.add(ChangeKind::UpdateLead, lead::update(business, after)),
                (_, None) => changes.add(ChangeKind::DeleteLead, query!(statement::DELETE_LEAD, business, id)),
            }
            counts.record(change.before.as_deref(), change.after.as_deref());
        }
        let full = counts.add_to(&mut changes, session, business, self.newest_bucket).await?;
        session.save(business, changes).await?;
        full.split(session, business).await
    }
}

fn is_same<T>(before: Option<&Arc<T>>, after: &Arc<T>) -> bool {
    before.is_some_and(|before| Arc::ptr_eq(before, after))
}
