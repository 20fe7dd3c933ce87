//! A server and a transport that replay a cassette.

use std::{fmt, sync::Arc};

use async_trait::async_trait;
use bytes::Bytes;
use http::{HeaderMap, Request, Response};
use leadapi_core::http::header::IDEMPOTENCY_KEY;
use wiremock::{Mock, MockServer, Respond, ResponseTemplate, matchers::any};

use super::{
    CassetteError,
    matcher::{Body, ComparedRequest},
    player::Player,
    target::Target,
};
use crate::serve;
use leadapi_client::{
    Client, ConfigError,
    transport::{Transport, TransportError},
};

/// A placeholder token. A replay does not check tokens.
const TOKEN: &str = "pak_replay";

/// A server that replays a cassette, for clients in any language. Started by
/// [`Cassette::replay`](super::Cassette::replay).
///
/// Dropping the server without calling [`verify`](Self::verify) verifies the replay and panics on a mismatch, unless
/// the test is already panicking.
pub struct Replay {
    server: MockServer,
    player: Arc<Player>,
}

impl Replay {
    pub(super) async fn start(player: Player) -> Self {
        let player = Arc::new(player);
        // Do not use wiremock's server pool: a kept-alive connection could reach another test's server.
        let server = MockServer::builder().disable_request_recording().start().await;
        Mock::given(any()).respond_with(PlayerResponder(Arc::clone(&player))).mount(&server).await;
        Self { server, player }
    }

    /// Returns the base URL for the client: the server's address followed by the recorded base path.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/client/support.rs")); }
    /// # use leadapi_testkit::cassette::Cassette;
    /// # #[tokio::main] async fn main() -> Result<(), leadapi_core::BoxError> {
    /// let har = r#"{"log": {"entries": [{"request": {"method": "GET", "url": "https://api.example.com/public/v1/clients"},
    ///     "response": {"status": 500}}]}}"#;
    /// let replay = Cassette::parse(har)?.replay().await;
    /// assert!(replay.url().starts_with("http://127.0.0.1:") && replay.url().ends_with("/public/v1"));
    /// # replay.verify().unwrap_err();
    /// # Ok(()) }
    /// ```
    pub fn url(&self) -> String {
        format!("{}{}", self.server.uri(), self.player.base())
    }

    /// Returns a token for the client. Any token works, because a replay does not check tokens.
    ///
    /// ```
    /// # use leadapi_testkit::cassette::Cassette;
    /// # #[tokio::main] async fn main() -> Result<(), leadapi_core::BoxError> {
    /// let replay = Cassette::parse(r#"{"log": {"entries": []}}"#)?.replay().await;
    /// assert!(replay.token().starts_with("pak_"));
    /// # Ok(()) }
    /// ```
    pub fn token(&self) -> &'static str {
        TOKEN
    }

    /// Creates a client for the server, with the default retry policy and no rate limiting. The client's waits take no
    /// real time.
    ///
    /// ```
    /// # use leadapi_testkit::cassette::Cassette;
    /// # #[tokio::main] async fn main() -> Result<(), leadapi_core::BoxError> {
    /// let har = r#"{"log": {"entries": [{
    ///     "request": {"method": "GET", "url": "https://api.example.com/v1/clients?offset=0&limit=50"},
    ///     "response": {"status": 200, "content": {"text": "{\"data\":[],\"total\":0,\"limit\":50,\"offset\":0}"}}}]}}"#;
    /// let replay = Cassette::parse(har)?.replay().await;
    /// assert_eq!(replay.client()?.client_accounts().list(Default::default()).await?.total, 0);
    /// replay.verify()?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`ConfigError`] if the recorded base path is invalid or TLS cannot be set up.
    pub fn client(&self) -> Result<Client, ConfigError> {
        let transport = serve::transport()?;
        serve::skip_waits(Client::builder(self.url(), TOKEN), |_| {}).transport(transport).build()
    }

    /// Checks that every request matched an entry and that every entry was requested.
    ///
    /// ```
    /// # use leadapi_testkit::cassette::Cassette;
    /// # #[tokio::main] async fn main() -> Result<(), leadapi_core::BoxError> {
    /// let har = r#"{"log": {"entries": [{"request": {"method": "GET", "url": "/v1/clients"}, "response": {"status": 500}}]}}"#;
    /// let error = Cassette::parse(har)?.replay().await.verify().unwrap_err();
    /// assert!(error.to_string().ends_with("entry 1 (GET /v1/clients) was not requested"));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`CassetteError::Mismatch`] if the replay differs from the recording, with one message for each
    /// difference.
    pub fn verify(&self) -> Result<(), CassetteError> {
        self.player.verify()
    }
}

