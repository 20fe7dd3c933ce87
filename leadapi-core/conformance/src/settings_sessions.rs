//! Checks of members, sign-in links and sessions.

use futures_util::future::join_all;
use leadapi_core::{
    BoxError,
    auth::{Actor, Role, TokenHash},
    id::SessionId,
    model::{Timestamp, Window},
    port::{
        AuditAction, AuditEntry, FoundSession, LoginLink, Membership, Session, SessionEnded, SessionStarted,
        SettingsStore, SignIn,
    },
};

use super::{CheckResult, business, same, timestamp};

/// Two businesses with members. Zoë is a member of both, with addresses that differ only in case.
pub(super) const MEMBERS: &str = r#"{"businesses": [
    {"id": "b1", "name": "Two", "created_at": "2026-01-01T00:00:00Z", "members": [
        {"email": "ann@b1.example", "role": "owner"}, {"email": "Zoë@Example.org", "role": "admin"},
        {"email": "max@b1.example", "role": "member"}]},
    {"id": "b2", "name": "One", "created_at": "2026-01-01T00:00:00Z", "members": [
        {"email": "zoë@example.org", "role": "owner"}]}
]}"#;

pub(super) const NOON: &str = "2026-05-04T12:00:00.000Z";
const LATER: &str = "2026-05-04T12:10:00.000Z";
const NOT_ALLOWED: SessionStarted = SessionStarted::NotAllowed;
/// The end of a session that was last used at noon.
const MIDNIGHT: &str = "2026-05-05T00:00:00.000Z";

pub(super) fn hash(byte: u8) -> TokenHash {
    TokenHash::from_bytes([byte; 32])
}

pub(super) fn sign_in(byte: u8, at: &str) -> Result<SignIn, BoxError> {
    Ok(SignIn::new(hash(byte), timestamp(at)?, Some("192.0.2.7".parse()?), AuditAction::SignedIn))
}

fn by_ann(action: AuditAction) -> Result<AuditEntry, BoxError> {
    Ok(AuditEntry::new(timestamp(NOON)?, action, Actor::new("ann@b1.example", None)))
}

async fn end(store: &impl SettingsStore, owner: &str, id: &SessionId) -> Result<SessionEnded, BoxError> {
    let ann = Actor::new("ann@b1.example", None);
    Ok(store.end_session(&business(owner), id, timestamp(NOON)?, &ann).await?)
}

pub(super) async fn add_link(store: &impl SettingsStore, owner: &str, email: &str, byte: u8) -> Result<bool, BoxError> {
    let link = LoginLink::new(hash(byte), email, timestamp(LATER)?);
    Ok(store.add_login_link(&business(owner), &link, &by_ann(AuditAction::LoginLinkCreated)?).await?)
}

pub(super) async fn actions(store: &impl SettingsStore, owner: &str) -> Result<Vec<(AuditAction, String)>, BoxError> {
    let page = store.audit(&business(owner), Window::LARGEST).await?;
    Ok(page.data.into_iter().map(|entry| (entry.action, entry.email)).collect())
}

fn ann() -> Membership {
    Membership::new(business("b1"), "Two", "ann@b1.example", Role::Owner)
}

/// Starts a session, and fails if the store rejects it.
pub(super) async fn start_for(
    store: &impl SettingsStore,
    owner: &str,
    email: &str,
    sign_in: &SignIn,
) -> Result<Session, BoxError> {
    match store.start_session(&business(owner), email, sign_in).await? {
        SessionStarted::Done(found) => Ok(found.session),
        other => Err(format!("a session was not started: {other:?}").into()),
    }
}

/// Starts a session for Ann at noon.
pub(super) async fn start(store: &impl SettingsStore, byte: u8) -> Result<Session, BoxError> {
    start_for(store, "b1", "ann@b1.example", &sign_in(byte, NOON)?).await
}

pub(super) async fn listed(
    store: &impl SettingsStore,
    owner: &str,
    now: Timestamp,
) -> Result<Vec<SessionId>, BoxError> {
    Ok(store.sessions(&business(owner), now).await?.into_iter().map(|session| session.id).collect())
}

/// Checks that email addresses are compared without regard to case, and returned as the business stores them.
pub(super) async fn finds_members_ignoring_case(store: &impl SettingsStore) -> CheckResult {
    let zoe = Membership::new(business("b1"), "Two", "Zoë@Example.org", Role::Admin);
    let found = store.membership(&business("b1"), "zoË@example.ORG").await?;
    same("the member", &found, &Some(zoe.clone()))?;
    let in_b2 = Membership::new(business("b2"), "One", "zoë@example.org", Role::Owner);
    same("the memberships", &store.memberships("ZOË@example.org").await?, &vec![in_b2, zoe])?;
    for (owner, email) in [("b2", "ann@b1.example"), ("b9", "ann@b1.example"), ("b1", "an_@b1.example"), ("b1", "")] {
        same(email, &store.membership(&business(owner), email).await?, &None)?;
    }
    same("no memberships", &store.memberships("%").await?, &vec![])
}

