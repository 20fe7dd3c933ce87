//! Tests of tokens and their management (contract 5 and D8), from creation to a request that uses them.

use std::sync::Arc;

use leadapi_core::{
    auth::{BearerToken, Member, NotAllowed, Role, Scopes, TokenAdmin},
    clock::SystemClock,
    id::BusinessId,
    model::Timestamp,
    port::{Clock, TokenRecord, TokenRefusal},
    tokens::{NewToken, TokenError, Tokens},
};
use leadapi_memory::MemorySettings;
use leadapi_tests::{Case, Token, Via, World, delete, everywhere, get, secret};

fn admin(business: &str, role: Role) -> Result<TokenAdmin, NotAllowed> {
    Member::new(BusinessId::parse(business).unwrap(), "ann@biz.example", role).token_admin()
}

fn manager(world: &World) -> Tokens {
    let clock = world.clock.clone();
    Tokens::new(world.tokens.clone(), move || clock.now())
}

fn not_found(result: Result<TokenRecord, TokenError>) -> bool {
    matches!(result, Err(TokenError::Refused(TokenRefusal::NotFound)))
}

fn with(case: Case, secret: &BearerToken) -> Case {
    case.token(Token::None).header("authorization", format!("Bearer {}", secret.expose()))
}

#[test]
fn only_owners_and_admins_manage_tokens() {
    assert!(admin("biz-a", Role::Owner).is_ok());
    assert!(admin("biz-a", Role::Admin).is_ok());
    assert_eq!(admin("biz-a", Role::Member), Err(NotAllowed));
}

#[tokio::test]
async fn a_token_can_be_created_used_revoked_and_deleted() {
    everywhere("5.5 a token is created, used, revoked and deleted", async |live| {
        let (tokens, owner) = (manager(&live.world), admin("biz-a", Role::Owner).unwrap());
        let (record, secret) = tokens.create(&owner, NewToken::new(" website ", Scopes::Read)).await.unwrap();
        assert_eq!((record.name.as_str(), record.created_at.to_string().as_str()), ("website", leadapi_tests::START));
        live.send(with(get("5.4 a new token can read", "/leads"), &secret)).await;
        live.send(with(delete("5.4 a new token with the scope read cannot write", "a-lead-1"), &secret).is(403)).await;
        assert!(tokens.list(&owner).await.unwrap().contains(&record));
        tokens.revoke(&owner, &record.id).await.unwrap();
        live.send(with(get("5.5 revoked", "/leads"), &secret).is(401).says("token revoked")).await;
        let again = tokens.revoke(&owner, &record.id).await;
        assert!(
            matches!(again, Err(TokenError::Refused(TokenRefusal::AlreadyRevoked(_)))),
            "D8 revoking a second time changes nothing: {again:?}"
        );
        tokens.delete(&owner, &record.id).await.unwrap();
        live.send(with(get("5.5 deleted", "/leads"), &secret).is(401).says("invalid token")).await;
        assert!(not_found(tokens.delete(&owner, &record.id).await));
    })
    .await;
}

#[tokio::test]
async fn a_token_is_managed_only_by_its_own_business() {
    everywhere("5.6 only its own business can manage a token", async |live| {
        let (tokens, a, b) =
            (manager(&live.world), admin("biz-a", Role::Admin).unwrap(), admin("biz-b", Role::Owner).unwrap());
        let (record, secret) = tokens.create(&a, NewToken::new("x", Scopes::Both)).await.unwrap();
        assert!(!tokens.list(&b).await.unwrap().contains(&record));
        assert!(not_found(tokens.revoke(&b, &record.id).await));
        assert!(not_found(tokens.delete(&b, &record.id).await));
        live.send(with(get("5.6 the token is still valid", "/leads").at("/total", 6), &secret)).await;
    })
    .await;
}

