//! Checks that changes to tokens follow the rules, and that each change adds its entries to the audit log (contract
//! D8).

use std::collections::HashSet;

use futures_util::future::join_all;
use leadapi_core::{
    BoxError,
    auth::{Actor, Scopes, TokenHash},
    id::TokenId,
    model::Window,
    port::{
        AuditAction, AuditEntry, Replacement, SettingsStore, TokenAction, TokenChange, TokenChanged, TokenRecord,
        TokenRefusal,
    },
};

use super::{CheckResult, business, same, timestamp, token_id};

const NOON: &str = "2026-05-04T12:00:00.000Z";
const LATER: &str = "2026-05-04T12:00:00.001Z";

/// Returns a token that never expires. Each of the 32 bytes of its hash is `byte`.
pub(super) fn token(name: &str, byte: u8) -> Result<TokenRecord, BoxError> {
    let hash = TokenHash::from_bytes([byte; 32]);
    let mut token = TokenRecord::stored(token_id(name), name, Scopes::Both, "pak_AbCd", hash, timestamp(NOON)?);
    token.created_by = Some("ann@b1.example".to_owned());
    Ok(token)
}

fn ann() -> Result<Actor, BoxError> {
    Ok(Actor::new("ann@b1.example", Some("2001:db8::1".parse()?)))
}

async fn change(
    store: &impl SettingsStore,
    owner: &str,
    at: &str,
    action: TokenAction,
) -> Result<TokenChanged, BoxError> {
    Ok(store.change(&business(owner), &TokenChange::new(action, timestamp(at)?, ann()?)).await?)
}

/// The parts of an audit entry that the checks compare. They do not include the id, because it differs in every run.
type Logged = (AuditAction, String, Option<String>, Option<String>, String);

fn logged(entry: &AuditEntry) -> Logged {
    let AuditEntry { action, email, address, token_id, at, .. } = entry;
    let (address, token) = (address.map(|address| address.to_string()), token_id.as_ref().map(TokenId::to_string));
    (*action, email.clone(), address, token, at.to_string())
}

pub(super) async fn audit(store: &impl SettingsStore, owner: &str) -> Result<Vec<Logged>, BoxError> {
    let page = store.audit(&business(owner), Window::LARGEST).await?;
    same("the total of the audit log", &page.total, &(page.data.len() as u64))?;
    Ok(page.data.iter().map(logged).collect())
}

fn entry(action: AuditAction, token: &str, at: &str) -> Logged {
    (action, "ann@b1.example".to_owned(), Some("2001:db8::1".to_owned()), Some(token.to_owned()), at.to_owned())
}

pub(super) fn refused(reason: TokenRefusal) -> TokenChanged {
    TokenChanged::Refused(reason)
}

pub(super) async fn creates_with_an_audit_entry(store: &impl SettingsStore) -> CheckResult {
    let created = token("t1", 1)?;
    let outcome = change(store, "b1", NOON, TokenAction::Create(created.clone())).await?;
    same("the outcome", &outcome, &TokenChanged::Done(created.clone()))?;
    same("the tokens", &store.list(&business("b1")).await?, &vec![created])?;
    same("the audit log", &audit(store, "b1").await?, &vec![entry(AuditAction::TokenCreated, "t1", NOON)])?;
    same("the audit log of another business", &audit(store, "b2").await?, &vec![])
}

/// Checks that a new token cannot have the same name as a valid token of the business. It can have the name of a
/// revoked or expired token, or of another business's token.
pub(super) async fn refuses_the_name_of_a_valid_token(store: &impl SettingsStore) -> CheckResult {
    let named = |at: &str, byte| Ok::<_, BoxError>(with!(token(at, byte)?, name: "website".into()));
    change(store, "b1", NOON, TokenAction::Create(named("t1", 1)?)).await?;
    let outcome = change(store, "b1", NOON, TokenAction::Create(named("t2", 2)?)).await?;
    same("a duplicate", &outcome, &refused(TokenRefusal::NameTaken(token_id("t1"))))?;
    change(store, "b2", NOON, TokenAction::Create(named("t2", 2)?)).await?;
    change(store, "b1", NOON, TokenAction::Revoke(token_id("t1"))).await?;
    let third = with!(named("t3", 3)?, expires_at: Some(timestamp(LATER)?));
    change(store, "b1", NOON, TokenAction::Create(third)).await?;
    let outcome = change(store, "b1", LATER, TokenAction::Create(named("t4", 4)?)).await?;
    same("after the expiry", &outcome, &TokenChanged::Done(named("t4", 4)?))?;
    same("the number of audit entries", &audit(store, "b1").await?.len(), &4)
}

