//! The conformance suite for [`Store`] and [`TokenStore`], for hosts that bring their own.
//!
//! It checks what the [ports](crate::port) promise. Its data sets, ids and timestamps are fixed, so every run gives the
//! same result.
//!
//! ```
//! use leadapi_core::{conformance, memory::{MemoryStore, MemoryTokens}};
//!
//! # futures_executor::block_on(async {
//! conformance::run(async |dataset| Ok(MemoryStore::new(dataset))).await?;
//! conformance::run_tokens(async |_| Ok(MemoryTokens::default())).await?;
//! # Ok::<(), conformance::Violation>(())
//! # }).unwrap();
//! ```

mod create;
mod exact;
mod idempotency;
mod isolation;
mod list;
mod many;
mod tokens;
mod twins;
mod update;

use std::sync::Arc;

use crate::{
    BoxError,
    dataset::Dataset,
    id::{BusinessId, ClientId, LeadId, PipelineId, StageId},
    model::{Lead, LeadPatch, LeadQuery, NewLead, Page, Timestamp},
    port::{Created, Idempotency, Listed, Store, StoreError, TokenStore, Updated},
    validate::{LeadDraft, LeadEdit, NewLeadMeta},
};

/// A behaviour of a store that violates the contract.
#[derive(Debug, thiserror::Error)]
#[error("{check}: {fault}")]
pub struct Violation {
    check: &'static str,
    fault: BoxError,
}

/// Runs each check on a fresh store that holds a data set.
macro_rules! checks {
    ($make:ident; $($module:ident($fixture:path): $($check:ident)*;)*) => {$($(
        let check = concat!(stringify!($module), "::", stringify!($check));
        let outcome = async { $module::$check(&$make(Dataset::parse($fixture)?).await?).await };
        outcome.await.map_err(|fault| Violation { check, fault })?;
    )*)*};
}

/// Runs every check of a store of leads, each on a fresh store.
///
/// `make` receives a data set. It returns a store that holds exactly its client accounts, pipelines and leads.
///
/// # Errors
///
/// Returns the first [`Violation`]: a failed check, or an error of `make` or of the store.
pub async fn run<S: Store>(make: impl AsyncFn(Dataset) -> Result<S, BoxError>) -> Result<(), Violation> {
    checks! { make;
        create(FIXTURE): keeps_every_value keeps_every_moment places_by_stage_and_pipeline refuses_what_is_not_there
            refuses_an_id_twice;
        update(FIXTURE): merges sets_and_clears_everything places moves_in_the_lists refuses_what_is_not_there
            loses_no_change deletes_once;
        list(FIXTURE): orders_and_pages filters_and_counts refuses_foreign_filters pipelines_and_clients;
        idempotency(FIXTURE): replays_the_first_answer tells_other_bodies_apart remembers_successes_alone
            forgets_after_a_day lets_one_of_many_twins_in;
        isolation(FIXTURE): hides_the_leads_of_others hides_the_references_of_others gives_nothing_to_a_stranger;
        exact(exact::CLOSE_IDS): orders_by_code_points tells_ids_apart takes_no_wildcards;
        twins(twins::SAME_IDS): reads_its_own changes_its_own remembers_its_own;
        many(FIXTURE): pages_like_a_model;
    }
    Ok(())
}

/// Runs every check of a store of tokens, each on a fresh store.
///
/// `make` receives a data set of two businesses. It returns a store that knows both and holds no token.
///
/// # Errors
///
/// Returns the first [`Violation`]: a failed check, or an error of `make` or of the store.
pub async fn run_tokens<S: TokenStore>(make: impl AsyncFn(Dataset) -> Result<S, BoxError>) -> Result<(), Violation> {
    checks! { make;
        tokens(tokens::BUSINESSES): keeps_every_field lists_in_order finds_by_the_whole_hash refuses_twins
            lets_one_of_many_twins_in keeps_the_first_revocation deletes_once keeps_businesses_apart;
    }
    Ok(())
}

type Check = Result<(), BoxError>;

/// Fails the check unless the two values are equal.
fn same<T: PartialEq + std::fmt::Debug>(what: &str, found: &T, expected: &T) -> Check {
    if found == expected { Ok(()) } else { Err(format!("{what}: found {found:?}, expected {expected:?}").into()) }
}

/// Fails the check unless a store refused to insert a record, because its id already exists.
fn already_exists<T: std::fmt::Debug>(what: &str, outcome: &Result<T, StoreError>) -> Check {
    match outcome {
        Err(StoreError::AlreadyExists(_)) => Ok(()),
        other => Err(format!("{what}: found {other:?}, expected StoreError::AlreadyExists").into()),
    }
}

