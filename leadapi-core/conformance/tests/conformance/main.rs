//! Tests that the in-memory implementations pass the conformance suites, both directly and behind each pointer type
//! that implements the port. Also tests that the suites for rate limiters detect incorrect limiters.

#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "a panic fails the test")]

mod limiter;
mod shared_limiter;
mod wrong_limiter;

use std::sync::Arc;

use futures_executor::block_on;
use leadapi_core::{
    admin::Admin,
    memory::{Limits, MemoryAdmin, MemorySettings, MemoryStore, MemoryTokens, SlidingWindow, SystemClock, Uuids},
    port::{Clock, IdSource, RateLimiter, SettingsStore, Store, TokenStore, TokenVerifier},
    tokens::StoredTokens,
};

#[test]
fn the_in_memory_store_passes() {
    block_on(leadapi_conformance::run(async |dataset| Ok(MemoryStore::new(dataset)))).unwrap();
}

#[test]
fn behind_an_arc() {
    let make = async |dataset| Ok(Arc::new(MemoryStore::new(dataset)) as Arc<dyn Store>);
    block_on(leadapi_conformance::run(make)).unwrap();
}

#[test]
fn behind_a_box() {
    let make = async |dataset| Ok(Box::new(MemoryStore::new(dataset)) as Box<dyn Store>);
    block_on(leadapi_conformance::run(make)).unwrap();
}

#[test]
fn the_in_memory_token_store_passes() {
    block_on(leadapi_conformance::run_tokens(async |_| Ok(MemoryTokens::default()))).unwrap();
}

#[test]
fn tokens_behind_an_arc() {
    let make = async |_| Ok(Arc::new(MemoryTokens::default()) as Arc<dyn TokenStore>);
    block_on(leadapi_conformance::run_tokens(make)).unwrap();
}

#[test]
fn tokens_behind_a_box() {
    let make = async |_| Ok(Box::new(MemoryTokens::default()) as Box<dyn TokenStore>);
    block_on(leadapi_conformance::run_tokens(make)).unwrap();
}

#[test]
fn the_in_memory_settings_pass() {
    block_on(leadapi_conformance::run_tokens(async |dataset| Ok(MemorySettings::new(&dataset)))).unwrap();
    block_on(leadapi_conformance::run_settings(async |dataset| Ok(MemorySettings::new(&dataset)))).unwrap();
}

#[test]
fn settings_behind_an_arc() {
    let make = async |dataset| Ok(Arc::new(MemorySettings::new(&dataset)) as Arc<dyn SettingsStore>);
    block_on(leadapi_conformance::run_settings(make)).unwrap();
}

#[test]
fn the_administration_of_the_in_memory_stores_passes() {
    let make = async |dataset| {
        let settings = MemorySettings::new(&dataset);
        Ok(MemoryAdmin::new(Arc::new(MemoryStore::new(dataset)), settings))
    };
    block_on(leadapi_conformance::run_admin(make)).unwrap();
}

/// Compiles only if these ports are dyn-compatible.
#[test]
fn every_port_is_dyn_compatible() {
    const fn port<T: Send + Sync + ?Sized>() {}
    fn store(_: impl Store) {}
    fn tokens(_: impl TokenStore) {}
    fn verifier(_: impl TokenVerifier) {}
    fn limiter(_: impl RateLimiter) {}
    port::<dyn Admin>();
    port::<dyn Clock>();
    port::<dyn IdSource>();
    store(Box::new(MemoryStore::default()) as Box<dyn Store>);
    tokens(Arc::new(MemoryTokens::default()) as Arc<dyn TokenStore>);
    verifier(Box::new(StoredTokens::new(MemoryTokens::default(), SystemClock)) as Box<dyn TokenVerifier>);
    limiter(Arc::new(SlidingWindow::new(Limits::default())) as Arc<dyn RateLimiter>);
    let _: Box<dyn IdSource> = Box::new(Uuids::default());
}
