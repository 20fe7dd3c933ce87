//! The API mounted in an axum application: nested under a path, behind tower layers, and as the host's 404 fallback.
//!
//! Run it with `cargo run -p leadapi-examples --example axum_mount`.

#![allow(clippy::print_stdout, reason = "the example prints to the terminal")]

use std::sync::Arc;

use axum::{Router, routing::get};
use leadapi_client::{
    Client,
    transport::{Reqwest, Transport},
};
use leadapi_core::{
    BoxError,
    auth::{BearerToken, Member, Role, Scopes},
    clock::SystemClock,
    dataset::Dataset,
    http::LeadService,
    id::{BusinessId, ClientId, LeadId},
    model::{LeadQuery, NewLead},
    rate_limit::{Limits, SlidingWindow},
    tokens::{NewToken, StoredTokens, Tokens},
};
use leadapi_memory::{MemorySettings, MemoryStore};
use tokio::net::TcpListener;
use tower_http::request_id::{MakeRequestUuid, PropagateRequestIdLayer, SetRequestIdLayer};

const DATA: &str = r#"{"businesses": [{
    "id": "sol", "name": "Sol Marketing", "created_at": "2026-01-12T09:00:00.000Z",
    "clients": [{"id": "casa-verde", "name": "Casa Verde", "created_at": "2026-01-12T09:30:00.000Z"}]
}]}"#;

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let (app, token) = app().await?;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let host = format!("http://{}", listener.local_addr()?);
    let server = tokio::spawn(async move { axum::serve(listener, app).await });
    visit(&host, token).await?;
    // A real host would keep serving.
    server.abort();
    Ok(())
}

async fn app() -> Result<(Router, BearerToken), BoxError> {
    // Two services share one store, one verifier and one rate limiter, each behind an `Arc`.
    let store = Arc::new(MemoryStore::new(Dataset::parse(DATA)?));
    let tokens = MemorySettings::default();
    let verifier = Arc::new(StoredTokens::new(tokens.clone(), SystemClock));
    let limiter = Arc::new(SlidingWindow::new(Limits::default()));
    let service = || LeadService::builder(store.clone(), verifier.clone()).limiter(limiter.clone());

    // axum strips the prefix before it calls a nested service, but `Location` must still contain it.
    let nested = service().public_path("/crm").build()?;
    // A fallback sees the full path. The nested service already matches every path of the API, so the fallback only
    // ever answers 404.
    let fallback = service().base_path("/crm").build()?;

    let request_id = http::HeaderName::from_static("x-request-id");
    let app = Router::new()
        .route("/hello", get(|| async { "hello from the host" }))
        .nest_service("/crm", nested)
        .fallback_service(fallback)
        .layer(PropagateRequestIdLayer::new(request_id.clone()))
        .layer(SetRequestIdLayer::new(request_id, MakeRequestUuid));

    let admin = Member::new(BusinessId::parse("sol")?, "owner@sol.example", Role::Owner).token_admin()?;
    let new = NewToken::new("example", Scopes::Both);
    let (_, token) = Tokens::new(tokens, SystemClock).create(&admin, new).await?;
    Ok((app, token))
}

async fn visit(host: &str, token: BearerToken) -> Result<(), BoxError> {
    let client = Client::builder(format!("{host}/crm"), token).build()?;
    let lead = client.leads().create(&NewLead::new(&ClientId::parse("casa-verde")?, "Élodie Martin")).await?;
    println!("created {}", lead.name);
    println!("{} lead in total", client.leads().list(&LeadQuery::new()).await?.total);
    if let Err(error) = client.leads().get(&LeadId::parse("nobody")?).await {
        println!("{}, with a request id: {}", error.message(), error.request_id().is_some());
    }

    let http = Reqwest::new()?;
    for path in ["/hello", "/crm/leads", "/crm/forms", "/elsewhere"] {
        let response = http.send(http::Request::get(format!("{host}{path}")).body(bytes::Bytes::new())?).await?;
        println!("GET {path}: {} {}", response.status(), str::from_utf8(response.body())?);
    }
    Ok(())
}
