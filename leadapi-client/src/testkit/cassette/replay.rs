//! A cassette that answers: over a socket, or without one.

use std::{fmt, sync::Arc};

use async_trait::async_trait;
use bytes::Bytes;
use http::{HeaderMap, Request, Response};
use leadapi_core::http::header::IDEMPOTENCY_KEY;
use wiremock::{Mock, MockServer, Respond, ResponseTemplate, matchers::any};

use super::{
    CassetteError,
    matcher::{Asked, Body},
    player::Player,
    target::Target,
};
use crate::{
    Client, ConfigError,
    testkit::serve,
    transport::{Transport, TransportError},
};

/// Which one does not matter: a replay asks for none.
const TOKEN: &str = "pak_replay";

/// A server that replays a cassette, for a client in whatever language; made by [`Cassette::replay`](super::Cassette::replay).
///
/// When it is dropped without having been [verified](Self::verify), it does so, and panics where the replay was not
/// faithful; not in a test that is failing already.
pub struct Replay {
    server: MockServer,
    player: Arc<Player>,
}

impl Replay {
    pub(super) async fn start(player: Player) -> Self {
        let player = Arc::new(player);
        // One of its own: from the pool of wiremock, a connection kept alive could reach another test's server.
        let server = MockServer::builder().disable_request_recording().start().await;
        Mock::given(any()).respond_with(OverHttp(Arc::clone(&player))).mount(&server).await;
        Self { server, player }
    }

    /// The base URL for the client: the server's, with the base path of what was recorded.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # use leadapi_client::testkit::cassette::Cassette;
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

    /// A token for the client; the recording holds none, and a replay asks for none.
    ///
    /// ```
    /// # use leadapi_client::testkit::cassette::Cassette;
    /// # #[tokio::main] async fn main() -> Result<(), leadapi_core::BoxError> {
    /// let replay = Cassette::parse(r#"{"log": {"entries": []}}"#)?.replay().await;
    /// assert!(replay.token().starts_with("pak_"));
    /// # Ok(()) }
    /// ```
    pub fn token(&self) -> &'static str {
        TOKEN
    }

    /// A client of the server: with the default policy on repetitions, and whose waits take no time.
    ///
    /// ```
    /// # use leadapi_client::testkit::cassette::Cassette;
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
    /// [`ConfigError`] when the base path of what was recorded is none.
    pub fn client(&self) -> Result<Client, ConfigError> {
        let transport = serve::transport()?;
        serve::skip_waits(Client::builder(self.url(), TOKEN), |_| {}).transport(transport)
    }

    /// Whether every request was recorded, and everything that was recorded was asked for.
    ///
    /// ```
    /// # use leadapi_client::testkit::cassette::Cassette;
    /// # #[tokio::main] async fn main() -> Result<(), leadapi_core::BoxError> {
    /// let har = r#"{"log": {"entries": [{"request": {"method": "GET", "url": "/v1/clients"}, "response": {"status": 500}}]}}"#;
    /// let error = Cassette::parse(har)?.replay().await.verify().unwrap_err();
    /// assert!(error.to_string().ends_with("entry 1 (GET /v1/clients) was never asked for"));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// [`CassetteError::Unfaithful`] with a sentence for each request and each entry that was not.
    pub fn verify(&self) -> Result<(), CassetteError> {
        self.player.verify()
    }
}

impl Drop for Replay {
    fn drop(&mut self) {
        self.player.verify_at_the_end();
    }
}

impl fmt::Debug for Replay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Replay").field("url", &self.url()).finish_non_exhaustive()
    }
}

/// A transport that replays a cassette without a socket and without a runtime; made by
/// [`Cassette::transport`](super::Cassette::transport).
///
/// Clones replay the same cassette. When the last of them is dropped and none has been [verified](Self::verify), it does
/// so, and panics where the replay was not faithful; not in a test that is failing already.
#[derive(Debug, Clone)]
pub struct ReplayTransport(Arc<Verified>);

#[derive(Debug)]
struct Verified(Player);

impl Drop for Verified {
    fn drop(&mut self) {
        self.0.verify_at_the_end();
    }
}

impl ReplayTransport {
    pub(super) fn new(player: Player) -> Self {
        Self(Arc::new(Verified(player)))
    }

    /// A client that speaks through it.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # use leadapi_client::testkit::cassette::Cassette;
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
    /// [`ConfigError`] when the base path of what was recorded is none.
    pub fn client(&self) -> Result<Client, ConfigError> {
        let builder = Client::builder(format!("http://replay{}", self.0.0.base()), TOKEN);
        serve::skip_waits(builder, |_| {}).transport(self.clone())
    }

    /// Whether every request was recorded, and everything that was recorded was asked for.
    ///
    /// ```
    /// # use leadapi_client::testkit::cassette::Cassette;
    /// let transport = Cassette::parse(r#"{"log": {"entries": []}}"#)?.transport();
    /// transport.verify()?;
    /// # Ok::<(), leadapi_client::testkit::cassette::CassetteError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`CassetteError::Unfaithful`] with a sentence for each request and each entry that was not.
    pub fn verify(&self) -> Result<(), CassetteError> {
        self.0.0.verify()
    }
}

#[async_trait]
impl Transport for ReplayTransport {
    async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, TransportError> {
        let target = Target::new(request.uri().path(), request.uri().query());
        Ok(self.0.0.play(&asked(request.method().as_str(), target, request.headers(), request.body())))
    }
}

struct OverHttp(Arc<Player>);

impl Respond for OverHttp {
    fn respond(&self, request: &wiremock::Request) -> ResponseTemplate {
        let target = Target::new(request.url.path(), request.url.query());
        let response = self.0.play(&asked(request.method.as_str(), target, &request.headers, &request.body));
        let (head, body) = response.into_parts();
        let headers = head.headers.iter().map(|(name, value)| (name.clone(), value.clone()));
        ResponseTemplate::new(head.status.as_u16()).append_headers(headers).set_body_bytes(body.to_vec())
    }
}

fn asked(method: &str, target: Target, headers: &HeaderMap, body: &[u8]) -> Asked {
    let key = headers.get(IDEMPOTENCY_KEY).map(|key| String::from_utf8_lossy(key.as_bytes()).into_owned());
    Asked { method: method.to_owned(), target, key, body: Body::new(body) }
}
