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
    timer::{ManualTimer, Timer},
    transport::{Transport, TransportError},
};

/// The scripted result of a request.
#[derive(Debug, Clone)]
pub(crate) enum Act {
    NotSent,
    Lost,
    Never,
    Response(u16, Vec<(&'static str, String)>, String),
}

impl Act {
    pub(crate) fn status(status: u16) -> Self {
        Self::Response(status, Vec::new(), r#"{"error":"scripted"}"#.to_owned())
    }

    /// Returns the service's response for a lead that does not exist.
    pub(crate) fn no_such_lead() -> Self {
        Self::Response(404, Vec::new(), r#"{"error":"id: no such lead"}"#.to_owned())
    }

    pub(crate) fn lead() -> Self {
        let body = r#"{"id":"l1","client_id":"c1","name":"Ann","created_at":"2026-05-04T07:58:12.004Z"}"#;
        Self::Response(201, Vec::new(), body.to_owned())
    }

    /// Returns the same response with a different status.
    pub(crate) fn with_status(self, status: u16) -> Self {
        match self {
            Self::Response(_, headers, body) => Self::Response(status, headers, body),
            other => other,
        }
    }

    pub(crate) fn with(self, name: &'static str, value: &impl ToString) -> Self {
        match self {
            Self::Response(status, mut headers, body) => {
                headers.push((name, value.to_string()));
                Self::Response(status, headers, body)
            }
            other => other,
        }
    }
}

/// A script: the remaining results, the requests and waits so far, and the clock.
#[derive(Debug)]
pub(crate) struct Script {
    acts: Mutex<VecDeque<Act>>,
    pub(crate) requests: Mutex<Vec<(Duration, Request<Bytes>)>>,
    pub(crate) waits: Mutex<Vec<Wait>>,
    timer: ManualTimer,
}

struct ScriptHandle(Arc<Script>);

#[async_trait::async_trait]
impl Transport for ScriptHandle {
    async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, TransportError> {
        self.0.requests.lock().unwrap().push((self.0.now(), request));
        let act = self.0.acts.lock().unwrap().pop_front().expect("the script has ended");
        match act {
            Act::NotSent => Err(TransportError::not_sent("scripted").while_connecting()),
            Act::Lost => Err(TransportError::maybe_sent("scripted")),
            Act::Never => std::future::pending().await,
            Act::Response(status, headers, body) => {
                let mut response = Response::builder().status(status);
                for (name, value) in headers {
                    response = response.header(name, value);
                }
                Ok(response.body(body.into()).unwrap())
            }
        }
    }
}

impl Script {
    /// Creates a client whose requests get the scripted results, in order.
    pub(crate) fn client(acts: impl IntoIterator<Item = Act>) -> (Client, Arc<Self>) {
        Self::with(acts, |builder| builder)
    }

    pub(crate) fn with(
        acts: impl IntoIterator<Item = Act>,
        options: impl FnOnce(ClientBuilder) -> ClientBuilder,
    ) -> (Client, Arc<Self>) {
        let script = Arc::new(Self {
            acts: Mutex::new(acts.into_iter().collect()),
            requests: Mutex::default(),
            waits: Mutex::default(),
            timer: ManualTimer::auto_advance(),
        });
        let (handle, hook) = (ScriptHandle(script.clone()), script.clone());
        let builder =
            Client::builder("http://scripted/v1", "pak_0123").timer(script.timer.clone()).pacing(Pacing::off());
        let builder = options(builder).on_wait(move |wait| hook.waits.lock().unwrap().push(*wait));
        (builder.transport(handle).build().unwrap(), script)
    }

    pub(crate) fn sent(&self) -> usize {
        self.requests.lock().unwrap().len()
    }

    pub(crate) fn now(&self) -> Duration {
        self.timer.now()
    }

    pub(crate) fn advance(&self, time: Duration) {
        self.timer.advance(time);
    }

    /// Returns the idempotency keys of all requests.
    pub(crate) fn keys(&self) -> Vec<Option<String>> {
        let requests = self.requests.lock().unwrap();
        let key =
            |request: &Request<Bytes>| Some(request.headers().get("idempotency-key")?.to_str().unwrap().to_owned());
        requests.iter().map(|(_, request)| key(request)).collect()
    }

    /// Asserts that every result in the script was used.
    pub(crate) fn assert_ended(&self) {
        assert!(self.acts.lock().unwrap().is_empty());
    }
}
