//! Checks that the number of tokens of a business is limited, and that lists of tokens are paged.

use leadapi_core::{
    BoxError,
    auth::{Actor, TokenHash},
    model::{Timestamp, Window},
    port::{Replacement, SettingsStore, TokenAction, TokenChange, TokenChanged, TokenRecord, TokenRefusal},
};

use super::{
    CheckResult, business, same,
    settings_tokens::{refused, token},
    timestamp, token_id,
};

const NOON: &str = "2026-05-04T12:00:00.000Z";
const A_MINUTE_LATER: &str = "2026-05-04T12:01:00.000Z";
const A_DAY_LATER: &str = "2026-05-05T12:00:00.000Z";

/// Returns a token named after its number, with a hash that no other number has.
fn numbered(number: u16) -> Result<TokenRecord, BoxError> {
    let [high, low] = number.to_be_bytes();
    let mut hash = [high; 32];
    hash[31] = low;
    Ok(with!(token(&format!("t{number:03}"), 0)?, hash: TokenHash::from_bytes(hash)))
}

async fn change(store: &impl SettingsStore, at: Timestamp, action: TokenAction) -> Result<TokenChanged, BoxError> {
    let by = Actor::new("ann@b1.example", None);
    Ok(store.change(&business("b1"), &TokenChange::new(action, at, by)).await?)
}

/// Inserts tokens that never expire. The limits on changes do not apply to these inserts.
async fn fill(store: &impl SettingsStore, numbers: std::ops::Range<u16>) -> CheckResult {
    for number in numbers {
        store.insert(&business("b1"), numbered(number)?).await?;
    }
    Ok(())
}

fn rotation(old: u16, new: u16, overlap_end: Timestamp) -> Result<TokenAction, BoxError> {
    let new = numbered(new)?;
    let replacement = Replacement::new(new.id, "pak_New", new.hash, None);
    Ok(TokenAction::Rotate { id: numbered(old)?.id, replacement, overlap_end })
}

/// Checks that a business with 100 valid tokens gets a new one only after a revocation or an expiry.
pub(super) async fn limits_the_valid_tokens(store: &impl SettingsStore) -> CheckResult {
    let (noon, later) = (timestamp(NOON)?, timestamp(A_MINUTE_LATER)?);
    fill(store, 0..99).await?;
    let expiring = with!(numbered(99)?, expires_at: Some(later));
    store.insert(&business("b1"), expiring).await?;
    let create = |number| Ok::<_, BoxError>(TokenAction::Create(numbered(number)?));
    same("a token too many", &change(store, noon, create(100)?).await?, &refused(TokenRefusal::TooMany))?;
    let of_b2 = TokenChange::new(create(100)?, noon, Actor::new("ann@b1.example", None));
    let outcome = store.change(&business("b2"), &of_b2).await?;
    same("another business", &matches!(outcome, TokenChanged::Done(_)), &true)?;
    let outcome = change(store, later, create(101)?).await?;
    same("after an expiry", &matches!(outcome, TokenChanged::Done(_)), &true)?;
    same("another one", &change(store, later, create(102)?).await?, &refused(TokenRefusal::TooMany))?;
    change(store, later, TokenAction::Revoke(token_id("t000"))).await?;
    let outcome = change(store, later, create(102)?).await?;
    same("after a revocation", &matches!(outcome, TokenChanged::Done(_)), &true)
}

/// Checks that a business that already has more valid tokens than allowed can revoke and rotate them, but that a
/// rotation with an overlap cannot raise the number above 200.
pub(super) async fn keeps_more_tokens_than_the_limit(store: &impl SettingsStore) -> CheckResult {
    let (noon, day) = (timestamp(NOON)?, timestamp(A_DAY_LATER)?);
    fill(store, 0..199).await?;
    let outcome = change(store, noon, rotation(0, 200, day)?).await?;
    same("a rotation below the limit", &matches!(outcome, TokenChanged::Done(_)), &true)?;
    let outcome = change(store, noon, rotation(1, 201, day)?).await?;
    same("a rotation at the limit", &outcome, &refused(TokenRefusal::TooManyOverlaps))?;
    let outcome = change(store, noon, rotation(1, 201, noon)?).await?;
    same("a rotation without an overlap", &matches!(outcome, TokenChanged::Done(_)), &true)?;
    let outcome = change(store, noon, TokenAction::Revoke(token_id("t002"))).await?;
    same("a revocation", &matches!(outcome, TokenChanged::Done(_)), &true)
}

/// Checks that a business gets at most 60 new tokens in a minute, and can revoke and delete tokens in that minute.
pub(super) async fn limits_the_new_tokens_of_a_minute(store: &impl SettingsStore) -> CheckResult {
    let (noon, later) = (timestamp(NOON)?, timestamp(A_MINUTE_LATER)?);
    let create = |number| Ok::<_, BoxError>(TokenAction::Create(numbered(number)?));
    for number in 0..60 {
        let outcome = change(store, noon, create(number)?).await?;
        same("a new token", &matches!(outcome, TokenChanged::Done(_)), &true)?;
    }
    let before = timestamp("2026-05-04T12:00:59.999Z")?;
    same("one more", &change(store, before, create(60)?).await?, &refused(TokenRefusal::TooFast))?;
    same("a rotation", &change(store, before, rotation(0, 61, noon)?).await?, &refused(TokenRefusal::TooFast))?;
    for action in [TokenAction::Revoke(token_id("t001")), TokenAction::Delete(token_id("t001"))] {
        let outcome = change(store, before, action).await?;
        same("a removal", &matches!(outcome, TokenChanged::Done(_)), &true)?;
    }
    let outcome = change(store, later, create(60)?).await?;
    same("a minute later", &matches!(outcome, TokenChanged::Done(_)), &true)
}

/// Checks that pages of tokens are complete, newest first, and contain only the business's own tokens.
pub(super) async fn pages_the_tokens(store: &impl SettingsStore) -> CheckResult {
    fill(store, 1..4).await?;
    let newest = with!(numbered(0)?, created_at: timestamp(A_MINUTE_LATER)?);
    store.insert(&business("b1"), newest).await?;
    store.insert(&business("b2"), numbered(9)?).await?;
    let ids = async |limit, offset| {
        let page = store.tokens(&business("b1"), Window::new(limit, offset)?).await?;
        let ids: Vec<String> = page.data.iter().map(|token| token.id.to_string()).collect();
        Ok::<_, BoxError>((ids, page.total))
    };
    same("the first page", &ids(3, 0).await?, &(super::ids(&["t000", "t003", "t002"]), 4))?;
    same("the next page", &ids(3, 3).await?, &(super::ids(&["t001"]), 4))?;
    same("a page past the end", &ids(3, 4).await?, &(vec![], 4))?;
    same("one token", &store.token(&business("b1"), &token_id("t002")).await?, &Some(numbered(2)?))?;
    for (owner, other) in [("b1", "t009"), ("b2", "t001"), ("b1", "T001"), ("b1", "%")] {
        same(other, &store.token(&business(owner), &token_id(other)).await?, &None)?;
    }
    Ok(())
}
