//! Checks that `?` works on the result of every fallible public function, inside a function that returns
//! `anyhow::Result`. Each error is a concrete type that is `Send`, `Sync` and `'static`, not a `Box<dyn Error>`. The
//! test passes if it compiles.

use std::path::Path;

use leadapi_client::{Client, transport::Reqwest};
use leadapi_testkit::{
    cassette::{Cassette, Recorder},
    conformance::{self, Target},
};

fn recordings(path: &Path) -> anyhow::Result<()> {
    let recorder = Recorder::new(Reqwest::new()?).keep_header(http::header::ACCEPT)?;
    recorder.cassette()?.save(path)?;
    let cassette = Cassette::load_only(path, "http://x/")?;
    let session = Cassette::open(path).wrap(Reqwest::new()?)?;
    session.finish()?;
    let replay = Cassette::load(path)?.transport();
    replay.client()?;
    replay.verify()?;
    Cassette::parse(&cassette.to_har()?)?;
    Ok(())
}

async fn report(client: &Client) -> anyhow::Result<()> {
    let report = conformance::run(client, &Target::parse(r#"{"client_id": "c1"}"#)?).await;
    report.to_junit()?;
    Ok(())
}

#[test]
fn every_error_converts_to_anyhow() -> anyhow::Result<()> {
    // These functions never run. The test only checks that they compile.
    drop(report(&Client::builder("http://127.0.0.1:9", "pak_0123").build()?));
    let _: fn(&Path) -> anyhow::Result<()> = recordings;
    Ok(())
}
