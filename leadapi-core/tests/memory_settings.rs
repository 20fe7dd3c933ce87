//! Tests that the cost of a change to a token in memory does not depend on the number of tokens of the business.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails at the first unexpected value"
)]

use std::time::{Duration, Instant};

use futures_executor::block_on;
use leadapi_core::{
    auth::{Actor, BearerToken, Scopes},
    id::{BusinessId, TokenId},
    memory::MemorySettings,
    model::Timestamp,
    port::{Replacement, SettingsStore, TokenAction, TokenChange, TokenChanged, TokenRecord, TokenStore},
};

const REPETITIONS: usize = 30;

fn noon() -> Timestamp {
    "2026-05-04T12:00:00Z".parse().unwrap()
}

fn token(name: &str) -> TokenRecord {
    TokenRecord::new(&BearerToken::generate().unwrap(), name, Scopes::Both, "2026-05-01T12:00:00Z".parse().unwrap())
}

/// Creates a store with 10 valid tokens, `old` revoked tokens, `old` expired tokens, and `old` tokens of a different
/// business.
fn store(old: usize) -> (MemorySettings, Vec<TokenId>) {
    let (store, b1, b2) = (MemorySettings::default(), BusinessId::parse("b1").unwrap(), "b2".parse().unwrap());
    let valid: Vec<TokenRecord> = (0..10).map(|number| token(&format!("valid {number}"))).collect();
    let ids = valid.iter().map(|token| token.id.clone()).collect();
    for token in valid {
        block_on(store.insert(&b1, token)).unwrap();
    }
    for _ in 0..old {
        let mut ended = [token("valid 0"), token("valid 0")];
        let [revoked, expired] = &mut ended;
        (revoked.revoked_at, expired.expires_at) = (Some(noon()), Some(noon()));
        for token in ended {
            block_on(store.insert(&b1, token)).unwrap();
        }
        block_on(store.insert(&b2, token("valid 0"))).unwrap();
    }
    (store, ids)
}

/// Returns the shortest time that a rotation, a revocation and a deletion take together.
fn cost((store, ids): &(MemorySettings, Vec<TokenId>)) -> Duration {
    let change = |action| {
        let change = TokenChange::new(action, noon(), Actor::new("ann@b1.example", None));
        match block_on(store.change(&"b1".parse().unwrap(), &change)).unwrap() {
            TokenChanged::Done(token) => token.id,
            other => panic!("{other:?}"),
        }
    };
    let mut id = ids[0].clone();
    let times = (0..REPETITIONS).map(|number| {
        let secret = BearerToken::generate().unwrap();
        let replacement =
            Replacement::new(TokenId::parse(format!("new-{number}")).unwrap(), secret.hint(), secret.hash(), None);
        let begun = Instant::now();
        let new = change(TokenAction::Rotate { id: id.clone(), replacement, overlap_end: noon() });
        change(TokenAction::Revoke(id.clone()));
        change(TokenAction::Delete(id.clone()));
        id = new;
        begun.elapsed()
    });
    times.min().unwrap()
}

#[test]
fn a_change_costs_the_same_with_20000_tokens() {
    let (few, many) = (cost(&store(0)), cost(&store(20_000)));
    // The cost of reading all tokens would be more than a thousand times the cost of a change.
    assert!(many < few * 20, "{few:?} with 10 tokens, {many:?} with 60,010");
}
