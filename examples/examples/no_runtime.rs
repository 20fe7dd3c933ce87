//! Uses the service and the client without an async runtime or a socket: a request is a function call.
//!
//! Run it with `cargo run -p leadapi-examples --example no_runtime`.

#![allow(clippy::print_stdout, reason = "the example prints to the terminal")]

use bytes::Bytes;
use futures_executor::block_on;
use http::{Request, header::AUTHORIZATION};
use http_body_util::{BodyExt, Empty};
use leadapi_client::Client;
use leadapi_core::{
    BoxError,
    auth::{Member, Role, Scopes},
    clock::SystemClock,
    dataset::Dataset,
    http::LeadService,
    id::{BusinessId, ClientId},
    model::{LeadQuery, NewLead},
    tokens::{NewToken, StoredTokens, Tokens},
};
use leadapi_memory::{MemorySettings, MemoryStore};
use tower_service::Service;

const DATA: &str = r#"{"businesses": [{
    "id": "sol", "name": "Sol Marketing", "created_at": "2026-01-12T09:00:00.000Z",
    "clients": [{"id": "casa-verde", "name": "Casa Verde", "created_at": "2026-01-12T09:30:00.000Z"}]
}]}"#;

fn main() -> Result<(), BoxError> {
    block_on(run())
}

async fn run() -> Result<(), BoxError> {
    let tokens = MemorySettings::default();
    let owner = Member::new(BusinessId::parse("sol")?, "owner@sol.example", Role::Owner);
    let new = NewToken::new("example", Scopes::Both);
    let (_, token) = Tokens::new(tokens.clone(), SystemClock).create(&owner.token_admin()?, new).await?;

    let store = MemoryStore::new(Dataset::parse(DATA)?);
    let mut service = LeadService::builder(store, StoredTokens::new(tokens, SystemClock)).build()?;

    // Call the service directly: it maps a request to a response.
    let authorization = format!("Bearer {}", token.expose());
    let request = Request::get("/clients").header(AUTHORIZATION, authorization).body(Empty::<Bytes>::new())?;
    let response = service.call(request).await?;
    println!("GET /clients: {}", response.status());
    println!("{}", str::from_utf8(&response.into_body().collect().await?.to_bytes())?);

    // Use the same service through the typed client.
    let client = Client::builder("http://in-process", &token).in_process(service).build()?;
    let lead =
        client.leads().create(&NewLead::new(&ClientId::parse("casa-verde")?, "Élodie Martin").value(450)).await?;
    println!("created {} at {}", lead.name, lead.created_at);
    println!("{} lead in total", client.leads().list(&LeadQuery::new()).await?.total);
    Ok(())
}