/// Checks that a link starts one session, only for the member and the business for which it was created.
pub(super) async fn a_link_works_once(store: &impl SettingsStore) -> CheckResult {
    same("a link for a stranger", &add_link(store, "b2", "ann@b1.example", 9).await?, &false)?;
    same("the link", &add_link(store, "b1", "ann@b1.example", 1).await?, &true)?;
    same("an unknown link", &store.use_login_link(&hash(2), &sign_in(7, NOON)?).await?, &NOT_ALLOWED)?;
    let first = sign_in(3, NOON)?;
    let expected = FoundSession::new(first.session("ann@b1.example"), ann());
    let started = SessionStarted::Done(expected.clone());
    same("the session", &store.use_login_link(&hash(1), &first).await?, &started)?;
    same("the second use", &store.use_login_link(&hash(1), &sign_in(4, NOON)?).await?, &NOT_ALLOWED)?;
    same("the lookup", &store.find_session(&hash(3), timestamp(NOON)?).await?, &Some(expected))?;
    for unknown in [1, 4, 7] {
        same("another hash", &store.find_session(&hash(unknown), timestamp(NOON)?).await?, &None)?;
    }
    let mut found = actions(store, "b1").await?;
    found.sort_by_key(|(action, _)| action.to_string());
    let ann = || "ann@b1.example".to_owned();
    same("the audit log", &found, &vec![(AuditAction::LoginLinkCreated, ann()), (AuditAction::SignedIn, ann())])?;
    same("the audit log of the other business", &actions(store, "b2").await?, &vec![])
}

pub(super) async fn a_link_expires(store: &impl SettingsStore) -> CheckResult {
    add_link(store, "b1", "ann@b1.example", 1).await?;
    same("at its expiry", &store.use_login_link(&hash(1), &sign_in(3, LATER)?).await?, &NOT_ALLOWED)?;
    // A failed attempt also uses up the link.
    same("afterwards", &store.use_login_link(&hash(1), &sign_in(4, NOON)?).await?, &NOT_ALLOWED)?;
    same("the sessions", &listed(store, "b1", timestamp(NOON)?).await?, &vec![])
}

/// Checks that exactly one of many concurrent uses of a link succeeds.
pub(super) async fn a_link_works_once_for_concurrent_requests(store: &impl SettingsStore) -> CheckResult {
    add_link(store, "b1", "ann@b1.example", 1).await?;
    let attempts = (10..26).map(|byte| sign_in(byte, NOON)).collect::<Result<Vec<_>, _>>()?;
    let link = hash(1);
    let outcomes = join_all(attempts.iter().map(|attempt| store.use_login_link(&link, attempt)));
    let outcomes = outcomes.await.into_iter().collect::<Result<Vec<_>, _>>()?;
    let started = outcomes.iter().filter(|outcome| matches!(outcome, SessionStarted::Done(_))).count();
    same("the number of sessions", &started, &1)?;
    same("the number of listed sessions", &listed(store, "b1", timestamp(NOON)?).await?.len(), &1)
}

/// Checks that a session ends 12 hours after its last use.
pub(super) async fn a_session_ends_when_idle(store: &impl SettingsStore) -> CheckResult {
    let session = start(store, 1).await?;
    let before = timestamp("2026-05-04T23:59:59.999Z")?;
    same("just before", &store.find_session(&hash(1), before).await?.is_some(), &true)?;
    same("at its end", &store.find_session(&hash(1), timestamp(MIDNIGHT)?).await?, &None)?;
    same("the list before", &listed(store, "b1", before).await?, &vec![session.id.clone()])?;
    same("the list at the session's end", &listed(store, "b1", timestamp(MIDNIGHT)?).await?, &vec![])?;
    for (at, latest) in [(LATER, LATER), (NOON, LATER)] {
        store.use_session(&business("b1"), &session.id, timestamp(at)?).await?;
        let found = store.find_session(&hash(1), timestamp(MIDNIGHT)?).await?;
        same("the last use", &found.map(|found| found.session.last_used_at), &Some(timestamp(latest)?))?;
    }
    store.use_session(&business("b2"), &session.id, timestamp(MIDNIGHT)?).await?;
    same("a use by another business", &store.find_session(&hash(1), timestamp("2026-05-05T00:10:00Z")?).await?, &None)
}

