//! Tests of the verifier's cache on a manual clock: the lookups that it saves, the changes that it must not hide, and
//! the tokens that it must not keep.
#![allow(clippy::unwrap_used, reason = "a test fails at the first unexpected value")]

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use futures_executor::block_on;
use leadapi_core::{
    auth::{BearerToken, Scopes, TokenHash},
    id::{BusinessId, TokenId},
    memory::{ManualClock, MemoryTokens},
    port::{Clock, FoundToken, StoreError, TokenRecord, TokenStore, TokenUse, TokenVerifier, Verdict},
    tokens::StoredTokens,
};

/// A store that counts its lookups, can be slow, and can fail.
struct Watched {
    tokens: MemoryTokens,
    clock: Arc<ManualClock>,
    look_ups: AtomicUsize,
    /// The delay between the store's read and its response.
    slowness: Mutex<Duration>,
    broken: AtomicBool,
}

#[async_trait]
impl TokenStore for Watched {
    async fn insert(&self, business: &BusinessId, token: TokenRecord) -> Result<(), StoreError> {
        self.tokens.insert(business, token).await
    }

    async fn list(&self, business: &BusinessId) -> Result<Vec<TokenRecord>, StoreError> {
        self.tokens.list(business).await
    }

    async fn record_uses(&self, uses: &[TokenUse]) -> Result<(), StoreError> {
        self.tokens.record_uses(uses).await
    }

    async fn find(&self, hash: &TokenHash) -> Result<Option<Arc<FoundToken>>, StoreError> {
        self.look_ups.fetch_add(1, Ordering::Relaxed);
        if self.broken.load(Ordering::Relaxed) {
            return Err(StoreError::backend("the store is down"));
        }
        let found = self.tokens.find(hash).await;
        self.clock.advance(*self.slowness.lock().unwrap());
        found
    }
}

struct World {
    clock: Arc<ManualClock>,
    store: Arc<Watched>,
    verifier: StoredTokens,
}

fn world() -> World {
    let clock = Arc::new(ManualClock::at("2026-05-04T12:00:00Z".parse().unwrap()));
    let store = Arc::new(Watched {
        tokens: MemoryTokens::default(),
        clock: clock.clone(),
        look_ups: AtomicUsize::new(0),
        slowness: Mutex::default(),
        broken: AtomicBool::new(false),
    });
    let (now, elapsed) = (clock.clone(), clock.clone());
    let verifier = StoredTokens::new(store.clone(), move || now.now()).cached_with_time(move || elapsed.elapsed());
    let verifier = verifier.checked_by_store();
    World { clock, store, verifier }
}

fn owner() -> BusinessId {
    BusinessId::parse("b1").unwrap()
}

impl World {
    fn token(&self, expires_at: Option<&str>) -> (TokenId, BearerToken) {
        let secret = BearerToken::generate().unwrap();
        let mut record = TokenRecord::new(&secret, "t", Scopes::Both, self.clock.now());
        record.expires_at = expires_at.map(|at| at.parse().unwrap());
        let id = record.id.clone();
        block_on(self.store.insert(&owner(), record)).unwrap();
        (id, secret)
    }

    fn verdict(&self, secret: &BearerToken) -> Verdict {
        block_on(self.verifier.verify(secret)).unwrap()
    }

    fn is_good(&self, secret: &BearerToken) -> bool {
        matches!(self.verdict(secret), Verdict::Good(_))
    }

    fn advance(&self, millis: u64) {
        self.clock.advance(Duration::from_millis(millis));
    }

    fn look_ups(&self) -> usize {
        self.store.look_ups.load(Ordering::Relaxed)
    }
}

#[test]
fn a_token_is_looked_up_once_in_two_seconds() {
    let world = world();
    let (id, secret) = world.token(None);
    let first = world.verdict(&secret);
    let Verdict::Good(caller) = &first else { panic!("the token is refused") };
    assert_eq!((&caller.business, &caller.token, caller.scopes), (&owner(), &id, Scopes::Both));
    world.advance(1_999);
    assert_eq!((world.verdict(&secret), world.look_ups()), (first, 1));
    // A cache hit does not extend the entry's lifetime.
    world.advance(1);
    assert_eq!((world.is_good(&secret), world.look_ups()), (true, 2));
    world.advance(1_999);
    assert_eq!((world.is_good(&secret), world.look_ups()), (true, 2));
}

#[test]
fn without_a_cache_every_request_causes_a_lookup() {
    let world = world();
    let (_, secret) = world.token(None);
    let uncached = StoredTokens::new(world.store.clone(), || "2026-05-04T12:00:00Z".parse().unwrap());
    for _ in 0..3 {
        assert!(matches!(block_on(uncached.verify(&secret)).unwrap(), Verdict::Good(_)));
    }
    assert_eq!((world.look_ups(), uncached.cached_tokens()), (3, 0));
}

