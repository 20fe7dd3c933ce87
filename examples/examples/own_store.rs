//! A custom store in one file that passes the conformance suite. It keeps the leads of each business in a `BTreeMap`
//! behind a mutex.
//!
//! Run it with `cargo run -p leadapi-examples --example own_store`.
//!
//! The store does not decide in which pipeline and stage a lead is placed. The core's `Directory` looks up the ids that a
//! draft or an edit refers to, and `into_lead` and `apply` build the lead.

#![allow(clippy::print_stdout, reason = "the example prints to the terminal")]

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use leadapi_client::Client;
use leadapi_core::{
    BoxError,
    auth::Author,
    dataset::{Dataset, Directory},
    http::LeadService,
    id::{BusinessId, ClientId, LeadId, PipelineId, StageId},
    memory::{MemoryTokens, SystemClock},
    model::{ClientAccount, IdempotencyKey, Lead, LeadPatch, LeadQuery, NewLead, Page, Pipeline, Window},
    port::{Clock, Created, Idempotency, Listed, Store, StoreError, Updated},
    tokens::{self, StoredTokens},
    validate::{LeadDraft, LeadEdit, NewLeadMeta},
};

/// The data of all businesses. For an unknown business, every lookup finds nothing.
#[derive(Default)]
struct Shops {
    by_business: HashMap<BusinessId, Shop>,
    empty: Shop,
}

/// The data of one business. Client accounts and pipelines never change, so they need no lock.
#[derive(Default)]
struct Shop {
    /// Sorted by name, then by id.
    clients: Vec<ClientAccount>,
    /// Sorted by creation time (oldest first), then by id. The stages of each pipeline are sorted by position.
    pipelines: Vec<Pipeline>,
    /// Finds the records that a lead refers to. The core decides how they affect the lead.
    directory: Directory,
    leads: Mutex<Leads>,
}

#[derive(Default)]
struct Leads {
    by_id: BTreeMap<LeadId, Arc<Lead>>,
    /// The idempotency keys of past creates, each with the request's fingerprint and the lead from the first response.
    remembered: HashMap<IdempotencyKey, ([u8; 32], Arc<Lead>)>,
}

impl Shops {
    fn new(dataset: Dataset) -> Self {
        let shops = dataset.businesses.into_iter().map(|business| {
            let (mut clients, mut pipelines) = (business.clients, business.pipelines);
            clients.sort_by(|a, b| (&a.name, &a.id).cmp(&(&b.name, &b.id)));
            pipelines.sort_by(|a, b| (a.created_at, &a.id).cmp(&(b.created_at, &b.id)));
            let by_id = business.leads.into_iter().map(|lead| (lead.id.clone(), Arc::new(lead))).collect();
            let leads = Mutex::new(Leads { by_id, ..Leads::default() });
            let directory = Directory::new(&clients, &pipelines);
            (business.id, Shop { clients, pipelines, directory, leads })
        });
        Self { by_business: shops.collect(), ..Self::default() }
    }

    fn of(&self, business: &BusinessId) -> &Shop {
        self.by_business.get(business).unwrap_or(&self.empty)
    }
}

