//! Serves a [`World`] over one of the transports.

use std::sync::Arc;

use axum::Router;
use bytes::Bytes;
use http::Request;

use crate::{Case, TestResponse, Transport, World, runner, transport::Tcp};

/// A transport through which requests reach the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Via {
    /// A direct call with an empty base path.
    Process,
    /// hyper over TCP, mounted at `/v1`.
    Tcp,
    /// An axum router that strips the prefix `/crm`.
    Axum,
}

impl Via {
    /// Every transport.
    pub const ALL: [Self; 3] = [Self::Process, Self::Tcp, Self::Axum];

    /// Returns the public base path, which precedes `/leads` in the request path.
    pub fn public(self) -> &'static str {
        match self {
            Self::Process => "",
            Self::Tcp => "/v1",
            Self::Axum => "/crm",
        }
    }

    /// Serves a world over this transport.
    pub async fn open(self, world: World) -> Live {
        let transport: Box<dyn Transport> = match self {
            Self::Process => Box::new(world.service("", None)),
            Self::Tcp => Box::new(Tcp::serve(world.service("/v1", None)).await),
            Self::Axum => Box::new(Router::new().nest_service("/crm", world.service("", Some("/crm")))),
        };
        Live { world, via: self, transport }
    }
}

/// A world served over a transport.
#[allow(missing_debug_implementations, reason = "trait objects have no Debug output")]
pub struct Live {
    /// The world that the service was built from.
    pub world: World,
    /// The transport that carries the requests.
    pub via: Via,
    transport: Box<dyn Transport>,
}

impl Live {
    /// Sends a case, and checks the response against the case and all invariants.
    ///
    /// # Panics
    ///
    /// Panics if the response differs from the case or violates the contract.
    pub async fn send(&self, case: Case) -> TestResponse {
        let (answer, wrong) = runner::check(self, &case).await;
        assert!(wrong.is_empty(), "{}", runner::report(self, &case, &answer, &wrong));
        answer
    }

    /// Sends a request without any check.
    pub async fn raw(&self, request: Request<Bytes>) -> TestResponse {
        self.transport.send(request).await.into()
    }

    /// Returns the request of a case, with the path adapted to this transport.
    pub fn request(&self, case: &Case) -> Request<Bytes> {
        case.to_request(self.via.public())
    }
}

/// Runs a script on every transport and kind of store, each time in a new world. A script checks a requirement of the
/// contract that needs several requests.
pub async fn everywhere(sentence: &str, script: impl AsyncFn(&Arc<Live>)) {
    everywhere_with(sentence, |world| world, script).await;
}

/// Runs a script like [`everywhere`], but applies `change` to each world first.
pub async fn everywhere_with(sentence: &str, change: impl Fn(World) -> World, script: impl AsyncFn(&Arc<Live>)) {
    assert!(!sentence.is_empty(), "a script must name its requirement");
    for store in World::stores().await {
        for via in Via::ALL {
            let live = via.open(change(World::over(&store).await)).await;
            script(&Arc::new(live)).await;
            store.reset().await;
        }
    }
}
