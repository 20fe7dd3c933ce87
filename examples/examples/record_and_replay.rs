//! Records the requests to a real server, replays them without the server, and shows how a changed request fails the
//! test.
//!
//! Run it with `cargo run -p leadapi-examples --example record_and_replay`.

#![allow(clippy::print_stdout, reason = "the example prints to the terminal")]

use std::{env, process};

use leadapi_client::{
    Client,
    model::{Lead, LeadQuery, NewLead, Window},
    transport::Reqwest,
};
use leadapi_core::{
    BoxError,
    clock::SystemClock,
    dataset::{Dataset, SAMPLE},
    http::LeadService,
    port::Clock,
    tokens::{self, StoredTokens},
};
use leadapi_memory::{MemoryStore, MemoryTokens};
use leadapi_server::Server;
use leadapi_testkit::cassette::{Cassette, Recorder};
use tokio::sync::oneshot;

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let path = env::temp_dir().join(format!("leadapi-{}.har", process::id()));
    record().await?.save(&path)?;
    println!("Recorded to {}; the server has stopped.\n", path.display());

    let cassette = Cassette::load(&path)?;
    let replay = cassette.replay().await;
    let lead = import(&replay.client()?, "fair").await?;
    replay.verify()?;
    println!("Replayed from {}: {} is {}, {:?}\n", replay.url(), lead.name, lead.id, lead.email);

    // Replay again, without a socket, after the program has changed and sends a different source.
    let transport = cassette.transport();
    let changed = import(&transport.client()?, "website").await;
    println!(
        "The changed program receives the error:\n  {}\n",
        changed.err().ok_or("the replay did not detect the change")?
    );
    println!("Its test fails with:\n{}", transport.verify().err().ok_or("the replay did not report the change")?);
    std::fs::remove_file(path)?;
    Ok(())
}

/// The program under test.
async fn import(client: &Client, source: &str) -> Result<Lead, BoxError> {
    let accounts = client.client_accounts().list(Window::default()).await?;
    let account = accounts.data.first().ok_or("the business has no client account")?;
    let new = NewLead::new(&account.id, "Élodie Martin").email("elodie@example.fr").source(source);
    let lead = client.leads().create(&new).await?;
    let page = client.leads().list(&LeadQuery::new().client(account.id.clone()).window(Window::new(1, 0)?)).await?;
    println!("{} is the newest of {} leads", page.data.first().map_or("nobody", |lead| &lead.name), page.total);
    Ok(lead)
}

/// Records the traffic between the program and a local server. The recorder redacts the personal data of leads, such as
/// names and email addresses.
async fn record() -> Result<Cassette, BoxError> {
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

    let recorder = Recorder::new(Reqwest::new()?);
    let client = Client::builder(url, token).transport(recorder.clone()).build()?;
    import(&client, "fair").await?;

    drop(stop);
    server.await?;
    Ok(recorder.cassette()?)
}
