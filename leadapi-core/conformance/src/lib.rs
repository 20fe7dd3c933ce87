#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

/// Evaluates to a value with other values in some fields. The structs of the ports may get more fields, so this crate
/// cannot write them as literals.
macro_rules! with {
    ($value:expr, $($field:ident: $new:expr),+) => {{
        let mut value = $value;
        $(value.$field = $new;)+
        value
    }};
}

mod admin;
mod collation;
mod create;
mod idempotency;
mod isolation;
mod limiter;
mod list;
mod many;
mod same_ids;
mod settings_authority;
mod settings_limits;
mod settings_sessions;
mod settings_tokens;
mod shared_limiter;
mod tokens;
mod update;

use std::{str::FromStr, sync::Arc};

use leadapi_core::{
    BoxError,
    admin::Admin,
    auth::Author,
    dataset::Dataset,
    id::{BusinessId, ClientId, InvalidId, LeadId, PipelineId, StageId, TokenId},
    model::{Lead, LeadPatch, LeadQuery, NewLead, Page, Timestamp},
    port::{Created, Idempotency, Listed, SettingsStore, Store, StoreError, TokenStore, Updated},
    validate::{LeadDraft, LeadEdit, NewLeadMeta, OptionalText, Shape},
};

pub use self::{limiter::run_limiter, shared_limiter::run_shared_limiter};

/// A failed check: the store or rate limiter violates the contract, or an error prevented the check.
#[derive(Debug, thiserror::Error)]
#[error("{check}: {fault}")]
pub struct Violation {
    check: &'static str,
    fault: BoxError,
}

/// Runs each check on a fresh store that contains a data set.
macro_rules! checks {
    ($make:ident; $($module:ident($fixture:path): $($check:ident)*;)*) => {$($(
        let check = concat!(stringify!($module), "::", stringify!($check));
        let outcome = async { $module::$check(&$make(Dataset::parse($fixture)?).await?).await };
        outcome.await.map_err(|fault| Violation { check, fault })?;
    )*)*};
}

/// Runs every check of a lead store, each on a fresh store.
///
/// `make` receives a data set and returns a store that contains exactly the data set's client accounts, pipelines and
/// leads.
///
/// # Errors
///
/// Returns the first [`Violation`]: a failed check, or an error from `make` or from the store.
pub async fn run<S: Store>(make: impl AsyncFn(Dataset) -> Result<S, BoxError>) -> Result<(), Violation> {
    checks! { make;
        create(FIXTURE): preserves_every_value preserves_timestamps assigns_pipeline_and_stage
            refuses_missing_references refuses_a_duplicate_id;
        update(FIXTURE): applies_a_merge_patch sets_and_clears_every_field assigns_pipeline_and_stage
            moves_between_lists refuses_missing_references applies_concurrent_changes deletes_once;
        list(FIXTURE): orders_and_pages filters_and_counts refuses_filters_of_other_businesses
            lists_pipelines_and_clients;
        idempotency(FIXTURE): replays_the_first_response detects_a_reused_key stores_keys_of_successes_only
            expires_keys_after_24_hours creates_one_lead_for_concurrent_requests;
        isolation(FIXTURE): hides_leads_of_other_businesses hides_references_of_other_businesses
            treats_an_unknown_business_as_empty;
        collation(collation::SIMILAR_IDS): orders_by_code_points distinguishes_similar_ids treats_wildcards_literally;
        same_ids(same_ids::SAME_IDS): reads_own_records changes_own_records replays_own_keys;
        many(FIXTURE): pages_match_a_model;
    }
    Ok(())
}

/// Runs every check of a token store, each on a fresh store.
///
/// `make` receives a data set with two businesses and returns a store that contains both businesses and no tokens.
///
/// # Errors
///
/// Returns the first [`Violation`]: a failed check, or an error from `make` or from the store.
pub async fn run_tokens<S: TokenStore>(make: impl AsyncFn(Dataset) -> Result<S, BoxError>) -> Result<(), Violation> {
    checks! { make;
        tokens(tokens::BUSINESSES): preserves_every_field lists_in_order finds_by_the_whole_hash refuses_duplicates
            inserts_one_of_concurrent_duplicates records_a_use_every_15_minutes isolates_businesses;
    }
    Ok(())
}

/// Runs every check of a settings store, each on a fresh store. The checks of [`run_tokens`] are not included.
///
/// `make` receives a data set and returns a store that contains its two businesses and their members, but no tokens.
///
/// # Errors
///
/// Returns the first [`Violation`]: a failed check, or an error from `make` or from the store.
pub async fn run_settings<S: SettingsStore>(
    make: impl AsyncFn(Dataset) -> Result<S, BoxError>,
) -> Result<(), Violation> {
    checks! { make;
        settings_tokens(settings_sessions::MEMBERS): creates_with_an_audit_entry refuses_the_name_of_a_valid_token
            creates_one_of_concurrent_names rotates_with_an_overlap applies_all_of_a_change_or_nothing revokes_once
            deletes_only_invalid_tokens pages_the_audit_log;
        settings_sessions(settings_sessions::MEMBERS): finds_members_ignoring_case a_link_works_once a_link_expires
            a_link_works_once_for_concurrent_requests a_session_ends_when_idle a_session_ends_after_its_lifetime
            limits_the_sessions_of_a_person limits_the_new_sessions_of_a_minute isolates_sessions
            lists_sessions_in_order;
        settings_authority(settings_sessions::MEMBERS): confirms_the_membership confirms_the_session
            confirms_who_ends_a_session signs_in_owners_and_admins_only;
        settings_limits(settings_sessions::MEMBERS): limits_the_valid_tokens keeps_more_tokens_than_the_limit
            limits_the_new_tokens_of_a_minute pages_the_tokens;
    }
    Ok(())
}

