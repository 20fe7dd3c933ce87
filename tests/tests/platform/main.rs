//! Walks through the example `platform` as its user: signs in, makes a token in the settings, creates a lead with it,
//! and opens the reference and MCP.
//!
//! `tests/outside/run` sets `LEADAPI_TEST_BROWSER` to a Python that drives Chromium. Otherwise, the test submits the forms
//! itself.
#![allow(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod visitor;

use std::{
    env,
    process::{Command, Stdio},
};

use leadapi_client::{
    Client,
    id::LeadId,
    model::{NewLead, Window},
};
use leadapi_tests::{ServerProcess, postgres::Cluster};
use serde_json::{Value, json};

use self::visitor::Visitor;

const PASSWORD: &str = "correct horse battery staple";

#[tokio::test]
async fn a_platform_on_sqlite_serves_its_signed_in_users() {
    let folder = tempfile::tempdir().unwrap();
    let database = format!("sqlite:{}", folder.path().join("platform.db").display());
    let platform = start(&database);
    let token = make_token(&platform).await;
    let lead = use_everything(&platform, &token).await;
    drop(platform);
    // The platform sets up only an empty database.
    let platform = start(&database);
    assert_eq!(client(&platform, &token).leads().get(&lead).await.unwrap().name, "Ann");
}

#[tokio::test]
async fn a_platform_on_postgres_serves_its_signed_in_users() {
    let Some(cluster) = Cluster::shared() else { return };
    let platform = start(&cluster.url(&cluster.create_database("platform").await));
    let by_browser = env::var("LEADAPI_TEST_BROWSER").ok().and_then(|python| make_token_in_browser(&python, &platform));
    let token = match by_browser {
        Some(token) => token,
        None => make_token(&platform).await,
    };
    use_everything(&platform, &token).await;
}

fn start(database: &str) -> ServerProcess {
    let mut command = Command::new(env!("CARGO_BIN_EXE_platform"));
    command.arg(database).env("PLATFORM_ADDRESS", "127.0.0.1:0").env("PLATFORM_PASSWORD", PASSWORD);
    ServerProcess::spawn(&mut command)
}

/// Signs in and makes a token in the settings, and checks that a stranger cannot.
async fn make_token(platform: &ServerProcess) -> String {
    let mut stranger = Visitor::new(&platform.url);
    let (status, page) = stranger.get("/").await;
    assert!(status == 403 && page.contains(r#"<a href="/login">Sign in</a>"#), "{status}: {page}");
    assert_eq!(stranger.post("/login", &[("password", "guess")]).await.0, 303);
    assert_eq!(stranger.get("/").await.0, 403);

    let mut owner = Visitor::new(&platform.url);
    assert_eq!(owner.post("/login", &[("password", PASSWORD)]).await.0, 303);
    let (_, home) = owner.get("/").await;
    let tokens = between(&home, "href=\"/b/", "\"");
    let tokens = format!("/b/{tokens}");
    let (status, form) = owner.get(&format!("{tokens}/new")).await;
    assert_eq!(status, 200, "{form}");
    let form = form.split_once(&format!("action=\"{tokens}\"")).unwrap().1;
    let form_token = between(form, "name=\"form_token\" value=\"", "\"");
    let fields = [("name", "a script"), ("scope", "read"), ("scope", "write"), ("expires", "90")];
    let (status, page) = owner.post(&tokens, &[&fields[..], &[("form_token", form_token)]].concat()).await;
    assert_eq!(status, 200, "{page}");
    format!("pak_{}", between(&page, "value=\"pak_", "\""))
}

/// Does the same as [`make_token`] in Chromium, and sends a request from the reference. Returns `None` if Chromium is
/// not installed.
fn make_token_in_browser(python: &str, platform: &ServerProcess) -> Option<String> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/outside/platform_walk.py");
    let mut command = Command::new(python);
    let output = command.arg(script).args([&*platform.url, PASSWORD]).stderr(Stdio::inherit()).output().unwrap();
    assert!(output.status.success(), "{}", output.status);
    let printed = String::from_utf8(output.stdout).unwrap().trim().to_owned();
    printed.starts_with("pak_").then_some(printed)
}

/// Creates a lead with the token, finds it through MCP, and opens the reference. Returns the id of the lead.
async fn use_everything(platform: &ServerProcess, token: &str) -> LeadId {
    let client = client(platform, token);
    let clients = client.client_accounts().list(Window::default()).await.unwrap();
    let lead = client.leads().create(&NewLead::new(&clients.data[0].id, "Ann")).await.unwrap();

    let http = reqwest::Client::new();
    let reference = http.get(format!("{}/docs", platform.url)).send().await.unwrap();
    assert!(reference.text().await.unwrap().contains("<title>leadapi reference</title>"));

    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "get_lead", "arguments": {"id": lead.id}}});
    let call = http.post(format!("{}/mcp", platform.url)).body(call.to_string());
    let call = call.header("content-type", "application/json").header("accept", "application/json, text/event-stream");
    let answer = call.bearer_auth(token).send().await.unwrap().text().await.unwrap();
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(answer["result"]["structuredContent"]["lead"]["name"], "Ann", "{answer}");
    lead.id
}

fn client(platform: &ServerProcess, token: &str) -> Client {
    Client::builder(format!("{}/v1", platform.url), token).build().unwrap()
}

fn between<'a>(text: &'a str, start: &str, end: &str) -> &'a str {
    let rest = text.split_once(start).unwrap_or_else(|| panic!("no {start} in {text}")).1;
    rest.split_once(end).unwrap().0
}