#[tokio::test]
async fn a_token_is_refused_once_it_has_expired() {
    everywhere("5.5 a token may have an expiry", async |live| {
        let (tokens, owner) = (manager(&live.world), admin("biz-a", Role::Owner).unwrap());
        let in_an_hour: Timestamp = "2026-05-04T08:58:12.004Z".parse().unwrap();
        let expiring = NewToken::new("x", Scopes::Both).expires_at(in_an_hour);
        let (_, secret) = tokens.create(&owner, expiring).await.unwrap();
        live.world.wait(3599);
        live.send(with(get("5.5 one second before the expiry", "/leads"), &secret)).await;
        live.send(get("5.5 the token of the seed one second before its expiry", "/leads").token(Token::Expiring)).await;
        live.world.wait(1);
        live.send(with(get("5.5 at the exact time of expiry", "/leads"), &secret).is(401).says("token expired")).await;
        live.send(
            get("5.5 the token of the seed at the exact time of its expiry", "/leads")
                .token(Token::Expiring)
                .is(401)
                .says("token expired"),
        )
        .await;
        let past = NewToken::new("x", Scopes::Both).expires_at(in_an_hour);
        assert!(matches!(tokens.create(&owner, past).await, Err(TokenError::Expired)));
    })
    .await;
}

#[tokio::test]
async fn an_expired_and_revoked_token_is_401() {
    everywhere("5.7 a revoked or expired token is 401", async |live| {
        let secret = BearerToken::parse(&secret("ExpiredAndRevoked")).unwrap();
        let at: Timestamp = "2026-05-01T00:00:00Z".parse().unwrap();
        let mut record = TokenRecord::new(&secret, "x", Scopes::Both, at);
        (record.expires_at, record.revoked_at) = (Some(at), Some(at));
        live.world.tokens.insert(&BusinessId::parse("biz-a").unwrap(), record).await.unwrap();
        let answer = live.send(with(get("5.7 an expired and revoked token is 401", "/leads"), &secret).is(401)).await;
        assert!(answer.error().contains("token expired") || answer.error().contains("token revoked"));
    })
    .await;
}

#[tokio::test]
async fn a_token_has_the_documented_format_and_stays_secret() {
    // A token consists of pak_, 43 random base62 characters, and 6 base62 characters that encode the CRC-32 of the
    // preceding 47 characters (contract D8).
    let store = Arc::new(MemorySettings::default());
    let tokens = Tokens::new(store.clone(), SystemClock);
    let owner = admin("biz-a", Role::Owner).unwrap();
    for nth in 0..50 {
        let (record, made) = tokens.create(&owner, NewToken::new(nth.to_string(), Scopes::Both)).await.unwrap();
        let text = made.expose();
        assert_eq!(text, secret(&text[4..47]), "checksum");
        assert!(text.len() == 53 && text[4..].bytes().all(|byte| byte.is_ascii_alphanumeric()));
        assert!(
            text.starts_with(&record.hint) && record.hint.len() < 12,
            "the hint must be a short prefix of the token"
        );
        // The token never appears in `Debug` output and is never stored in plain text (contract D8).
        let debug = format!("{record:?} {made:?} {store:?}");
        assert!(!debug.contains(&text[..20]), "{debug}");
    }
}

/// A host's own verifier may accept any token that starts with `pak_` (contract D8).
#[tokio::test]
async fn a_custom_verifier_may_accept_any_pak_token() {
    use leadapi_core::{
        BoxError,
        auth::Caller,
        id::TokenId,
        port::{TokenVerifier, Verdict},
    };

    struct Anything;

    #[async_trait::async_trait]
    impl TokenVerifier for Anything {
        async fn verify(&self, _: &BearerToken) -> Result<Verdict, BoxError> {
            let (business, token) = (BusinessId::parse("biz-a")?, TokenId::parse("t")?);
            Ok(Verdict::Good(Caller::new(business, token, Scopes::Both)))
        }
    }

    let world = World::new().await.verifier(Arc::new(Anything));
    for via in Via::ALL {
        let live = via.open(world.clone()).await;
        for token in
            ["pak_x", "pak_a.b-c_d~e+f/g=", &format!("pak_{}", "x".repeat(251)), &format!("pak_{}", "x".repeat(600))]
        {
            let case =
                get(format!("D8 a host's own verifier may accept any pak_…: {} characters", token.len()), "/leads");
            live.send(case.token(Token::None).header("authorization", format!("Bearer {token}"))).await;
        }
        live.send(
            get("5.1 a host's own verifier may not accept another prefix", "/leads")
                .token(Token::None)
                .header("authorization", "Bearer x")
                .is(401),
        )
        .await;
    }
}
