//! A transport over simulated sockets.

use std::{
    error::Error,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

use async_trait::async_trait;
use bytes::Bytes;
use http::{HeaderValue, Request, Response, Uri};
use http_body_util::{BodyExt, Full};
use hyper::client::conn::{TrySendError, http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo};
use leadapi_client::transport::{Transport, TransportError};
use turmoil::net::TcpStream;

use super::{Protocol, server::PORT};

/// Sends requests to the host `server`, and counts them.
pub(super) struct Simulated {
    protocol: Protocol,
    http1: Mutex<Vec<http1::SendRequest<Full<Bytes>>>>,
    http2: tokio::sync::Mutex<Option<http2::SendRequest<Full<Bytes>>>>,
    sent: Arc<AtomicU64>,
}

impl Simulated {
    pub(super) fn new(protocol: Protocol, sent: Arc<AtomicU64>) -> Self {
        Self { protocol, http1: Mutex::default(), http2: tokio::sync::Mutex::default(), sent }
    }

    async fn connect() -> Result<TokioIo<TcpStream>, TransportError> {
        let connected = TcpStream::connect(("server", PORT)).await;
        connected.map(TokioIo::new).map_err(|error| TransportError::not_sent(error).while_connecting())
    }

    async fn over_http1(&self, mut request: Request<Full<Bytes>>) -> Result<Response<Bytes>, TransportError> {
        let authority = request.uri().authority().expect("an absolute URI").as_str();
        let host = HeaderValue::from_str(authority).expect("a valid header");
        request.headers_mut().insert("host", host);
        *request.uri_mut() = Uri::from(request.uri().path_and_query().expect("a path").clone());
        let idle = self.http1.lock().unwrap().pop();
        let mut sender = if let Some(sender) = idle.filter(|sender| !sender.is_closed()) {
            sender
        } else {
            let (sender, connection) = http1::handshake(Self::connect().await?).await.map_err(before)?;
            tokio::spawn(connection);
            sender
        };
        sender.ready().await.map_err(before)?;
        self.sent.fetch_add(1, Ordering::Relaxed);
        let response = whole(sender.try_send_request(request).await).await?;
        self.http1.lock().unwrap().push(sender);
        Ok(response)
    }

    async fn over_http2(&self, request: Request<Full<Bytes>>) -> Result<Response<Bytes>, TransportError> {
        let mut sender = {
            let mut shared = self.http2.lock().await;
            if shared.as_ref().is_none_or(http2::SendRequest::is_closed) {
                let io = Self::connect().await?;
                let (sender, connection) = http2::handshake(TokioExecutor::new(), io).await.map_err(before)?;
                tokio::spawn(connection);
                *shared = Some(sender);
            }
            shared.clone().expect("a connection")
        };
        sender.ready().await.map_err(before)?;
        self.sent.fetch_add(1, Ordering::Relaxed);
        let response = whole(sender.try_send_request(request).await).await;
        if response.is_err() {
            // A connection that lost a response may be dead. Reusing it would delay the next request until its timeout.
            *self.http2.lock().await = None;
        }
        response
    }
}

fn before(error: impl Error + Send + Sync + 'static) -> TransportError {
    TransportError::not_sent(error).while_connecting()
}

async fn whole(
    sent: Result<Response<hyper::body::Incoming>, TrySendError<Request<Full<Bytes>>>>,
) -> Result<Response<Bytes>, TransportError> {
    let response = sent.map_err(|mut error| match error.take_message() {
        // hyper returns the request if it sent none of it.
        Some(_) => TransportError::not_sent(error.into_error()),
        None => TransportError::maybe_sent(error.into_error()),
    })?;
    let (head, body) = response.into_parts();
    let body = body.collect().await.map_err(TransportError::maybe_sent)?.to_bytes();
    Ok(Response::from_parts(head, body))
}

#[async_trait]
impl Transport for Simulated {
    async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, TransportError> {
        let request = request.map(Full::new);
        match self.protocol {
            Protocol::Http1 => self.over_http1(request).await,
            Protocol::Http2 => self.over_http2(request).await,
        }
    }
}
