//! Tests of the life cycle of a token from creation to deletion, on a manual clock (contract 5 and D8).
#![allow(clippy::unwrap_used, reason = "a test fails at the first unexpected value")]

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use futures_executor::block_on;
use leadapi_core::{
    auth::{BearerToken, Member, NotAllowed, Role, Scopes, TokenAdmin, TokenHash},
    id::BusinessId,
    memory::{ManualClock, MemorySettings, MemoryTokens},
    model::Window,
    port::{Clock, FoundToken, StoreError, TokenRecord, TokenRefusal, TokenStore, TokenUse, TokenVerifier, Verdict},
    tokens::{NewToken, Rotation, StoredTokens, TokenError, TokenUses, Tokens},
};

struct World {
    clock: Arc<ManualClock>,
    tokens: Tokens,
    verifier: StoredTokens,
}

fn world() -> World {
    let clock = Arc::new(ManualClock::at("2026-05-04T12:00:00Z".parse().unwrap()));
    let time = || {
        let clock = clock.clone();
        move || clock.now()
    };
    let store = Arc::new(MemorySettings::default());
    World { tokens: Tokens::new(store.clone(), time()), verifier: StoredTokens::new(store, time()), clock }
}

fn member(business: &str, role: Role) -> Member {
    Member::new(BusinessId::parse(business).unwrap(), "ann@sol.example", role)
}

fn admin(business: &str) -> TokenAdmin {
    member(business, Role::Admin).token_admin().unwrap()
}

fn new(name: &str, expires_at: Option<&str>) -> NewToken {
    let mut new = NewToken::new(name, Scopes::Read);
    new.expires_at = expires_at.map(|at| at.parse().unwrap());
    new
}

impl World {
    fn create(&self, new: NewToken) -> Result<(TokenRecord, BearerToken), TokenError> {
        block_on(self.tokens.create(&admin("b1"), new))
    }

    fn verdict(&self, secret: &BearerToken) -> Verdict {
        block_on(self.verifier.verify(secret)).unwrap()
    }
}

#[test]
fn only_owners_and_admins_manage_tokens() {
    assert!(member("b1", Role::Owner).token_admin().is_ok());
    assert!(member("b1", Role::Admin).token_admin().is_ok());
    assert_eq!(member("b1", Role::Member).token_admin(), Err(NotAllowed));
}

#[test]
fn a_new_token_identifies_its_business_and_scopes() {
    let world = world();
    let (record, secret) = world.create(new(" website ", None)).unwrap();
    assert_eq!((record.name.as_str(), &record.hint), ("website", &secret.expose()[..8].to_owned()));
    let Verdict::Good(caller) = world.verdict(&secret) else { panic!("the token is refused") };
    assert_eq!((caller.business.as_str(), caller.token, caller.scopes), ("b1", record.id, Scopes::Read));
}

#[test]
fn stored_and_displayed_tokens_contain_no_secret() {
    let world = world();
    let (record, secret) = world.create(new("t", None)).unwrap();
    let random = &secret.expose()[8..];
    let listed = block_on(world.tokens.list(&admin("b1"))).unwrap();
    assert_eq!(listed, [record]);
    assert!(!format!("{listed:?} {secret:?} {:?}", secret.hash()).contains(random));
}

#[test]
fn a_token_expires_to_the_millisecond() {
    let world = world();
    let (_, secret) = world.create(new("t", Some("2026-05-04T12:00:01Z"))).unwrap();
    world.clock.advance(Duration::from_millis(999));
    assert!(matches!(world.verdict(&secret), Verdict::Good(_)));
    world.clock.advance(Duration::from_millis(1));
    assert_eq!(world.verdict(&secret), Verdict::Expired);
}

#[test]
fn invalid_names_and_past_expiry_times_are_refused() {
    let world = world();
    for name in ["", " ", "a\nb", &"x".repeat(101)] {
        assert!(matches!(world.create(new(name, None)), Err(TokenError::Name(_))), "{name:?}");
    }
    for at in ["2026-05-04T12:00:00Z", "2020-01-01T00:00:00Z"] {
        assert!(matches!(world.create(new("t", Some(at))), Err(TokenError::Expired)), "{at}");
    }
    assert_eq!(block_on(world.tokens.list(&admin("b1"))).unwrap(), []);
}

