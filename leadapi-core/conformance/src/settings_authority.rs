//! Checks that the right of a person to make a change is confirmed in the transaction of the change.

use leadapi_core::{
    BoxError,
    auth::{Actor, Authority},
    id::SessionId,
    port::{
        AuditAction, Session, SessionEnded, SessionStarted, SettingsStore, TokenAction, TokenChange, TokenChanged,
        TokenRefusal,
    },
};

use super::{
    CheckResult, business, same,
    settings_sessions::{NOON, actions, add_link, hash, listed, sign_in, start, start_for},
    settings_tokens::{audit, token},
    timestamp, token_id,
};

/// The end of a session that was last used at noon.
const MIDNIGHT: &str = "2026-05-05T00:00:00.000Z";

async fn change(
    store: &impl SettingsStore,
    owner: &str,
    at: &str,
    by: &Actor,
    action: TokenAction,
) -> Result<TokenChanged, BoxError> {
    Ok(store.change(&business(owner), &TokenChange::new(action, timestamp(at)?, by.clone())).await?)
}

fn member(email: &str) -> Actor {
    Actor::new(email, None).authority(Authority::Membership)
}

fn in_session(email: &str, session: &SessionId) -> Actor {
    Actor::new(email, None).authority(Authority::Session(session.clone()))
}

fn refused() -> TokenChanged {
    TokenChanged::Refused(TokenRefusal::NotAllowed)
}

/// Checks that only a current owner or admin of the business can make a change.
pub(super) async fn confirms_the_membership(store: &impl SettingsStore) -> CheckResult {
    for (owner, email) in [("b1", "max@b1.example"), ("b1", "eve@b1.example"), ("b2", "ann@b1.example")] {
        let create = TokenAction::Create(token("t1", 1)?);
        same(email, &change(store, owner, NOON, &member(email), create).await?, &refused())?;
    }
    for (name, byte, email) in [("t1", 1, "ann@b1.example"), ("t2", 2, "ZOË@example.org")] {
        let create = TokenAction::Create(token(name, byte)?);
        let outcome = change(store, "b1", NOON, &member(email), create).await?;
        same(email, &matches!(outcome, TokenChanged::Done(_)), &true)?;
    }
    for action in [TokenAction::Revoke(token_id("t1")), TokenAction::Delete(token_id("t1"))] {
        same("a member", &change(store, "b1", NOON, &member("max@b1.example"), action).await?, &refused())?;
    }
    same("the tokens", &store.list(&business("b1")).await?, &vec![token("t1", 1)?, token("t2", 2)?])?;
    same("the number of audit entries", &audit(store, "b1").await?.len(), &2)
}

/// Checks that a change fails if the session in which the person acts has ended, or belongs to another person or
/// business.
pub(super) async fn confirms_the_session(store: &impl SettingsStore) -> CheckResult {
    let of_ann = start(store, 1).await?;
    let in_b2 = start_for(store, "b2", "zoë@example.org", &sign_in(2, NOON)?).await?;
    let ann = in_session("ann@b1.example", &of_ann.id);
    let zoe = in_session("zoë@example.org", &of_ann.id);
    let elsewhere = in_session("zoë@example.org", &in_b2.id);
    let create = |name, byte| Ok::<_, BoxError>(TokenAction::Create(token(name, byte)?));
    for (what, at, by) in [
        ("an idle session", MIDNIGHT, &ann),
        ("of another person", NOON, &zoe),
        ("of another business", NOON, &elsewhere),
    ] {
        same(what, &change(store, "b1", at, by, create("t1", 1)?).await?, &refused())?;
    }
    let outcome = change(store, "b1", NOON, &ann, create("t1", 1)?).await?;
    same("an open session", &matches!(outcome, TokenChanged::Done(_)), &true)?;
    store.end_session(&business("b1"), &of_ann.id, timestamp(NOON)?, &ann).await?;
    same("after the sign-out", &change(store, "b1", NOON, &ann, create("t2", 2)?).await?, &refused())?;
    same("a revocation", &change(store, "b1", NOON, &ann, TokenAction::Revoke(token_id("t1"))).await?, &refused())?;
    same("the tokens", &store.list(&business("b1")).await?, &vec![token("t1", 1)?])
}

/// Checks that only a current owner or admin, in an open session, can end another person's session.
pub(super) async fn confirms_who_ends_a_session(store: &impl SettingsStore) -> CheckResult {
    let (first, second): (Session, Session) = (start(store, 1).await?, start(store, 2).await?);
    let now = timestamp(NOON)?;
    let end = async |by: &Actor, id: &SessionId| store.end_session(&business("b1"), id, now, by).await;
    for by in [member("max@b1.example"), member("eve@b1.example"), in_session("zoë@example.org", &first.id)] {
        same(&by.email, &end(&by, &second.id).await?, &SessionEnded::NotAllowed)?;
    }
    let stolen = in_session("zoë@example.org", &first.id);
    same("the session of another person", &end(&stolen, &first.id).await?, &SessionEnded::NotFound)?;
    let ann = in_session("ann@b1.example", &first.id);
    same("another session", &end(&ann, &second.id).await?, &SessionEnded::Done)?;
    same("the sign-out", &end(&ann, &first.id).await?, &SessionEnded::Done)?;
    same("another sign-out", &end(&ann, &first.id).await?, &SessionEnded::NotFound)?;
    same("an ended session", &end(&ann, &second.id).await?, &SessionEnded::NotAllowed)?;
    same("the sessions", &listed(store, "b1", now).await?, &vec![])?;
    let count = |action| async move {
        Ok::<_, BoxError>(actions(store, "b1").await?.iter().filter(|(found, _)| *found == action).count())
    };
    same("the ended sessions", &count(AuditAction::SessionEnded).await?, &1)?;
    same("the sign-outs", &count(AuditAction::SignedOut).await?, &1)
}

/// Checks that a member without the right to manage tokens gets neither a link nor a session.
pub(super) async fn signs_in_owners_and_admins_only(store: &impl SettingsStore) -> CheckResult {
    same("a link", &add_link(store, "b1", "max@b1.example", 1).await?, &false)?;
    let outcome = store.start_session(&business("b1"), "max@b1.example", &sign_in(2, NOON)?).await?;
    same("a session", &outcome, &SessionStarted::NotAllowed)?;
    same("the lookup", &store.find_session(&hash(2), timestamp(NOON)?).await?, &None)?;
    same("the audit log", &actions(store, "b1").await?, &vec![])
}
