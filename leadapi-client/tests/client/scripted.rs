//! A scripted transport, and a clock that advances when a caller sleeps.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
    time::Duration,
};

use bytes::Bytes;
use http::{Request, Response};
use leadapi_client::{
    Client, ClientBuilder, Pacing, Wait,
    timer::Timer,
    transport::{Transport, TransportError},
};

/// What happens to a request.
#[derive(Debug, Clone)]
pub(crate) enum Act {
    NotSent,
    Lost,
    Never,
    Answer(u16, Vec<(&'static str, String)>, String),
}

impl Act {
    pub(crate) fn status(status: u16) -> Self {
        Self::Answer(status, Vec::new(), r#"{"error":"scripted"}"#.to_owned())
    }

    pub(crate) fn lead() -> Self {
        let body = r#"{"id":"l1","client_id":"c1","name":"Ann","created_at":"2026-05-04T07:58:12.004Z"}"#;
        Self::Answer(201, Vec::new(), body.to_owned())
    }

    /// The same answer with another status.
    pub(crate) fn but(self, status: u16) -> Self {
        match self {
            Self::Answer(_, headers, body) => Self::Answer(status, headers, body),
            other => other,
        }
    }

    pub(crate) fn with(self, name: &'static str, value: &impl ToString) -> Self {
        match self {
            Self::Answer(status, mut headers, body) => {
                headers.push((name, value.to_string()));
                Self::Answer(status, headers, body)
            }
            other => other,
        }
    }
}

/// The script, the requests so far, and the clock.
#[derive(Debug, Default)]
pub(crate) struct Script {
    acts: Mutex<VecDeque<Act>>,
    pub(crate) asked: Mutex<Vec<(Duration, Request<Bytes>)>>,
    pub(crate) waits: Mutex<Vec<Wait>>,
    time: Mutex<Duration>,
}

#[derive(Clone)]
struct Shared(Arc<Script>);

#[async_trait::async_trait]
impl Transport for Shared {
    async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, TransportError> {
        self.0.asked.lock().unwrap().push((self.now(), request));
        let act = self.0.acts.lock().unwrap().pop_front().expect("no more was to be asked");
        match act {
            Act::NotSent => Err(TransportError::not_sent("scripted").while_connecting()),
            Act::Lost => Err(TransportError::maybe_sent("scripted")),
            Act::Never => std::future::pending().await,
            Act::Answer(status, headers, body) => {
                let mut response = Response::builder().status(status);
                for (name, value) in headers {
                    response = response.header(name, value);
                }
                Ok(response.body(body.into()).unwrap())
            }
        }
    }
}

#[async_trait::async_trait]
impl Timer for Shared {
    fn now(&self) -> Duration {
        *self.0.time.lock().unwrap()
    }

    async fn sleep(&self, duration: Duration) {
        *self.0.time.lock().unwrap() += duration;
    }
}

impl Script {
    /// Creates a client whose requests meet these acts, one after the other.
    pub(crate) fn client(acts: impl IntoIterator<Item = Act>) -> (Client, Arc<Self>) {
        Self::with(acts, |builder| builder)
    }

    pub(crate) fn with(
        acts: impl IntoIterator<Item = Act>,
        options: impl FnOnce(ClientBuilder) -> ClientBuilder,
    ) -> (Client, Arc<Self>) {
        let script = Arc::new(Self { acts: Mutex::new(acts.into_iter().collect()), ..Self::default() });
        let (shared, hook) = (Shared(script.clone()), script.clone());
        let builder = Client::builder("http://scripted/v1", "pak_0123").timer(shared.clone()).pacing(Pacing::off());
        let builder = options(builder).on_wait(move |wait| hook.waits.lock().unwrap().push(*wait));
        (builder.transport(shared).unwrap(), script)
    }

    pub(crate) fn sent(&self) -> usize {
        self.asked.lock().unwrap().len()
    }

    pub(crate) fn now(&self) -> Duration {
        *self.time.lock().unwrap()
    }

    /// Advances the clock.
    pub(crate) fn pass(&self, time: Duration) {
        *self.time.lock().unwrap() += time;
    }

    /// Returns the idempotency keys of all requests.
    pub(crate) fn keys(&self) -> Vec<Option<String>> {
        let asked = self.asked.lock().unwrap();
        let key =
            |request: &Request<Bytes>| Some(request.headers().get("idempotency-key")?.to_str().unwrap().to_owned());
        asked.iter().map(|(_, request)| key(request)).collect()
    }

    /// Asserts that all acts were used.
    pub(crate) fn assert_ended(&self) {
        assert!(self.acts.lock().unwrap().is_empty());
    }
}