impl Drop for Replay {
    fn drop(&mut self) {
        self.player.verify_on_drop();
    }
}

impl fmt::Debug for Replay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Replay").field("url", &self.url()).finish_non_exhaustive()
    }
}

/// A transport that replays a cassette without a socket or a runtime. Created by
/// [`Cassette::transport`](super::Cassette::transport).
///
/// Clones share one replay. Dropping the last clone without calling [`verify`](Self::verify) verifies the replay and
/// panics on a mismatch, unless the test is already panicking.
#[derive(Debug, Clone)]
pub struct ReplayTransport(Arc<VerifyOnDrop>);

#[derive(Debug)]
struct VerifyOnDrop(Player);

impl Drop for VerifyOnDrop {
    fn drop(&mut self) {
        self.0.verify_on_drop();
    }
}

impl ReplayTransport {
    pub(super) fn new(player: Player) -> Self {
        Self(Arc::new(VerifyOnDrop(player)))
    }

    /// Creates a client with this transport, the default retry policy and no rate limiting. The client's waits take no
    /// real time.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/client/support.rs")); }
    /// # use leadapi_testkit::cassette::Cassette;
    /// let har = r#"{"log": {"entries": [{
    ///     "request": {"method": "GET", "url": "https://api.example.com/v1/clients?offset=0&limit=50"},
    ///     "response": {"status": 200, "content": {"text": "{\"data\":[],\"total\":0,\"limit\":50,\"offset\":0}"}}}]}}"#;
    /// let transport = Cassette::parse(har)?.transport();
    /// assert_eq!(support::wait(transport.client()?.client_accounts().list(Default::default()))?.total, 0);
    /// transport.verify()?;
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`ConfigError`] if the recorded base path is invalid.
    pub fn client(&self) -> Result<Client, ConfigError> {
        let builder = Client::builder(format!("http://replay{}", self.0.0.base()), TOKEN);
        serve::skip_waits(builder, |_| {}).transport(self.clone()).build()
    }

    /// Checks that every request matched an entry and that every entry was requested.
    ///
    /// ```
    /// # use leadapi_testkit::cassette::Cassette;
    /// let transport = Cassette::parse(r#"{"log": {"entries": []}}"#)?.transport();
    /// transport.verify()?;
    /// # Ok::<(), leadapi_testkit::cassette::CassetteError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`CassetteError::Mismatch`] if the replay differs from the recording, with one message for each
    /// difference.
    pub fn verify(&self) -> Result<(), CassetteError> {
        self.0.0.verify()
    }
}

#[async_trait]
impl Transport for ReplayTransport {
    async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, TransportError> {
        let target = Target::new(request.uri().path(), request.uri().query());
        Ok(self.0.0.respond(&compared_request(request.method().as_str(), target, request.headers(), request.body())))
    }
}

struct PlayerResponder(Arc<Player>);

impl Respond for PlayerResponder {
    fn respond(&self, request: &wiremock::Request) -> ResponseTemplate {
        let target = Target::new(request.url.path(), request.url.query());
        let response =
            self.0.respond(&compared_request(request.method.as_str(), target, &request.headers, &request.body));
        let (head, body) = response.into_parts();
        let headers = head.headers.iter().map(|(name, value)| (name.clone(), value.clone()));
        ResponseTemplate::new(head.status.as_u16()).append_headers(headers).set_body_bytes(body.to_vec())
    }
}

fn compared_request(method: &str, target: Target, headers: &HeaderMap, body: &[u8]) -> ComparedRequest {
    let key = headers.get(IDEMPOTENCY_KEY).map(|key| String::from_utf8_lossy(key.as_bytes()).into_owned());
    ComparedRequest { method: method.to_owned(), target, key, body: Body::new(body) }
}