#[test]
fn the_first_revocation_time_is_kept_until_the_token_is_deleted() {
    let world = world();
    let (record, secret) = world.create(new("t", None)).unwrap();
    let delete = || block_on(world.tokens.delete(&admin("b1"), &record.id));
    let revoke = || block_on(world.tokens.revoke(&admin("b1"), &record.id));
    assert!(matches!(delete(), Err(TokenError::Refused(TokenRefusal::StillValid))));
    let revoked_at = revoke().unwrap().revoked_at.unwrap();
    assert_eq!(revoked_at.to_string(), "2026-05-04T12:00:00.000Z");
    assert_eq!(world.verdict(&secret), Verdict::Revoked);
    world.clock.advance(Duration::from_secs(1));
    assert!(matches!(revoke(), Err(TokenError::Refused(TokenRefusal::AlreadyRevoked(at))) if at == revoked_at));
    let listed = block_on(world.tokens.list(&admin("b1"))).unwrap();
    assert_eq!(listed.first().unwrap().revoked_at, Some(revoked_at));
    assert_eq!(delete().unwrap().id, record.id);
    assert!(matches!(delete(), Err(TokenError::Refused(TokenRefusal::NotFound))));
    assert_eq!(world.verdict(&secret), Verdict::Unknown);
}

#[test]
fn both_tokens_of_a_rotation_are_valid_until_the_overlap_ends() {
    let world = world();
    let (old, old_secret) = world.create(new("t", None)).unwrap();
    let rotation = Rotation::new(Duration::from_secs(60));
    let (new, secret) = block_on(world.tokens.rotate(&admin("b1"), &old.id, rotation)).unwrap();
    assert_eq!((&new.name, new.scopes, new.expires_at), (&old.name, old.scopes, None));
    world.clock.advance(Duration::from_millis(59_999));
    assert!(matches!(world.verdict(&old_secret), Verdict::Good(_)));
    world.clock.advance(Duration::from_millis(1));
    assert_eq!(world.verdict(&old_secret), Verdict::Expired);
    assert!(matches!(world.verdict(&secret), Verdict::Good(_)));
    let past = rotation.expires_at(world.clock.now());
    assert!(matches!(block_on(world.tokens.rotate(&admin("b1"), &new.id, past)), Err(TokenError::Expired)));
    let endless = Rotation::new(Duration::MAX);
    assert!(matches!(block_on(world.tokens.rotate(&admin("b1"), &new.id, endless)), Err(TokenError::Overlap)));
}

#[test]
fn the_audit_log_names_the_person_and_the_address() {
    let world = world();
    let address = "192.0.2.7".parse().ok();
    let (record, _) = block_on(world.tokens.create(&admin("b1").address(address), new("t", None))).unwrap();
    assert_eq!(record.created_by.as_deref(), Some("ann@sol.example"));
    let log = block_on(world.tokens.audit(&admin("b1"), Window::default())).unwrap();
    let json = serde_json::to_value(&log.data).unwrap();
    assert_eq!(json[0]["action"], "token_created");
    assert_eq!((&json[0]["email"], &json[0]["address"]), (&"ann@sol.example".into(), &"192.0.2.7".into()));
    assert_eq!((&json[0]["token_id"], &json[0]["token_name"]), (&record.id.as_str().into(), &"t".into()));
}

