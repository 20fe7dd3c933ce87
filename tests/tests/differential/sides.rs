//! One service on each kind of store, with a shared clock and shared lead ids.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use bytes::Bytes;
use http::Request;
use leadapi_core::{
    BoxError,
    auth::Actor,
    dataset::{BusinessSeed, Dataset},
    http::LeadService,
    id::{LeadId, TokenId},
    memory::MemoryStore,
    model::Timestamp,
    port::{Admission, Class, RateLimiter, TokenAction, TokenChange},
    tokens::StoredTokens,
};
use leadapi_tests::{OpenStore, Ports, Seed, StoreKind, TestResponse, Transport, maintenance};

use super::{
    fixture::Tenant,
    operation::{self, Operation},
};

/// The result of a check; the error describes what is wrong.
pub(crate) type Check<T = ()> = Result<T, String>;

/// The lifetime of an idempotency key, in milliseconds (contract D10).
const DAY: i64 = 24 * 60 * 60 * 1_000;
/// The span of creation times that share a PostgreSQL partition, in milliseconds. The partitions are used in rotation.
const TURN: i64 = DAY / 2;
const PARTITIONS: i64 = 4;

/// A store of each kind, opened once.
pub(crate) struct Stores(Vec<OpenStore>);

impl Stores {
    /// Opens a store of each kind. The first one is in memory and serves as the reference.
    pub(crate) async fn open(seed: &Seed) -> Self {
        let mut stores = Vec::new();
        for kind in StoreKind::all() {
            stores.push(kind.open(seed.clone()).await);
        }
        Self(stores)
    }

    /// Resets all stores to the seed, and starts a new case.
    pub(crate) async fn begin(&self) -> Sides<'_> {
        let time = Arc::new(Mutex::new("2026-05-04T07:58:12.004Z".parse().unwrap()));
        let next = Arc::new(Mutex::new(LeadId::parse("first").unwrap()));
        let mut all = Vec::new();
        for store in &self.0 {
            store.reset().await;
            let ports = store.ports().await;
            let service = service(&ports, &time, &next);
            all.push(Side { open_store: store, ports, service });
        }
        Sides { time, next, all }
    }
}

fn service(ports: &Ports, time: &Arc<Mutex<Timestamp>>, next: &Arc<Mutex<LeadId>>) -> LeadService {
    let clock = || {
        let time = time.clone();
        move || get(&time)
    };
    let next = next.clone();
    LeadService::builder(ports.store.clone(), StoredTokens::new(ports.tokens.clone(), clock()))
        .limiter(AllowAll)
        .clock(clock())
        .ids(move |_| get(&next))
        .build()
        .unwrap()
}

fn get<T: Clone>(value: &Mutex<T>) -> T {
    value.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

fn put<T>(value: &Mutex<T>, new: T) {
    *value.lock().unwrap_or_else(PoisonError::into_inner) = new;
}

/// The stores during one case.
pub(crate) struct Sides<'a> {
    time: Arc<Mutex<Timestamp>>,
    next: Arc<Mutex<LeadId>>,
    pub(crate) all: Vec<Side<'a>>,
}

pub(crate) struct Side<'a> {
    pub(crate) open_store: &'a OpenStore,
    pub(crate) ports: Ports,
    service: LeadService,
}

