//! Records a conversation with a real server, replays it when the server is gone, and shows how a request that has changed
//! is caught.
//!
//! `cargo run -p leadapi-examples --example record_and_replay`

#![allow(clippy::print_stdout, reason = "an example prints what it sees")]

use std::{env, process};

use leadapi_client::{
    Client,
    model::{Lead, LeadQuery, NewLead, Window},
    testkit::cassette::{Cassette, Recorder},
    transport::Reqwest,
};
use leadapi_core::{
    BoxError,
    dataset::Dataset,
    http::LeadService,
    memory::{MemoryStore, MemoryTokens, SystemClock},
    port::Clock,
    tokens::{self, StoredTokens},
};
use leadapi_server::{SAMPLE, Server};
use tokio::sync::oneshot;

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let path = env::temp_dir().join(format!("leadapi-{}.har", process::id()));
    record().await?.save(&path)?;
    println!("Recorded, and the server has ended: {}\n", path.display());

    let cassette = Cassette::load(&path)?;
    let replay = cassette.replay().await;
    let lead = import(&replay.client()?, "fair").await?;
    replay.verify()?;
    println!("Replayed from {}: {} is {}, {:?}\n", replay.url(), lead.name, lead.id, lead.email);

    // The same without a socket; and somebody has changed the program since.
    let transport = cassette.transport();
    let caught = import(&transport.client()?, "website").await;
    println!("A changed program is told:\n  {}\n", caught.err().ok_or("the change was not caught")?);
    println!("And its test fails:\n{}", transport.verify().err().ok_or("the replay was not faithful")?);
    std::fs::remove_file(path)?;
    Ok(())
}

/// The program that is tested: what it asks the service for, and what it makes of the answers.
async fn import(client: &Client, source: &str) -> Result<Lead, BoxError> {
    let accounts = client.clients().list(Window::default()).await?;
    let account = accounts.data.first().ok_or("the business has no client account")?;
    let new = NewLead::new(&account.id, "Élodie Martin").email("elodie@example.fr").source(source);
    let lead = client.leads().create(&new).await?;
    let page = client.leads().list(&LeadQuery::new().client(account.id.clone()).window(Window::new(1, 0)?)).await?;
    println!("{} is the newest of {} leads", page.data.first().map_or("nobody", |lead| &lead.name), page.total);
    Ok(lead)
}

/// Records what passes between the program and a server on this machine. Names, addresses and notes of leads are redacted.
async fn record() -> Result<Cassette, BoxError> {
    let (dataset, tokens) = (Dataset::parse(SAMPLE)?, MemoryTokens::default());
    let issued = tokens::import(&tokens, &dataset, SystemClock.now().into()).await?;
    let token = issued.first().ok_or("the sample has no token")?.secret.clone();
    let verifier = StoredTokens::new(tokens, SystemClock);
    let service = LeadService::builder(MemoryStore::new(dataset), verifier).base_path("/v1").build()?;
    let server = Server::bind("127.0.0.1:0".parse()?).await?;
    let url = format!("http://{}/v1", server.local_addr());
    let (stop, stopped) = oneshot::channel::<()>();
    // Dropping the sender ends the server too, so an error below leaves nothing running.
    let server = tokio::spawn(server.serve(service, async { stopped.await.unwrap_or_default() }));

    let recorder = Recorder::new(Reqwest::new()?);
    let client = Client::builder(url, token).transport(recorder.clone())?;
    import(&client, "fair").await?;

    drop(stop);
    server.await?;
    Ok(recorder.cassette()?)
}
