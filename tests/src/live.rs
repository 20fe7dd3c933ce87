//! A world that answers, in one of the ways to it.

use std::sync::Arc;

use axum::Router;
use bytes::Bytes;
use http::Request;

use crate::{Answer, Case, Transport, World, runner, transport::Tcp};

/// A way to the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Via {
    /// A call, mounted at nothing.
    Process,
    /// hyper over TCP, mounted at `/v1`.
    Tcp,
    /// An axum router that strips `/crm`.
    Axum,
}

impl Via {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Process, Self::Tcp, Self::Axum];

    /// What stands before `/leads` in the requests of this way.
    pub fn public(self) -> &'static str {
        match self {
            Self::Process => "",
            Self::Tcp => "/v1",
            Self::Axum => "/crm",
        }
    }

    /// Lets a world answer this way.
    pub async fn open(self, world: World) -> Live {
        let transport: Box<dyn Transport> = match self {
            Self::Process => Box::new(world.service("", None)),
            Self::Tcp => Box::new(Tcp::serve(world.service("/v1", None)).await),
            Self::Axum => Box::new(Router::new().nest_service("/crm", world.service("", Some("/crm")))),
        };
        Live { world, via: self, transport }
    }
}

/// A world that answers.
#[allow(missing_debug_implementations, reason = "a transport has nothing to show")]
pub struct Live {
    /// The world.
    pub world: World,
    /// The way to it.
    pub via: Via,
    transport: Box<dyn Transport>,
}

impl Live {
    /// Sends a case and checks all of it.
    ///
    /// # Panics
    ///
    /// When something is not as the case or the contract says.
    pub async fn send(&self, case: Case) -> Answer {
        let (answer, wrong) = runner::check(self, &case).await;
        assert!(wrong.is_empty(), "{}", runner::report(self, &case, &answer, &wrong));
        answer
    }

    /// Sends a request as it is.
    pub async fn raw(&self, request: Request<Bytes>) -> Answer {
        self.transport.send(request).await.into()
    }

    /// The request of a case, as it is sent this way.
    pub fn request(&self, case: &Case) -> Request<Bytes> {
        case.to_request(self.via.public())
    }

    pub(crate) async fn answer(&self, case: &Case) -> Answer {
        self.raw(self.request(case)).await
    }
}

/// Plays a script, which is a sentence of the contract in several steps, in a new world over every transport and on
/// every kind of store.
pub async fn everywhere(sentence: &str, script: impl AsyncFn(&Arc<Live>)) {
    everywhere_with(sentence, |world| world, script).await;
}

/// The same in worlds that are changed first.
pub async fn everywhere_with(sentence: &str, change: impl Fn(World) -> World, script: impl AsyncFn(&Arc<Live>)) {
    assert!(!sentence.is_empty(), "a script says what it is about");
    for kept in World::stores().await {
        for via in Via::ALL {
            let live = via.open(change(World::over(&kept).await)).await;
            script(&Arc::new(live)).await;
            kept.reset().await;
        }
    }
}