impl Sides<'_> {
    /// Performs an operation on all stores, and checks that the outcomes are the same. Also checks that a request does
    /// not change the idempotency keys of the other business.
    pub(crate) async fn play(&self, operation: &Operation) -> Check {
        if let Operation::Create { tenant, id, .. } = operation {
            put(&self.next, LeadId::parse(id.lead(*tenant)).unwrap());
        }
        if let Operation::Wait(seconds) = operation {
            let (now, by) = (get(&self.time), Duration::from_secs(seconds.unsigned_abs()));
            let moved = if *seconds < 0 { now.checked_sub(by) } else { now.checked_add(by) };
            put(&self.time, moved.unwrap());
        }
        if matches!(operation, Operation::DeleteExpiredKeys) {
            return self.delete_expired_keys().await;
        }
        if let Some((tenant, request)) = operation::request(operation) {
            let before = self.written(tenant.other()).await;
            self.send(tenant, &request).await?;
            let after = self.written(tenant.other()).await;
            return if before == after {
                Ok(())
            } else {
                Err(format!("the other business's leads or keys changed from {before:?} to {after:?}"))
            };
        }
        let mut outcomes = Vec::new();
        for side in &self.all {
            outcomes.push(side.manage(operation, get(&self.time)).await);
        }
        self.alike(&outcomes)?;
        match operation {
            Operation::Tokens { tenant } => silent(*tenant, &outcomes[0]),
            _ => Ok(()),
        }
    }

    /// Returns the rows of each database that requests of a business can write: its idempotency keys and its leads.
    async fn written(&self, tenant: Tenant) -> Vec<Vec<Vec<String>>> {
        let (business, mut written) = (tenant.business(), Vec::new());
        for (_, raw) in self.all.iter().filter_map(|side| side.open_store.sql()) {
            for (columns, table, order) in [("key, created_at", "idempotency", "key"), ("*", "lead", "id")] {
                let rows = format!("SELECT {columns} FROM {table} WHERE business_id = '{business}' ORDER BY {order}");
                written.push(raw.rows(&rows).await);
            }
        }
        written
    }

    /// Deletes expired keys, and checks that exactly the keys that are at least a day old are gone. PostgreSQL also
    /// keeps an expired key that shares a partition with an unexpired key.
    async fn delete_expired_keys(&self) -> Check {
        let now = get(&self.time);
        for side in &self.all {
            let Some((store, raw)) = side.open_store.sql() else { continue };
            let rows = "SELECT business_id, key, created_at FROM idempotency ORDER BY business_id, key";
            let mut expected = raw.rows(rows).await;
            let until = now.unix_millis() - DAY;
            let is_postgres = side.open_store.kind == StoreKind::Postgres;
            let at = |row: &Vec<String>| row[2].parse::<i64>().unwrap();
            let partition = |row: &Vec<String>| at(row) / TURN % PARTITIONS;
            let in_use: Vec<i64> = expected.iter().filter(|row| at(row) > until).map(partition).collect();
            let is_kept = |row: &Vec<String>| in_use.contains(&partition(row)) || maintenance::prevents_truncation();
            expected.retain(|row| at(row) > until || (is_postgres && is_kept(row)));
            store.delete_expired_at(now).await.map_err(|error| error.to_string())?;
            let keys = raw.rows(rows).await;
            if keys != expected {
                return Err(format!("{:?} has the keys {keys:?} instead of {expected:?}", side.open_store.kind));
            }
        }
        Ok(())
    }

    /// Recreates the in-memory store from these businesses. The SQL stores have already applied the change.
    pub(crate) fn reload(&mut self, businesses: Vec<BusinessSeed>) {
        let side = &mut self.all[0];
        side.ports.store = Arc::new(MemoryStore::new(Dataset::new(businesses)));
        side.service = service(&side.ports, &self.time, &self.next);
    }

    /// Sends a request to all stores, and checks that the responses are the same.
    pub(crate) async fn send(&self, tenant: Tenant, request: &Request<Bytes>) -> Check<TestResponse> {
        let mut answers: Vec<TestResponse> = Vec::new();
        for side in &self.all {
            answers.push(side.service.send(request.clone()).await.into());
        }
        let responses: Vec<String> = answers.iter().map(TestResponse::bytes).collect();
        for response in &responses {
            silent(tenant, response)?;
        }
        self.alike(&responses)
            .map_err(|wrong| format!("{tenant:?} {} {}: {wrong}", request.method(), request.uri()))?;
        Ok(answers.swap_remove(0))
    }

    /// Checks that all outcomes equal the outcome of the in-memory store.
    pub(crate) fn alike(&self, outcomes: &[String]) -> Check {
        for (side, outcome) in self.all.iter().zip(outcomes) {
            if *outcome != outcomes[0] {
                return Err(format!(
                    "{:?} reports\n{outcome}\nbut the in-memory store reports\n{}",
                    side.open_store.kind, outcomes[0]
                ));
            }
        }
        Ok(())
    }
}

impl Side<'_> {
    /// Performs a token operation that the API does not offer. Error texts differ between stores, so they are not
    /// compared.
    async fn manage(&self, operation: &Operation, now: Timestamp) -> String {
        let tokens = &self.ports.tokens;
        let id = |of: &Tenant, nth: usize| -> TokenId { of.token(nth).id };
        let change = async |tenant: &Tenant, action| {
            let change = TokenChange::new(action, now, Actor::new("ann@b1.example", None));
            tokens.change(&tenant.business(), &change).await.map(|changed| format!("{changed:?}"))
        };
        let outcome = match operation {
            Operation::Tokens { tenant } => tokens.list(&tenant.business()).await.map(|tokens| format!("{tokens:?}")),
            Operation::Revoke { tenant, of, token } => change(tenant, TokenAction::Revoke(id(of, *token))).await,
            Operation::Forget { tenant, of, token } => change(tenant, TokenAction::Delete(id(of, *token))).await,
            // A store refuses to insert a token that already exists in any business.
            Operation::Keep { tenant, of, token } => {
                tokens.insert(&tenant.business(), of.token(*token)).await.map(|()| String::new())
            }
            _ => Ok(String::new()),
        };
        outcome.unwrap_or_else(|_| "an error".to_owned())
    }
}

/// Checks that a response contains no data of the other business.
pub(crate) fn silent(tenant: Tenant, response: &str) -> Check {
    let foreign = tenant.other().canary();
    if response.contains(foreign) { Err(format!("{tenant:?} receives {foreign}: {response}")) } else { Ok(()) }
}

/// A limiter that admits every request, because rate limits are not part of the stores.
struct AllowAll;

#[async_trait]
impl RateLimiter for AllowAll {
    async fn admit(&self, _: &TokenId, _: Class) -> Result<Admission, BoxError> {
        Ok(Admission::Admitted)
    }
}
