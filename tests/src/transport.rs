//! The transports that carry requests to a service: an in-process call, HTTP over TCP, and an axum router.

use async_trait::async_trait;
use axum::{Router, body::Body};
use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use hyper_util::{
    rt::{TokioExecutor, TokioIo},
    server::conn::auto,
    service::TowerToHyperService,
};
use leadapi_core::http::LeadService;
use tokio::{
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};
use tower::ServiceExt;

/// A transport that carries requests to a service.
#[async_trait]
pub trait Transport: Send + Sync {
    /// Sends a request and reads the whole response.
    async fn send(&self, request: Request<Bytes>) -> Response<Bytes>;
}

#[async_trait]
impl Transport for LeadService {
    async fn send(&self, request: Request<Bytes>) -> Response<Bytes> {
        let Ok(response) = self.clone().oneshot(request.map(Full::new)).await;
        let (head, body) = response.into_parts();
        Response::from_parts(head, body.collect().await.unwrap().to_bytes())
    }
}

#[async_trait]
impl Transport for Router {
    async fn send(&self, request: Request<Bytes>) -> Response<Bytes> {
        let Ok(response) = self.clone().oneshot(request.map(Body::from)).await;
        let (head, body) = response.into_parts();
        Response::from_parts(head, body.collect().await.unwrap().to_bytes())
    }
}

/// A service behind hyper on a loopback port. Each request opens a new connection.
#[derive(Debug)]
pub struct Tcp {
    address: std::net::SocketAddr,
    server: JoinHandle<()>,
}

impl Tcp {
    /// Serves the service on a free port until the returned value is dropped.
    pub async fn serve(service: LeadService) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let server = tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let service = TowerToHyperService::new(service.clone());
                tokio::spawn(async move {
                    let server = auto::Builder::new(TokioExecutor::new());
                    // An error here usually means that the client closed the connection.
                    let _gone = server.serve_connection(TokioIo::new(stream), service).await;
                });
            }
        });
        Self { address, server }
    }

    /// Opens a raw connection, to send bytes that no client library would send.
    pub async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }
}

impl Drop for Tcp {
    fn drop(&mut self) {
        self.server.abort();
    }
}

#[async_trait]
impl Transport for Tcp {
    async fn send(&self, mut request: Request<Bytes>) -> Response<Bytes> {
        let stream = self.connect().await;
        let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.unwrap();
        let connection = tokio::spawn(connection);
        request.headers_mut().insert("host", http::HeaderValue::from_static("leads.example"));
        let response = sender.send_request(request.map(Full::new)).await.unwrap();
        let (head, body) = response.into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        connection.abort();
        Response::from_parts(head, body)
    }
}