/// Checks that a business lists and ends only its own sessions.
pub(super) async fn isolates_sessions(store: &impl SettingsStore) -> CheckResult {
    let now = timestamp(NOON)?;
    let of_ann = start(store, 1).await?;
    let of_zoe = start_for(store, "b2", "ZOË@example.org", &sign_in(2, LATER)?).await?;
    same("the spelling", &&*of_zoe.email, &"zoë@example.org")?;
    same(
        "a session for a stranger",
        &store.start_session(&business("b2"), "ann@b1.example", &sign_in(3, NOON)?).await?,
        &NOT_ALLOWED,
    )?;
    same("the sessions", &store.sessions(&business("b1"), now).await?, &vec![of_ann.clone()])?;
    same("the sessions of the other business", &store.sessions(&business("b2"), now).await?, &vec![of_zoe])?;
    same("ending it from another business", &end(store, "b2", &of_ann.id).await?, &SessionEnded::NotFound)?;
    same("ending it", &end(store, "b1", &of_ann.id).await?, &SessionEnded::Done)?;
    same("ending it again", &end(store, "b1", &of_ann.id).await?, &SessionEnded::NotFound)?;
    same("the lookup", &store.find_session(&hash(1), now).await?, &None)?;
    let count = actions(store, "b1").await?.iter().filter(|(action, _)| *action == AuditAction::SessionEnded).count();
    same("the audit entries", &count, &1)
}

/// Checks that sessions are listed newest first.
pub(super) async fn lists_sessions_in_order(store: &impl SettingsStore) -> CheckResult {
    let mut expected = Vec::new();
    for (byte, at) in [(1, NOON), (2, LATER), (3, "2026-05-04T11:59:59.999Z")] {
        let sign_in = sign_in(byte, at)?;
        expected.push((at, sign_in.id.clone()));
        store.start_session(&business("b1"), "ann@b1.example", &sign_in).await?;
    }
    expected.sort_by(|a, b| b.cmp(a));
    let ids = expected.into_iter().map(|(_, id)| id).collect();
    same("the order", &listed(store, "b1", timestamp(NOON)?).await?, &ids)
}

/// Checks that a session ends a week after the sign-in, even if it is used.
pub(super) async fn a_session_ends_after_its_lifetime(store: &impl SettingsStore) -> CheckResult {
    let session = start(store, 1).await?;
    let (before, end) = (timestamp("2026-05-11T11:59:59.999Z")?, timestamp("2026-05-11T12:00:00Z")?);
    store.use_session(&business("b1"), &session.id, before).await?;
    same("just before", &store.find_session(&hash(1), before).await?.is_some(), &true)?;
    same("the list before", &listed(store, "b1", before).await?, &vec![session.id])?;
    same("at its end", &store.find_session(&hash(1), end).await?, &None)?;
    same("the list at its end", &listed(store, "b1", end).await?, &vec![])
}

/// Checks that a sign-in above the limit ends the person's least recently used session, and no other session.
pub(super) async fn limits_the_sessions_of_a_person(store: &impl SettingsStore) -> CheckResult {
    let of_zoe = start_for(store, "b1", "zoë@example.org", &sign_in(100, NOON)?).await?.id;
    let mut own = Vec::new();
    for byte in 1..=10 {
        own.push(start(store, byte).await?.id);
    }
    let [first, second, ..] = &*own else { return Err("a session was not started".into()) };
    for used in own.iter().filter(|id| *id != second) {
        store.use_session(&business("b1"), used, timestamp(LATER)?).await?;
    }
    let eleventh = start(store, 11).await?.id;
    let open = listed(store, "b1", timestamp(LATER)?).await?;
    same("the number of sessions", &open.len(), &11)?;
    for (what, id, expected) in [
        ("used", first, true),
        ("not used", second, false),
        ("new", &eleventh, true),
        ("another person", &of_zoe, true),
    ] {
        same(what, &open.contains(id), &expected)?;
    }
    Ok(())
}

/// Checks that a business gets at most 60 sessions in a minute, and that a rejected sign-in changes nothing.
pub(super) async fn limits_the_new_sessions_of_a_minute(store: &impl SettingsStore) -> CheckResult {
    add_link(store, "b1", "ann@b1.example", 200).await?;
    for byte in 0..60 {
        let email = if byte % 2 == 0 { "ann@b1.example" } else { "zoë@example.org" };
        let mut sign_in = sign_in(byte, NOON)?;
        sign_in.action = if byte < 30 { AuditAction::SignedIn } else { AuditAction::SignedInByProxy };
        start_for(store, "b1", email, &sign_in).await?;
    }
    let (just_before, later) = ("2026-05-04T12:00:59.999Z", "2026-05-04T12:01:00.000Z");
    let before = (listed(store, "b1", timestamp(NOON)?).await?, actions(store, "b1").await?);
    let one_more = sign_in(60, just_before)?;
    let refused = store.start_session(&business("b1"), "ann@b1.example", &one_more).await?;
    same("one more", &refused, &SessionStarted::TooFast)?;
    same("a link", &store.use_login_link(&hash(200), &one_more).await?, &SessionStarted::TooFast)?;
    let after = (listed(store, "b1", timestamp(NOON)?).await?, actions(store, "b1").await?);
    same("the sessions and the audit log", &after, &before)?;
    start_for(store, "b2", "zoë@example.org", &one_more).await?;
    let with_link = store.use_login_link(&hash(200), &sign_in(61, later)?).await?;
    same("the link a minute later", &matches!(with_link, SessionStarted::Done(_)), &true)?;
    start_for(store, "b1", "ann@b1.example", &sign_in(62, later)?).await.map(drop)
}