/// Two businesses with some names in common. A locale's collation orders these names differently than code points do.
const FIXTURE: &str = r#"{"businesses": [
    {"id": "b1", "name": "One", "created_at": "2026-01-01T00:00:00Z",
     "clients": [
        {"id": "c1", "name": "apple", "created_at": "2026-01-01T00:00:00Z"},
        {"id": "c2", "name": "Zebra", "created_at": "2026-01-02T00:00:00Z"},
        {"id": "c4", "name": "Éclair", "created_at": "2026-01-03T00:00:00Z"},
        {"id": "c3", "name": "apple", "created_at": "2026-01-04T00:00:00Z"}],
     "pipelines": [
        {"id": "p2", "name": "Second", "created_at": "2026-02-02T00:00:00Z", "stages": [
            {"id": "s21", "name": "Only", "position": 1}]},
        {"id": "p3", "name": "As old", "created_at": "2026-02-02T00:00:00Z", "stages": [
            {"id": "s31", "name": "Only", "position": 1}]},
        {"id": "p1", "name": "First", "created_at": "2026-02-01T00:00:00Z", "stages": [
            {"id": "s12", "name": "Then", "position": 2}, {"id": "s11", "name": "First", "position": 1}]}]},
    {"id": "b2", "name": "Two", "created_at": "2026-01-01T00:00:00Z",
     "clients": [{"id": "d1", "name": "apple", "created_at": "2026-01-01T00:00:00Z"}],
     "pipelines": [{"id": "q1", "name": "First", "created_at": "2026-02-01T00:00:00Z", "stages": [
        {"id": "t1", "name": "First", "position": 1}]}],
     "leads": [{"id": "m1", "client_id": "d1", "name": "Ann", "stage_id": "t1", "created_at": "2026-03-01T00:00:00Z"}]}
]}"#;

// Ids of the fixture and of the leads that the checks create.

fn business(id: &str) -> BusinessId {
    BusinessId::from_valid(id)
}

fn lead_id(id: &str) -> LeadId {
    LeadId::from_valid(id)
}

fn client(id: &str) -> ClientId {
    ClientId::from_valid(id)
}

fn stage(id: &str) -> StageId {
    StageId::from_valid(id)
}

fn pipeline(id: &str) -> PipelineId {
    PipelineId::from_valid(id)
}

/// A lead of client account `c1` with this name.
fn new(name: &str) -> NewLead {
    NewLead::new(&client("c1"), name)
}

fn draft(new: &NewLead) -> Result<LeadDraft, BoxError> {
    Ok(new.check()?)
}

fn edit(patch: &LeadPatch) -> Result<LeadEdit, BoxError> {
    Ok(patch.check()?)
}

fn meta(id: &str, at: &str) -> Result<NewLeadMeta, BoxError> {
    Ok(NewLeadMeta { id: lead_id(id), at: moment(at)? })
}

fn moment(at: &str) -> Result<Timestamp, BoxError> {
    Ok(at.parse()?)
}

const NOON: &str = "2026-05-04T12:00:00.000Z";

async fn try_create(
    store: &impl Store,
    id: &str,
    at: &str,
    lead: &NewLead,
    idempotency: Option<&Idempotency>,
) -> Result<Created, BoxError> {
    Ok(store.create(&business("b1"), meta(id, at)?, draft(lead)?, idempotency).await?)
}

/// Creates a lead in business `b1`.
async fn create(store: &impl Store, id: &str, at: &str, lead: &NewLead) -> Result<Arc<Lead>, BoxError> {
    match try_create(store, id, at, lead, None).await? {
        Created::New(lead) => Ok(lead),
        other => Err(format!("a lead was not created: {other:?}").into()),
    }
}

async fn change(store: &impl Store, id: &str, patch: &LeadPatch) -> Result<Updated, BoxError> {
    Ok(store.update(&business("b1"), &lead_id(id), &edit(patch)?).await?)
}

async fn page(store: &impl Store, owner: &str, query: &LeadQuery) -> Result<Page<Arc<Lead>>, BoxError> {
    match store.list(&business(owner), query).await? {
        Listed::Page(page) => Ok(page),
        other @ Listed::Refused(_) => Err(format!("a list was refused: {other:?}").into()),
    }
}

/// Returns the ids on a page, and the total.
async fn listed(store: &impl Store, query: &LeadQuery) -> Result<(Vec<String>, u64), BoxError> {
    let page = page(store, "b1", query).await?;
    Ok((page.data.iter().map(|lead| lead.id.to_string()).collect(), page.total))
}

fn ids(ids: &[&str]) -> Vec<String> {
    ids.iter().map(ToString::to_string).collect()
}