/// Checks that exactly one of many concurrent creates with the same name succeeds.
pub(super) async fn creates_one_of_concurrent_names(store: &impl SettingsStore) -> CheckResult {
    let named = |byte: u8| Ok::<_, BoxError>(with!(token(&format!("t{byte}"), byte)?, name: "website".into()));
    let tokens = (0..16).map(named).collect::<Result<Vec<_>, _>>()?;
    let changes = tokens.into_iter().map(|token| change(store, "b1", NOON, TokenAction::Create(token)));
    let outcomes = join_all(changes).await.into_iter().collect::<Result<Vec<_>, _>>()?;
    let created = outcomes.iter().filter(|outcome| matches!(outcome, TokenChanged::Done(_))).count();
    same("the number of successful creates", &created, &1)?;
    same("the number of tokens", &store.list(&business("b1")).await?.len(), &1)?;
    same("the number of audit entries", &audit(store, "b1").await?.len(), &1)
}

/// Checks that a rotation keeps the name and the scopes, and that only a valid token can be rotated. The old token
/// expires after the overlap, or at its own expiry if that is earlier.
pub(super) async fn rotates_with_an_overlap(store: &impl SettingsStore) -> CheckResult {
    const WEEK_LATER: &str = "2026-05-11T12:00:00.000Z";
    let rotate = |old: &str, new: &str, byte| {
        let hash = TokenHash::from_bytes([byte; 32]);
        let replacement = Replacement::new(token_id(new), "pak_New", hash, Some(timestamp("2027-01-01T00:00:00Z")?));
        Ok::<_, BoxError>(TokenAction::Rotate { id: token_id(old), replacement, overlap_end: timestamp(WEEK_LATER)? })
    };
    change(store, "b1", NOON, TokenAction::Create(token("t1", 1)?)).await?;
    let new = with!(
        token("t1", 1)?,
        id: token_id("t2"),
        hint: "pak_New".to_owned(),
        hash: TokenHash::from_bytes([2; 32]),
        created_at: timestamp(LATER)?,
        expires_at: Some(timestamp("2027-01-01T00:00:00Z")?)
    );
    let outcome = change(store, "b1", LATER, rotate("t1", "t2", 2)?).await?;
    same("the outcome", &outcome, &TokenChanged::Done(new.clone()))?;
    let old = with!(token("t1", 1)?, expires_at: Some(timestamp(WEEK_LATER)?));
    same("the tokens", &store.list(&business("b1")).await?, &vec![old, new])?;
    let again = change(store, "b1", LATER, rotate("t1", "t9", 9)?).await?;
    same("rotating it again", &again, &refused(TokenRefusal::Replaced(token_id("t2"))))?;
    let [newest, next, ..] = &*audit(store, "b1").await? else { return Err("entries are missing".into()) };
    let actions: HashSet<_> = [newest.clone(), next.clone()].into();
    let expected = [entry(AuditAction::TokenRotated, "t1", LATER), entry(AuditAction::TokenCreated, "t2", LATER)];
    same("the audit log", &actions, &expected.into())?;

    // A token that expires before the end of the overlap keeps its expiry.
    let early = with!(token("t3", 3)?, expires_at: Some(timestamp("2026-05-05T00:00:00Z")?));
    change(store, "b1", NOON, TokenAction::Create(early)).await?;
    change(store, "b1", NOON, rotate("t3", "t4", 4)?).await?;
    let tokens = store.list(&business("b1")).await?;
    let expiry = tokens.iter().find(|token| token.id == token_id("t3")).and_then(|token| token.expires_at);
    same("the expiry", &expiry, &Some(timestamp("2026-05-05T00:00:00Z")?))?;

    change(store, "b1", NOON, TokenAction::Revoke(token_id("t2"))).await?;
    for (at, name, state) in [(NOON, "t2", "revoked"), (WEEK_LATER, "t1", "expired")] {
        match change(store, "b1", at, rotate(name, "t9", 9)?).await? {
            TokenChanged::Refused(TokenRefusal::NotValid(found)) => same(name, &&*found.to_string(), &state)?,
            other => return Err(format!("{name}: found {other:?}, expected a refusal").into()),
        }
    }
    let outcome = change(store, "b2", NOON, rotate("t1", "t9", 9)?).await?;
    same("a token of another business", &outcome, &refused(TokenRefusal::NotFound))
}

/// Checks that a rotation fails as a whole if the new hash already exists: the old token and the audit log stay
/// unchanged.
pub(super) async fn applies_all_of_a_change_or_nothing(store: &impl SettingsStore) -> CheckResult {
    change(store, "b1", NOON, TokenAction::Create(token("t1", 1)?)).await?;
    change(store, "b2", NOON, TokenAction::Create(token("t2", 2)?)).await?;
    let replacement = Replacement::new(token_id("t3"), "pak_New", TokenHash::from_bytes([2; 32]), None);
    let action = TokenAction::Rotate { id: token_id("t1"), replacement, overlap_end: timestamp(LATER)? };
    let change = TokenChange::new(action, timestamp(LATER)?, ann()?);
    super::already_exists("a duplicate hash", &store.change(&business("b1"), &change).await)?;
    same("the tokens", &store.list(&business("b1")).await?, &vec![token("t1", 1)?])?;
    same("the number of audit entries", &audit(store, "b1").await?.len(), &1)
}