impl Shop {
    /// Locks the leads. Each store method takes the lock at most once, so it is atomic. No code panics while it holds
    /// the lock, so recovering from poisoning is safe.
    fn lock(&self) -> MutexGuard<'_, Leads> {
        self.leads.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Store for Shops {
    async fn create(
        &self,
        business: &BusinessId,
        // The verifier's tokens are not in this store, so the store has nothing to check.
        _: &Author,
        meta: NewLeadMeta,
        draft: LeadDraft,
        idempotency: Option<&Idempotency>,
    ) -> Result<Created, StoreError> {
        let shop = self.of(business);
        let mut leads = shop.lock();
        leads.remembered.retain(|_, (_, lead)| !Idempotency::has_expired(lead.created_at, meta.at));
        if let Some(idempotency) = idempotency
            && let Some((fingerprint, lead)) = leads.remembered.get(&idempotency.key)
            && let Some(outcome) = idempotency.replay(fingerprint, lead, meta.at)
        {
            return Ok(outcome);
        }
        let references = shop.directory.look_up(draft.required_lookups());
        let lead = match draft.into_lead(meta, &references) {
            Ok(lead) => Arc::new(lead),
            Err(reference) => return Ok(Created::Refused(reference)),
        };
        if leads.by_id.contains_key(&lead.id) {
            return Err(StoreError::AlreadyExists(format!("lead {}", lead.id).into()));
        }
        leads.by_id.insert(lead.id.clone(), lead.clone());
        if let Some(Idempotency { key, fingerprint, .. }) = idempotency {
            leads.remembered.insert(key.clone(), (*fingerprint, lead.clone()));
        }
        Ok(Created::New(lead))
    }

    async fn get(&self, business: &BusinessId, id: &LeadId) -> Result<Option<Arc<Lead>>, StoreError> {
        Ok(self.of(business).lock().by_id.get(id).cloned())
    }

    async fn update(
        &self,
        business: &BusinessId,
        _: &Author,
        id: &LeadId,
        edit: &LeadEdit,
    ) -> Result<Updated, StoreError> {
        let shop = self.of(business);
        let mut leads = shop.lock();
        let Some(lead) = leads.by_id.get_mut(id) else { return Ok(Updated::Missing) };
        Ok(match edit.apply(lead, &shop.directory.look_up(edit.required_lookups())) {
            Ok(after) => {
                *lead = Arc::new(after);
                Updated::Changed(lead.clone())
            }
            Err(reference) => Updated::Refused(reference),
        })
    }

    async fn delete(&self, business: &BusinessId, _: &Author, id: &LeadId) -> Result<bool, StoreError> {
        Ok(self.of(business).lock().by_id.remove(id).is_some())
    }

    async fn list(&self, business: &BusinessId, query: &LeadQuery) -> Result<Listed, StoreError> {
        let shop = self.of(business);
        let LeadQuery { client, stage, window, .. } = query;
        if let Err(reference) = shop.directory.check_filters(query) {
            return Ok(Listed::Refused(reference));
        }
        let matches = |lead: &&Arc<Lead>| {
            client.as_ref().is_none_or(|id| lead.client_id == *id)
                && stage.as_ref().is_none_or(|id| lead.stage_id.as_ref() == Some(id))
        };
        let mut found: Vec<Arc<Lead>> = shop.lock().by_id.values().filter(matches).cloned().collect();
        found.sort_by(|a, b| (b.created_at, &b.id).cmp(&(a.created_at, &a.id)));
        Ok(Listed::Page(page(&found, *window)))
    }

    async fn pipelines(&self, business: &BusinessId, window: Window) -> Result<Page<Pipeline>, StoreError> {
        Ok(page(&self.of(business).pipelines, window))
    }

    async fn clients(&self, business: &BusinessId, window: Window) -> Result<Page<ClientAccount>, StoreError> {
        Ok(page(&self.of(business).clients, window))
    }
}

fn page<T: Clone>(all: &[T], window: Window) -> Page<T> {
    Page::new(window.slice(all).to_vec(), all.len() as u64, window)
}

fn main() -> Result<(), BoxError> {
    futures_executor::block_on(run())
}

async fn run() -> Result<(), BoxError> {
    leadapi_conformance::run(async |dataset| Ok(Shops::new(dataset))).await?;
    println!("the store passes the conformance suite");

    let dataset = Dataset::parse(
        r#"{"businesses": [{"id": "sol", "name": "Sol", "created_at": "2026-01-12T09:00:00Z",
            "clients": [{"id": "casa-verde", "name": "Casa Verde", "created_at": "2026-01-12T09:00:00Z"}],
            "pipelines": [{"id": "sales", "name": "Sales", "created_at": "2026-01-12T09:00:00Z", "stages": [
                {"id": "new", "name": "New", "position": 1}, {"id": "won", "name": "Won", "position": 2}]}],
            "tokens": [{"name": "example", "scopes": ["read", "write"]}]}]}"#,
    )?;
    let tokens = MemoryTokens::default();
    let issued = tokens::import(&tokens, &dataset, SystemClock.now()).await?;
    let token = issued.into_iter().next().ok_or("no token")?.secret;
    let service = LeadService::builder(Shops::new(dataset), StoredTokens::new(tokens, SystemClock)).build()?;
    let client = Client::builder("http://in-process", token).in_process(service).build()?;

    let (account, sales, won) = (ClientId::parse("casa-verde")?, PipelineId::parse("sales")?, StageId::parse("won")?);
    let key = IdempotencyKey::parse("row-1")?;
    let new = NewLead::new(&account, "Élodie Martin").pipeline(&sales);
    let first = client.leads().create(&new).idempotency_key(key.clone()).await?;
    println!("created in stage {:?}", first.stage_id);
    let (_, again) = client.leads().create(&new).idempotency_key(key).with_meta().await?;
    println!("created again with the same key, replayed: {}", again.is_replayed());

    let moved = client.leads().update(&first.id, &LeadPatch::new().stage(&won)).await?;
    println!("moved to stage {:?} of {:?}", moved.stage_id, moved.pipeline_id);

    let lost = LeadPatch::new().stage(&StageId::parse("lost")?);
    println!("{}", refusal(client.leads().update(&first.id, &lost).await));
    println!("{}", refusal(client.leads().create(&NewLead::new(&ClientId::parse("elsewhere")?, "Ann")).await));

    let page = client.leads().list(&LeadQuery::new().client(account).stage(won)).await?;
    println!("{} lead in stage won", page.total);
    Ok(())
}

fn refusal<T>(result: Result<T, leadapi_client::Error>) -> String {
    result.err().map_or_else(|| "done".to_owned(), |error| error.to_string())
}
