//! Checks that tokens are stored without changes, found by their hash and isolated by business (contract 5 and D8).

use std::sync::Arc;

use futures_util::future::join_all;
use leadapi_core::{
    BoxError,
    auth::{Scopes, TokenHash},
    id::BusinessId,
    port::{FoundToken, TokenRecord, TokenStore, TokenUse},
};

use super::{CheckResult, already_exists, business, same, timestamp, token_id};

/// The businesses that own the tokens.
pub(super) const BUSINESSES: &str = r#"{"businesses": [
    {"id": "b1", "name": "One", "created_at": "2026-01-01T00:00:00Z"},
    {"id": "b2", "name": "Two", "created_at": "2026-01-01T00:00:00Z"}
]}"#;

const NOON: &str = "2026-05-04T12:00:00.000Z";
const LATER: &str = "2026-05-04T12:00:00.001Z";

fn hash(byte: u8) -> TokenHash {
    TokenHash::from_bytes([byte; 32])
}

/// Returns a token that never expires. Each of the 32 bytes of its hash is `byte`.
fn token(name: &str, byte: u8) -> Result<TokenRecord, BoxError> {
    Ok(TokenRecord::stored(token_id(name), name, Scopes::Read, "pak_AbCd", hash(byte), timestamp(NOON)?))
}

/// Returns the expected result of looking up the token.
fn found(owner: BusinessId, token: TokenRecord) -> Arc<FoundToken> {
    Arc::new(FoundToken::new(owner, token))
}

async fn listed(store: &impl TokenStore, owner: &str) -> Result<Vec<String>, BoxError> {
    let tokens = store.list(&business(owner)).await?;
    Ok(tokens.into_iter().map(|token| token.id.to_string()).collect())
}

/// Checks that lists and lookups return every field unchanged, down to the last character and millisecond.
pub(super) async fn preserves_every_field(store: &impl TokenStore) -> CheckResult {
    let mut given = Vec::new();
    let name = "Zoë \u{65}\u{301} 佐藤 🦀 'quoted' \"double\" \\ % _ -- ;";
    for (byte, (scopes, created_at, expires_at, revoked_at)) in (0..).zip([
        (Scopes::Read, "0000-01-01T00:00:00.000Z", None, None),
        (Scopes::Write, "1969-12-31T23:59:59.999Z", Some("9999-12-31T23:59:59.999Z"), None),
        (Scopes::Both, "2026-05-04T07:58:12.004Z", None, Some("2026-05-04T07:58:12.005Z")),
        (Scopes::Both, "9999-12-31T23:59:59.999Z", Some("0000-01-01T00:00:00.001Z"), Some("1970-01-01T00:00:00.000Z")),
    ]) {
        // The hashes include both extremes: all bits zero and all bits set.
        let token = token(&format!("t{byte}"), if byte == 3 { 0xff } else { byte })?;
        given.push(with!(
            token,
            name: format!("{name}{byte}"),
            scopes: scopes,
            hint: format!("pak_{byte}~!'"),
            created_at: timestamp(created_at)?,
            expires_at: expires_at.map(timestamp).transpose()?,
            revoked_at: revoked_at.map(timestamp).transpose()?,
            created_by: (byte > 0).then(|| format!("zoë{byte}'@example.org")),
            last_used_at: (byte > 1).then(|| timestamp(created_at)).transpose()?
        ));
    }
    for token in &given {
        store.insert(&business("b1"), token.clone()).await?;
    }
    same("the list", &store.list(&business("b1")).await?, &given)?;
    for token in given {
        same("the lookup", &store.find(&token.hash).await?, &Some(found(business("b1"), token)))?;
    }
    Ok(())
}

/// Checks that tokens are listed oldest first, and that tokens with the same creation time are sorted by the code
/// points of their ids.
pub(super) async fn lists_in_order(store: &impl TokenStore) -> CheckResult {
    same("an empty list", &listed(store, "b1").await?, &vec![])?;
    let later = ["9", "late"];
    for (byte, name) in (0..).zip(["a-b", "B", "9", "ab", "_", "a", "10", "late", "A", "aB"]) {
        let created_at = timestamp(if later.contains(&name) { LATER } else { NOON })?;
        store.insert(&business("b1"), with!(token(name, byte)?, created_at: created_at)).await?;
    }
    let expected = ["10", "A", "B", "_", "a", "a-b", "aB", "ab", "9", "late"];
    same("the order", &listed(store, "b1").await?, &super::ids(&expected))
}

pub(super) async fn finds_by_the_whole_hash(store: &impl TokenStore) -> CheckResult {
    let kept = token("t1", b'a')?;
    store.insert(&business("b1"), kept.clone()).await?;
    for at in 0..32 {
        for bit in [1, 0x20, 0x80] {
            let mut bytes = kept.hash.to_bytes();
            bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= bit);
            same("another hash", &store.find(&TokenHash::from_bytes(bytes)).await?, &None)?;
        }
    }
    same("the hash", &store.find(&kept.hash).await?, &Some(found(business("b1"), kept)))
}

