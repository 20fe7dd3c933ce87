//! Uses all seven operations through the typed client, against a server on a free port.
//!
//! Run it with `cargo run -p leadapi-examples --example tour`.

#![allow(clippy::print_stdout, reason = "the example prints to the terminal")]

use leadapi_client::Client;
use leadapi_core::{
    BoxError,
    clock::SystemClock,
    dataset::{Dataset, SAMPLE},
    http::LeadService,
    model::{Lead, LeadPatch, LeadQuery, NewLead, Window},
    port::Clock,
    tokens::{self, StoredTokens},
};
use leadapi_memory::{MemoryStore, MemoryTokens};
use leadapi_server::Server;
use tokio::sync::oneshot;

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let (dataset, tokens) = (Dataset::parse(SAMPLE)?, MemoryTokens::default());
    let issued = tokens::import(&tokens, &dataset, SystemClock.now()).await?;
    let token = issued.first().ok_or("the sample has no token")?.secret.clone();
    let verifier = StoredTokens::new(tokens, SystemClock);
    let service = LeadService::builder(MemoryStore::new(dataset), verifier).base_path("/v1").build()?;
    let server = Server::bind("127.0.0.1:0".parse()?).await?;
    let url = format!("http://{}/v1", server.local_addr());
    let (stop, stopped) = oneshot::channel::<()>();
    // Dropping the sender also stops the server, so an early return on error leaves nothing running.
    let server = tokio::spawn(server.serve(service, async { stopped.await.unwrap_or_default() }));

    println!("The server listens at {url}.\n");
    tour(&Client::builder(url, token).build()?).await?;

    drop(stop);
    server.await?;
    println!("\nThe server has stopped.");
    Ok(())
}

async fn tour(client: &Client) -> Result<(), BoxError> {
    println!("1. GET /clients: the client accounts of the business");
    let accounts = client.client_accounts().list(Window::default()).await?;
    for account in &accounts.data {
        println!("     {:<24} since {}", account.name, account.created_at);
    }
    let account = accounts.data.first().ok_or("the business has no client account")?;

    println!("2. GET /pipelines: the pipelines and stages of the business");
    let pipelines = client.pipelines().list(Window::default()).await?;
    for pipeline in &pipelines.data {
        let stages: Vec<&str> = pipeline.stages.iter().map(|stage| stage.name.as_str()).collect();
        println!("     {:<24} {}", pipeline.name, stages.join(" → "));
    }
    let pipeline = pipelines.data.first().ok_or("the business has no pipeline")?;
    let second_stage = pipeline.stages.get(1).ok_or("the pipeline has only one stage")?;

    println!("3. POST /leads: create a lead for {}", account.name);
    let new = NewLead::new(&account.id, "Ada Lovelace").email("ada@example.org").value(450).pipeline(&pipeline.id);
    let lead = client.leads().create(&new).await?;
    show(&lead);

    println!("4. PATCH /leads/{{id}}: move it to {:?} and add a note", second_stage.name);
    let patch = LeadPatch::new().stage(&second_stage.id).notes("Called; wants an offer.").value(512.5);
    show(&client.leads().update(&lead.id, &patch).await?);

    println!("5. GET /leads: the newest leads of {}", account.name);
    let query = LeadQuery::new().client(account.id.clone()).window(Window::new(3, 0)?);
    let page = client.leads().list(&query).await?;
    for item in &page.data {
        println!("     {:<24} {}", item.name, item.email.as_deref().unwrap_or("no email address"));
    }
    println!("     … {} of {} in total", page.data.len(), page.total);

    println!("6. DELETE /leads/{{id}}: delete it again");
    client.leads().delete(&lead.id).await?;
    println!("     deleted");

    println!("7. GET /leads/{{id}}: reading a deleted lead returns a specific kind of error");
    match client.leads().get(&lead.id).await {
        Err(error) if error.is_not_found() => println!("     {error}"),
        outcome => return Err(format!("a request for a deleted lead returned {outcome:?}").into()),
    }
    Ok(())
}

fn show(lead: &Lead) {
    let unset = "(unset)";
    println!("     id       {}", lead.id);
    println!("     name     {}", lead.name);
    println!("     email    {}", lead.email.as_deref().unwrap_or(unset));
    println!("     value    {}", lead.value.map_or(unset.to_owned(), |value| value.to_string()));
    println!("     stage    {}", lead.stage_id.as_ref().map_or(unset, |id| id.as_str()));
    println!("     notes    {}", lead.notes.as_deref().unwrap_or(unset));
}
