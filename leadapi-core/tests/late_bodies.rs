//! Tests that a write whose body arrives 2 s or more after the revocation of its cached token is rejected.

#![allow(clippy::unwrap_used, reason = "a test fails at the first unexpected value")]

use std::{
    convert::Infallible,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use futures_executor::block_on;
use http::Request;
use http_body::{Body, Frame};
use leadapi_core::{
    auth::{BearerToken, Scopes},
    dataset::Dataset,
    http::LeadService,
    memory::{ManualClock, MemoryStore, MemoryTokens},
    port::{Clock, TokenRecord, TokenStore, TokenVerifier, Verdict},
    tokens::StoredTokens,
};

/// A body that arrives late.
struct Late {
    clock: Arc<ManualClock>,
    delay: Duration,
    text: Option<&'static str>,
}

impl Body for Late {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let Some(text) = self.text.take() else { return Poll::Ready(None) };
        self.clock.advance(self.delay);
        Poll::Ready(Some(Ok(Frame::data(text.into()))))
    }
}

/// The lead store does not check the tokens, as in a host with its own lead store.
#[test]
fn no_write_begins_two_seconds_after_the_revocation_of_its_cached_token() {
    const DATA: &str = r#"{"businesses": [{"id": "b1", "name": "B", "created_at": "2026-01-01T00:00:00Z",
        "clients": [{"id": "c1", "name": "C", "created_at": "2026-01-01T00:00:00Z"}]}]}"#;
    let mut created = 0;
    for (wait, delay) in
        [0, 1, 999, 1_000, 1_001, 1_999].into_iter().flat_map(|wait| [(wait, 0), (wait, 999), (wait, 1_999)])
    {
        let clock = Arc::new(ManualClock::at("2026-05-04T12:00:00Z".parse().unwrap()));
        let tokens = Arc::new(MemoryTokens::default());
        let (now, elapsed, service_clock) = (clock.clone(), clock.clone(), clock.clone());
        let verifier = StoredTokens::new(tokens.clone(), move || now.now());
        let verifier = Arc::new(verifier.cached_with_time(move || elapsed.elapsed()));
        let store = MemoryStore::new(Dataset::parse(DATA).unwrap());
        let service = LeadService::builder(store, verifier.clone()).clock(move || service_clock.now()).build().unwrap();
        let (business, secret) = ("b1".parse().unwrap(), BearerToken::generate().unwrap());
        let record = TokenRecord::new(&secret, "t", Scopes::Write, clock.now());
        block_on(tokens.insert(&business, record.clone())).unwrap();
        assert!(matches!(block_on(verifier.verify(&secret)), Ok(Verdict::Good(_))));
        assert!(tokens.revoke(&business, &record.id, clock.now()));
        clock.advance(Duration::from_millis(wait));
        let text = Some(r#"{"client_id": "c1", "name": "Ann"}"#);
        let body = Late { clock: clock.clone(), delay: Duration::from_millis(delay), text };
        let request = Request::post("/leads").header("authorization", format!("Bearer {}", secret.expose()));
        let status = block_on(service.answer(request.body(body).unwrap())).0.status();
        assert!(status == 401 || status == 201 && wait + delay < 2_000, "{status} after {wait} + {delay} ms");
        created += usize::from(status == 201);
    }
    assert!(created > 0);
}
