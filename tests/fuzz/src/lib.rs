//! Code shared by the fuzz targets: a service with the two businesses of the test suites, and the checks that apply to
//! every response.
//!
//! A panic in any thread ends the fuzzer, even where the service would catch the panic and respond with 500.

use std::sync::LazyLock;

use bytes::Bytes;
use http::Request;
use leadapi_core::http::LeadService;
use leadapi_tests::{TestResponse, Token, Transport, World, broken_invariants};
use tokio::runtime::Runtime;

/// The runtime of all fuzz targets.
pub static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().expect("a runtime"));

static WORLD: LazyLock<World> = LazyLock::new(|| RUNTIME.block_on(World::new()));
static SERVICE: LazyLock<LeadService> = LazyLock::new(|| service(&WORLD));

/// Returns a service with the base path `/v1`.
pub fn service(world: &World) -> LeadService {
    world.service("/v1", None)
}

/// Returns the secret of a token with both scopes.
pub fn secret() -> String {
    Token::Both.secret().expect("the token has a secret")
}

/// Sends a request in process, and checks the invariants of every response. Returns `None` if the bytes do not form a
/// request.
///
/// # Panics
///
/// Panics if the response violates the contract or has the status 500.
pub fn send(method: &str, path_and_query: &str, authorization: &[u8], body: &[u8]) -> Option<TestResponse> {
    let request = Request::builder()
        .method(method)
        .uri(path_and_query)
        .header("authorization", authorization)
        .header("content-type", "application/json")
        .body(Bytes::copy_from_slice(body))
        .ok()?;
    // Advances the clock by a full window, so that the rate limit rejects no request.
    WORLD.wait(60);
    let response = TestResponse::from(RUNTIME.block_on(SERVICE.send(request.clone())));
    let path = request.uri().path().strip_prefix("/v1").unwrap_or_default();
    let broken = broken_invariants(&request, path, &response);
    assert!(broken.is_empty(), "{broken:?}: {} {}", response.status, response.text());
    assert_ne!(response.status, 500, "{}", response.text());
    Some(response)
}