/// Checks that the store rejects a token whose id or hash already exists in any business, and changes nothing.
pub(super) async fn refuses_duplicates(store: &impl TokenStore) -> CheckResult {
    let first = token("t1", 1)?;
    store.insert(&business("b1"), first.clone()).await?;
    for owner in ["b1", "b2"] {
        for duplicate in [token("t1", 2)?, token("t2", 1)?, token("t1", 1)?] {
            let outcome = store.insert(&business(owner), with!(duplicate, name: "duplicate".into())).await;
            already_exists(&format!("a duplicate in {owner}"), &outcome)?;
        }
    }
    same("the first", &store.find(&hash(1)).await?, &Some(found(business("b1"), first)))?;
    same("the hash of a duplicate", &store.find(&hash(2)).await?, &None)?;
    same("the tokens", &(listed(store, "b1").await?, listed(store, "b2").await?), &(super::ids(&["t1"]), vec![]))?;
    // Ids that differ in case are distinct.
    store.insert(&business("b2"), token("T1", 2)?).await?;
    same("an id in another case", &listed(store, "b2").await?, &super::ids(&["T1"]))
}

/// Checks that exactly one of many concurrent inserts with the same hash succeeds.
pub(super) async fn inserts_one_of_concurrent_duplicates(store: &impl TokenStore) -> CheckResult {
    let names: Vec<String> = (0..16).map(|duplicate| format!("t{duplicate}")).collect();
    let duplicates = names.iter().map(|name| token(name, 1)).collect::<Result<Vec<_>, _>>()?;
    let owner = business("b1");
    let outcomes = join_all(duplicates.into_iter().map(|duplicate| store.insert(&owner, duplicate))).await;
    let (inserted, refused): (Vec<_>, Vec<_>) = outcomes.iter().partition(|outcome| outcome.is_ok());
    same("the number of successful inserts", &inserted.len(), &1)?;
    refused.into_iter().try_for_each(|outcome| already_exists("a duplicate", outcome))?;
    same("the number of listed tokens", &listed(store, "b1").await?.len(), &1)
}

/// Checks that the store records a use only if the last recorded use was at least 15 minutes earlier, and ignores
/// unknown tokens.
pub(super) async fn records_a_use_every_15_minutes(store: &impl TokenStore) -> CheckResult {
    const JUST_BEFORE: &str = "2026-05-04T12:14:59.999Z";
    const QUARTER_PAST: &str = "2026-05-04T12:15:00.000Z";
    let owner = business("b1");
    for (name, byte) in [("t1", 1), ("t2", 2)] {
        store.insert(&owner, token(name, byte)?).await?;
    }
    store.record_uses(&[]).await?;
    let used =
        |owner: &str, name: &str, at| Ok::<_, BoxError>(TokenUse::new(business(owner), token_id(name), timestamp(at)?));
    for (at, latest) in [(NOON, NOON), (JUST_BEFORE, NOON), (QUARTER_PAST, QUARTER_PAST), (NOON, QUARTER_PAST)] {
        let unknown = [used("b1", "nobody", at)?, used("b2", "t2", at)?, used("b1", "T1", at)?];
        store.record_uses(&[[used("b1", "t1", at)?].as_slice(), &unknown].concat()).await?;
        let expected = with!(token("t1", 1)?, last_used_at: Some(timestamp(latest)?));
        same("the list", &store.list(&owner).await?, &vec![expected.clone(), token("t2", 2)?])?;
        same("the lookup", &store.find(&hash(1)).await?, &Some(found(owner.clone(), expected)))?;
    }
    Ok(())
}

pub(super) async fn isolates_businesses(store: &impl TokenStore) -> CheckResult {
    store.insert(&business("b1"), token("t1", 1)?).await?;
    store.insert(&business("b2"), token("t2", 2)?).await?;
    for unknown in ["b9", "B1", "b_"] {
        same("the tokens", &listed(store, unknown).await?, &vec![])?;
    }
    same("the tokens of one business", &store.list(&business("b1")).await?, &vec![token("t1", 1)?])?;
    same("the tokens of the other business", &store.list(&business("b2")).await?, &vec![token("t2", 2)?])?;
    same("the tokens of an unknown business", &store.list(&business("b9")).await?, &vec![])?;
    for (owner, name, byte) in [("b1", "t1", 1), ("b2", "t2", 2)] {
        same("the owner", &store.find(&hash(byte)).await?, &Some(found(business(owner), token(name, byte)?)))?;
    }
    Ok(())
}