#[test]
fn a_use_is_collected_every_15_minutes() {
    let clock = Arc::new(ManualClock::at("2026-05-04T12:00:00Z".parse().unwrap()));
    let (store, uses) = (Arc::new(Counting::default()), Arc::new(TokenUses::default()));
    let now = clock.clone();
    let verifier = StoredTokens::new(store.clone(), move || now.now()).record_uses(uses.clone());
    let (owner, secret) = (BusinessId::parse("b1").unwrap(), BearerToken::generate().unwrap());
    let token = TokenRecord::new(&secret, "t", Scopes::Read, clock.now());
    block_on(store.insert(&owner, token)).unwrap();
    let mut seen = Vec::new();
    for _ in 0..40 {
        assert!(matches!(block_on(verifier.verify(&secret)).unwrap(), Verdict::Good(_)));
        block_on(uses.flush(&store)).unwrap();
        seen.extend(block_on(store.list(&owner)).unwrap().first().and_then(|token| token.last_used_at));
        clock.advance(Duration::from_secs(60));
    }
    seen.dedup();
    let seen: Vec<String> = seen.iter().map(|at| at.to_string()[11..16].to_owned()).collect();
    assert_eq!(seen, ["12:00", "12:15", "12:30"]);
    // The verifier does not pass other uses to the store, because the store would ignore them.
    assert_eq!(store.writes.load(Ordering::Relaxed), 3);
}

#[test]
fn a_use_of_an_invalid_token_is_not_collected() {
    let clock = Arc::new(ManualClock::at("2026-05-04T12:00:00Z".parse().unwrap()));
    let (store, uses) = (Arc::new(MemoryTokens::default()), Arc::new(TokenUses::default()));
    let now = clock.clone();
    let verifier = StoredTokens::new(store.clone(), move || now.now()).record_uses(uses.clone());
    let (owner, secret) = (BusinessId::parse("b1").unwrap(), BearerToken::generate().unwrap());
    let mut token = TokenRecord::new(&secret, "t", Scopes::Read, clock.now());
    token.revoked_at = Some(clock.now());
    block_on(store.insert(&owner, token)).unwrap();
    assert_eq!(block_on(verifier.verify(&secret)).unwrap(), Verdict::Revoked);
    block_on(uses.flush(&store)).unwrap();
    assert_eq!(block_on(store.list(&owner)).unwrap().first().unwrap().last_used_at, None);
}

#[test]
fn another_business_can_neither_list_nor_change_a_token() {
    let world = world();
    let (record, secret) = world.create(new("t", None)).unwrap();
    assert_eq!(block_on(world.tokens.list(&admin("b2"))).unwrap(), []);
    let not_found = |result| matches!(result, Err(TokenError::Refused(TokenRefusal::NotFound)));
    assert!(not_found(block_on(world.tokens.revoke(&admin("b2"), &record.id))));
    assert!(not_found(block_on(world.tokens.delete(&admin("b2"), &record.id))));
    assert!(matches!(world.verdict(&secret), Verdict::Good(_)));
}

/// A token store that counts its lookups and its writes of uses.
#[derive(Default)]
struct Counting {
    tokens: MemoryTokens,
    lookups: AtomicUsize,
    writes: AtomicUsize,
}

#[async_trait]
impl TokenStore for Counting {
    async fn insert(&self, business: &BusinessId, token: TokenRecord) -> Result<(), StoreError> {
        self.tokens.insert(business, token).await
    }

    async fn list(&self, business: &BusinessId) -> Result<Vec<TokenRecord>, StoreError> {
        self.tokens.list(business).await
    }

    async fn record_uses(&self, uses: &[TokenUse]) -> Result<(), StoreError> {
        self.writes.fetch_add(1, Ordering::Relaxed);
        self.tokens.record_uses(uses).await
    }

    async fn find(&self, hash: &TokenHash) -> Result<Option<Arc<FoundToken>>, StoreError> {
        self.lookups.fetch_add(1, Ordering::Relaxed);
        self.tokens.find(hash).await
    }
}

#[test]
fn a_malformed_token_causes_no_lookup() {
    let store = Arc::new(Counting::default());
    let verifier = StoredTokens::new(store.clone(), || "2026-05-04T12:00:00Z".parse().unwrap());
    for number in 0..1_000 {
        let garbage = BearerToken::parse(&format!("pak_{number:049}")).unwrap();
        assert_eq!(block_on(verifier.verify(&garbage)).unwrap(), Verdict::Unknown);
    }
    assert_eq!(store.lookups.load(Ordering::Relaxed), 0);
    block_on(verifier.verify(&BearerToken::generate().unwrap())).unwrap();
    assert_eq!(store.lookups.load(Ordering::Relaxed), 1);
}