#[test]
fn the_lifetime_starts_before_the_lookup() {
    let world = world();
    let (id, secret) = world.token(None);
    *world.store.slowness.lock().unwrap() = Duration::from_millis(1_500);
    assert!(world.is_good(&secret));
    // The revocation happens after the store's read, but before its response.
    assert!(world.store.tokens.revoke(&owner(), &id, world.clock.now()));
    world.advance(499);
    assert_eq!((world.is_good(&secret), world.look_ups()), (true, 1));
    world.advance(1);
    assert_eq!((world.verdict(&secret), world.look_ups()), (Verdict::Revoked, 2));
    // The result of a lookup that takes 2 s or longer is not reused for the next request.
    *world.store.slowness.lock().unwrap() = Duration::from_secs(2);
    world.advance(2_000);
    world.verdict(&secret);
    world.verdict(&secret);
    assert_eq!(world.look_ups(), 4);
}

#[test]
fn revoking_and_deleting_take_effect_within_two_seconds() {
    let world = world();
    let ((revoked, one), (deleted, other)) = (world.token(None), world.token(None));
    assert!(world.is_good(&one) && world.is_good(&other));
    assert!(world.store.tokens.revoke(&owner(), &revoked, world.clock.now()));
    assert!(world.store.tokens.delete(&owner(), &deleted));
    world.advance(2_000);
    assert_eq!((world.verdict(&one), world.verdict(&other)), (Verdict::Revoked, Verdict::Unknown));
    // A revoked token is cached like any other, and the verifier rejects it without a lookup.
    let look_ups = world.look_ups();
    assert_eq!((world.verdict(&one), world.look_ups()), (Verdict::Revoked, look_ups));
}

#[test]
fn expiry_is_exact_for_cached_tokens() {
    let world = world();
    let (_, secret) = world.token(Some("2026-05-04T12:00:01Z"));
    assert!(world.is_good(&secret));
    world.advance(999);
    assert!(world.is_good(&secret));
    world.advance(1);
    assert_eq!((world.verdict(&secret), world.look_ups()), (Verdict::Expired, 1));
}

#[test]
fn unknown_tokens_are_not_cached() {
    let world = world();
    let (_, secret) = world.token(None);
    assert!(world.is_good(&secret));
    for number in 0..100_000 {
        let unknown = BearerToken::generate().unwrap();
        assert_eq!(world.verdict(&unknown), Verdict::Unknown);
        let garbage = BearerToken::parse(&format!("pak_{number:049}")).unwrap();
        assert_eq!(world.verdict(&garbage), Verdict::Unknown);
    }
    // A token with a wrong checksum costs no lookup. Any other unknown token costs one.
    assert_eq!((world.look_ups(), world.verifier.cached_tokens()), (100_001, 1));
    assert_eq!((world.is_good(&secret), world.look_ups()), (true, 100_001));
    // An unknown token is found as soon as it is inserted.
    let late = BearerToken::generate().unwrap();
    assert_eq!(world.verdict(&late), Verdict::Unknown);
    let record = TokenRecord::new(&late, "late", Scopes::Read, world.clock.now());
    block_on(world.store.insert(&owner(), record)).unwrap();
    assert!(world.is_good(&late));
}

#[test]
fn old_entries_are_swept() {
    let world = world();
    let mut maximum = 0;
    for _ in 0..10_000 {
        let (_, secret) = world.token(None);
        assert!(world.is_good(&secret));
        world.advance(15_000);
        maximum = maximum.max(world.verifier.cached_tokens());
    }
    // At most 20 tokens are known at any time.
    assert!((20..=65).contains(&maximum), "{maximum}");
}

/// Lookups of unknown tokens are limited, and must not delay lookups of tokens in use.
#[test]
fn a_token_stays_known_for_five_minutes_or_until_it_is_deleted() {
    let world = world();
    let (id, secret) = world.token(None);
    assert!(world.verifier.needs_lookup(&secret));
    assert!(!world.verifier.needs_lookup(&BearerToken::parse("pak_mistyped").unwrap()));
    assert!(world.is_good(&secret));
    world.advance(299_999);
    assert!(!world.verifier.needs_lookup(&secret));
    world.advance(1);
    assert!(world.verifier.needs_lookup(&secret));
    assert!(world.is_good(&secret) && !world.verifier.needs_lookup(&secret));
    assert!(world.store.tokens.revoke(&owner(), &id, world.clock.now()));
    assert!(world.store.tokens.delete(&owner(), &id));
    world.advance(2_000);
    assert_eq!((world.verdict(&secret), world.verifier.needs_lookup(&secret)), (Verdict::Unknown, true));
}

#[test]
fn fresh_entries_are_not_swept() {
    let world = world();
    let secrets: Vec<BearerToken> = (0..1_000).map(|_| world.token(None).1).collect();
    for _ in 0..2 {
        assert!(secrets.iter().all(|secret| world.is_good(secret)));
    }
    assert_eq!((world.look_ups(), world.verifier.cached_tokens()), (1_000, 1_000));
}

#[test]
fn failures_are_not_cached() {
    let world = world();
    let (_, secret) = world.token(None);
    world.store.broken.store(true, Ordering::Relaxed);
    assert!(block_on(world.verifier.verify(&secret)).is_err());
    world.store.broken.store(false, Ordering::Relaxed);
    assert!(world.is_good(&secret));
    // A token that was found before the failure stays cached for 2 s, and no longer.
    world.store.broken.store(true, Ordering::Relaxed);
    world.advance(1_999);
    assert!(world.is_good(&secret));
    world.advance(1);
    assert!(block_on(world.verifier.verify(&secret)).is_err());
}