/// Runs every check of an administration, each on a fresh store.
///
/// `make` receives a data set and returns a store that contains exactly the data set's records.
///
/// # Errors
///
/// Returns the first [`Violation`]: a failed check, or an error from `make` or from the store.
pub async fn run_admin<S: Admin>(make: impl AsyncFn(Dataset) -> Result<S, BoxError>) -> Result<(), Violation> {
    checks! { make;
        admin(admin::BUSINESSES): adds_renames_and_removes_businesses refuses_an_unknown_business keeps_an_owner
            changes_client_accounts changes_pipelines keeps_stages_in_order checks_the_references_of_forms;
    }
    Ok(())
}

type CheckResult = Result<(), BoxError>;

/// Fails the check unless the two values are equal.
fn same<T: PartialEq + std::fmt::Debug>(what: &str, found: &T, expected: &T) -> CheckResult {
    if found == expected { Ok(()) } else { Err(format!("{what}: found {found:?}, expected {expected:?}").into()) }
}

/// Fails the check unless the store rejected a record because its id already exists.
fn already_exists<T: std::fmt::Debug>(what: &str, outcome: &Result<T, StoreError>) -> CheckResult {
    match outcome {
        Err(StoreError::AlreadyExists(_)) => Ok(()),
        other => Err(format!("{what}: found {other:?}, expected StoreError::AlreadyExists").into()),
    }
}

/// A data set with two businesses, some of whose records have the same name. A linguistic collation would not sort the
/// names of the client accounts by code point.
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

// Constructors for ids that are in the fixture, or that the checks assign to new leads.

#[expect(clippy::expect_used, reason = "the checks contain only valid ids")]
fn valid<I: FromStr<Err = InvalidId>>(id: &str) -> I {
    id.parse().expect("an id of a check is valid")
}

fn business(id: &str) -> BusinessId {
    valid(id)
}

fn lead_id(id: &str) -> LeadId {
    valid(id)
}

fn client(id: &str) -> ClientId {
    valid(id)
}

fn token_id(id: &str) -> TokenId {
    valid(id)
}

fn stage(id: &str) -> StageId {
    valid(id)
}

fn pipeline(id: &str) -> PipelineId {
    valid(id)
}

/// Returns a new lead with this name that belongs to the client account `c1`.
fn new(name: &str) -> NewLead {
    NewLead::new(&client("c1"), name)
}

/// Returns one of two valid values for a text field. The values differ between fields, so a store that confuses two
/// fields fails the check.
fn sample(field: &OptionalText, nth: usize) -> String {
    let [first, second] = match field.rule.shape {
        Some(Shape::Email) => ["Zoë@Example.ORG", "o'b%_@example.org"].map(str::to_owned),
        Some(Shape::Phone) => ["+47 ٠١٢", "(030) 12/34"].map(str::to_owned),
        None => ["Zoë 🦀", "\\ ' % _"].map(|text| format!("{text} {}", field.name())),
    };
    if nth == 0 { first } else { second }
}

fn draft(new: &NewLead) -> Result<LeadDraft, BoxError> {
    Ok(new.check()?)
}

fn edit(patch: &LeadPatch) -> Result<LeadEdit, BoxError> {
    Ok(patch.check()?)
}

fn meta(id: &str, at: &str) -> Result<NewLeadMeta, BoxError> {
    Ok(NewLeadMeta::new(lead_id(id), timestamp(at)?))
}

fn timestamp(at: &str) -> Result<Timestamp, BoxError> {
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
    Ok(store.create(&business("b1"), &Author::Host, meta(id, at)?, draft(lead)?, idempotency).await?)
}

/// Creates a lead in business `b1`.
async fn create(store: &impl Store, id: &str, at: &str, lead: &NewLead) -> Result<Arc<Lead>, BoxError> {
    match try_create(store, id, at, lead, None).await? {
        Created::New(lead) => Ok(lead),
        other => Err(format!("a lead was not created: {other:?}").into()),
    }
}

async fn change(store: &impl Store, id: &str, patch: &LeadPatch) -> Result<Updated, BoxError> {
    Ok(store.update(&business("b1"), &Author::Host, &lead_id(id), &edit(patch)?).await?)
}

async fn page(store: &impl Store, owner: &str, query: &LeadQuery) -> Result<Page<Arc<Lead>>, BoxError> {
    match store.list(&business(owner), query).await? {
        Listed::Page(page) => Ok(page),
        other => Err(format!("a list was refused: {other:?}").into()),
    }
}

/// Returns the ids on a page of business `b1`, and the total.
async fn listed(store: &impl Store, query: &LeadQuery) -> Result<(Vec<String>, u64), BoxError> {
    let page = page(store, "b1", query).await?;
    Ok((page.data.iter().map(|lead| lead.id.to_string()).collect(), page.total))
}

fn ids(ids: &[&str]) -> Vec<String> {
    ids.iter().map(ToString::to_string).collect()
}
