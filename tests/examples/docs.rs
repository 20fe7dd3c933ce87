//! Serves the API reference and the sample on one port of this machine, as an operator sees them: prints the page's URL
//! and a token, and ends with its standard input.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a tool of the tests stops where something is wrong")]

use std::io::{Read, stdin};

use axum::{
    Router,
    extract::Request,
    response::{IntoResponse, Response},
    routing::get,
};
use bytes::Bytes;
use leadapi_core::{
    dataset::Dataset,
    http::LeadService,
    memory::{MemoryStore, MemoryTokens, SystemClock},
    port::Clock,
    tokens::{self, StoredTokens},
};
use leadapi_server::{SAMPLE, docs};
use tokio::{net::TcpListener, task::spawn_blocking};

#[tokio::main]
async fn main() {
    let (dataset, tokens) = (Dataset::parse(SAMPLE).unwrap(), MemoryTokens::default());
    let minted = tokens::seed(&tokens, &dataset, SystemClock.now().into()).await.unwrap();
    let verifier = StoredTokens::new(tokens, SystemClock);
    let service = LeadService::builder(MemoryStore::new(dataset), verifier).base_path("/v1").build().unwrap();
    let openapi = Bytes::from(leadapi_core::openapi::document("/v1").unwrap());
    let page = get(async move |request: Request| -> Response {
        docs::answer(request.uri().path(), &openapi).map(IntoResponse::into_response).unwrap_or_default()
    });
    let router = Router::new().route("/docs", page.clone()).route("/docs/{part}", page);
    let router = router.fallback_service(leadapi_server::stack(service));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    println!("http://{}/docs {}", listener.local_addr().unwrap(), minted.first().unwrap().secret.expose());
    let ended = spawn_blocking(|| stdin().read_to_end(&mut Vec::new()));
    tokio::select! {
        served = axum::serve(listener, router).into_future() => served.unwrap(),
        _ = ended => {}
    }
}
