//! Bare hyper, the baseline of `tests/load/run`. Reads each request, and responds with one of two fixed bodies: one for
//! list requests, and one for all other requests.
//!
//! The arguments are two files that contain the bodies: one for a lead, and one for a list.
#![allow(clippy::expect_used, clippy::print_stdout, clippy::unwrap_used, reason = "a failed unwrap ends the tool")]

use std::{convert::Infallible, env, fs};

use bytes::Bytes;
use http::{HeaderValue, Method, Request, Response, header};
use http_body_util::{BodyExt, Full};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let mut bodies = env::args().skip(1).map(|file| Bytes::from(fs::read(file).unwrap()));
    let one = bodies.next().expect("the file with one lead");
    let list = bodies.next().expect("the file with a list");
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    println!("bare hyper listens at http://{}/v1", listener.local_addr().unwrap());
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        stream.set_nodelay(true).unwrap();
        let (one, list) = (one.clone(), list.clone());
        let service = service_fn(move |request| answer(request, one.clone(), list.clone()));
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
    }
}

async fn answer(request: Request<Incoming>, one: Bytes, list: Bytes) -> Result<Response<Full<Bytes>>, Infallible> {
    let is_list = *request.method() == Method::GET && request.uri().path() == "/v1/leads";
    request.into_body().collect().await.unwrap();
    let mut response = Response::new(Full::new(if is_list { list } else { one }));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Ok(response)
}
