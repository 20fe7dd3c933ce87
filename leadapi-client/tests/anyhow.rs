//! Checks that `?` works on the result of every fallible public function, inside a function that returns
//! `anyhow::Result`. Each error is a concrete type that is `Send`, `Sync` and `'static`, not a `Box<dyn Error>`. The
//! test passes if it compiles.

#![cfg(feature = "reqwest")]

use std::time::SystemTime;

use leadapi_client::{
    Client,
    auth::BearerToken,
    id::{ClientId, LeadId, PipelineId, StageId},
    model::{IdempotencyKey, LeadPatch, LeadQuery, NewLead, Timestamp, Window},
    pager::{Checkpoint, Position},
    transport::{InProcess, Reqwest, Transport},
};

#[path = "client/support.rs"]
#[allow(
    dead_code,
    clippy::unwrap_used,
    reason = "not every test program uses all helpers, and a failed unwrap fails the test"
)]
mod support;

fn values() -> anyhow::Result<()> {
    let at: Timestamp = "2026-05-04T07:58:12.004Z".parse()?;
    Timestamp::try_from(SystemTime::from(at))?;
    Window::new(200, 0)?.with_limit(100)?.with_offset(300)?;
    let _query =
        LeadQuery::new().window(Window::new(200, 400)?).client(ClientId::parse("c1")?).stage(StageId::parse("s1")?);
    PipelineId::parse("p1")?;
    let _: LeadId = "l1".parse()?;
    IdempotencyKey::parse("row-1")?;
    BearerToken::parse("pak_0123")?;
    BearerToken::generate()?;
    Ok(())
}

fn clients() -> anyhow::Result<Client> {
    Reqwest::from_builder(reqwest::Client::builder().no_proxy())?;
    if std::env::var_os("LEADAPI_URL").is_some() {
        Client::from_env()?.build()?;
    }
    Client::builder("http://127.0.0.1:9", "pak_0123").build()?;
    Client::builder("http://127.0.0.1:9", "pak_0123").transport(Reqwest::new()?).build()?;
    let (service, token) = support::service();
    Ok(Client::builder("http://in-process/v1", token).in_process(service).build()?)
}

async fn calls(client: &Client) -> anyhow::Result<()> {
    let leads = client.leads();
    let new = NewLead::new(&support::casa_verde(), "Ann");
    let lead = leads.create(&new).await?;
    let (lead, _) = leads.get(&lead.id).with_meta().await?;
    leads.update(&lead.id, &LeadPatch::new().name("Bo")).await?;
    leads.list(&LeadQuery::new().window(Window::LARGEST)).await?;
    leads.list_all(LeadQuery::new()).resume(Position::default()).stream().try_next().await?;
    leads.poll_created(LeadQuery::new(), Checkpoint::default()).poll().await?;
    let mut creates = leads.create_many([new]).named("import-7")?;
    while let Some(result) = creates.next().await {
        result?.outcome?;
    }
    leads.delete(&lead.id).await?;
    client.pipelines().list(Window::LARGEST).await?;
    client.client_accounts().list(Window::default()).await?;
    InProcess::new(support::service().0).send(http::Request::default()).await?;
    Ok(())
}

#[test]
fn every_error_converts_to_anyhow() -> anyhow::Result<()> {
    values()?;
    // These functions never run. The test only checks that they compile.
    let client = Client::builder("http://127.0.0.1:9", "pak_0123").build()?;
    drop(calls(&client));
    let _: fn() -> anyhow::Result<Client> = clients;
    Ok(())
}