pub(super) async fn revokes_once(store: &impl SettingsStore) -> CheckResult {
    change(store, "b1", NOON, TokenAction::Create(token("t1", 1)?)).await?;
    for nobody in ["nobody", "T1", "t_"] {
        let outcome = change(store, "b1", LATER, TokenAction::Revoke(token_id(nobody))).await?;
        same(nobody, &outcome, &refused(TokenRefusal::NotFound))?;
    }
    let outcome = change(store, "b2", LATER, TokenAction::Revoke(token_id("t1"))).await?;
    same("another business", &outcome, &refused(TokenRefusal::NotFound))?;
    let revoked = with!(token("t1", 1)?, revoked_at: Some(timestamp(LATER)?));
    let outcome = change(store, "b1", LATER, TokenAction::Revoke(token_id("t1"))).await?;
    same("the outcome", &outcome, &TokenChanged::Done(revoked.clone()))?;
    let again = change(store, "b1", "2030-01-01T00:00:00Z", TokenAction::Revoke(token_id("t1"))).await?;
    same("revoking it again", &again, &refused(TokenRefusal::AlreadyRevoked(timestamp(LATER)?)))?;
    same("the token", &store.list(&business("b1")).await?, &vec![revoked.clone()])?;
    let found = store.find(&revoked.hash).await?.map(|found| found.record.clone());
    same("the lookup", &found, &Some(revoked))?;
    let expected = vec![entry(AuditAction::TokenRevoked, "t1", LATER), entry(AuditAction::TokenCreated, "t1", NOON)];
    same("the audit log", &audit(store, "b1").await?, &expected)
}

/// Checks that only a revoked or expired token can be deleted, and that its id and hash can then be used again.
pub(super) async fn deletes_only_invalid_tokens(store: &impl SettingsStore) -> CheckResult {
    let expiring = with!(token("t2", 2)?, expires_at: Some(timestamp(LATER)?));
    for token in [token("t1", 1)?, expiring] {
        change(store, "b1", NOON, TokenAction::Create(token)).await?;
    }
    for valid in ["t1", "t2"] {
        let outcome = change(store, "b1", NOON, TokenAction::Delete(token_id(valid))).await?;
        same(valid, &outcome, &refused(TokenRefusal::StillValid))?;
    }
    for nobody in ["nobody", "T1", "%"] {
        let outcome = change(store, "b1", LATER, TokenAction::Delete(token_id(nobody))).await?;
        same(nobody, &outcome, &refused(TokenRefusal::NotFound))?;
    }
    change(store, "b1", LATER, TokenAction::Revoke(token_id("t1"))).await?;
    let outcome = change(store, "b2", LATER, TokenAction::Delete(token_id("t1"))).await?;
    same("another business", &outcome, &refused(TokenRefusal::NotFound))?;
    for gone in ["t1", "t2"] {
        match change(store, "b1", LATER, TokenAction::Delete(token_id(gone))).await? {
            TokenChanged::Done(token) => same("the deleted token", &token.id, &token_id(gone))?,
            other => return Err(format!("{gone}: found {other:?}, expected the deleted token").into()),
        }
    }
    same("the tokens", &store.list(&business("b1")).await?, &vec![])?;
    same("the lookup", &store.find(&TokenHash::from_bytes([1; 32])).await?, &None)?;
    change(store, "b2", LATER, TokenAction::Create(token("t1", 1)?)).await?;
    same("the new token", &store.list(&business("b2")).await?, &vec![token("t1", 1)?])
}

/// Checks that the audit log is paged by timestamp, latest first.
pub(super) async fn pages_the_audit_log(store: &impl SettingsStore) -> CheckResult {
    let at = |nth: u8| format!("2026-05-04T12:00:0{nth}.000Z");
    for nth in 1..=5 {
        let action = TokenAction::Create(token(&format!("t{nth}"), nth)?);
        // Server clocks differ, so an entry can have an earlier timestamp than its predecessor.
        change(store, "b1", &at(6 - nth), action).await?;
    }
    let page = store.audit(&business("b1"), Window::new(2, 1)?).await?;
    let tokens: Vec<_> = page.data.iter().filter_map(|entry| entry.token_name.clone()).collect();
    same("the page", &(tokens, page.total), &(super::ids(&["t2", "t3"]), 5))?;
    let page = store.audit(&business("b1"), Window::new(2, 5)?).await?;
    same("a page past the end", &(page.data.len(), page.total), &(0, 5))?;
    let ids: HashSet<_> = store.audit(&business("b1"), Window::LARGEST).await?.data.into_iter().map(|e| e.id).collect();
    same("the number of different ids", &ids.len(), &5)
}
