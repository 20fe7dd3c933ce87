//! Tests of servers with a wrong system clock that share a database with a server whose clock is correct.

use std::{
    io::Read,
    process::{Command, Stdio},
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

use leadapi_core::{
    admin::AdminExt,
    auth::{BearerToken, LoginToken, Role, Scopes, SessionToken},
    id::BusinessId,
    model::Timestamp,
    port::{TokenRecord, TokenStore},
    tokens::Sessions,
};
use leadapi_sql::SqlStore;
use leadapi_tests::{ServerProcess, eventually, fake_clock::with_wrong_clock, one_business, postgres::Cluster, secret};
use reqwest::{Client, Response, StatusCode};
use serde_json::{Value, json};

const KEYS: usize = 12;
/// The offsets of a server's clock, each with whether the server must notice that its clock may be wrong.
const OFFSETS: [(&str, bool); 7] =
    [("-10d", true), ("-25h", true), ("-90s", true), ("-1s", false), ("+1s", false), ("+25h", true), ("+10d", true)];
const OWNER: &str = "ann@example.org";

/// A server process with its log.
struct Server {
    process: ServerProcess,
    log: Arc<Mutex<String>>,
}

impl Server {
    /// Starts a server whose clock has an offset. Returns `None` if libfaketime is not installed.
    fn start(store: &str, offset: Option<&str>, token: &str) -> Option<Self> {
        let data = one_business(&[token]);
        let mut command = Command::new(env!("CARGO_BIN_EXE_server"));
        command.args(["serve", "--listen", "127.0.0.1:0", "--store", store, "--data"]).arg(data.path());
        command.args(["--writes-per-minute", "100000"]).stderr(Stdio::piped());
        if let Some(offset) = offset {
            with_wrong_clock(&mut command, offset)?;
        }
        let mut process = ServerProcess::spawn(&mut command);
        let (log, mut stderr) = (Arc::<Mutex<String>>::default(), process.child.stderr.take().unwrap());
        let lines = log.clone();
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(length @ 1..) = stderr.read(&mut buffer) {
                lines.lock().unwrap().push_str(&String::from_utf8_lossy(&buffer[..length]));
            }
        });
        Some(Self { process, log })
    }

    async fn logs(&self, text: &str) {
        let log = || self.log.lock().unwrap().clone();
        eventually("the log", async || log().contains(text).then_some(()).ok_or_else(log)).await;
    }

    async fn create(&self, token: &str, key: &str) -> Response {
        let body = json!({"client_id": "c1", "name": key}).to_string();
        let request = Client::new().post(format!("{}/leads", self.process.url)).bearer_auth(token);
        let request = request.header("idempotency-key", key).header("content-type", "application/json");
        request.body(body).send().await.unwrap()
    }

    async fn list(&self, token: &str) -> StatusCode {
        Client::new().get(format!("{}/leads", self.process.url)).bearer_auth(token).send().await.unwrap().status()
    }
}

fn is_replay(response: &Response) -> bool {
    assert_eq!(response.status(), StatusCode::CREATED);
    response.headers().contains_key("idempotency-replayed")
}

/// Stores a token that expires in an hour, and one that expired an hour ago.
async fn expiring_tokens(store: &SqlStore, business: &BusinessId) -> [String; 2] {
    let (now, hour) = (Timestamp::now(), Duration::from_secs(60 * 60));
    let mut secrets = Vec::new();
    for (name, expires_at) in [("good", now.checked_add(hour)), ("expired", now.checked_sub(hour))] {
        let secret = BearerToken::generate().unwrap();
        let mut record = TokenRecord::new(&secret, name, Scopes::Both, now);
        record.expires_at = expires_at;
        store.insert(business, record).await.unwrap();
        secrets.push(secret.expose().to_owned());
    }
    secrets.try_into().unwrap()
}

/// Creates a sign-in link, and a session through a second link.
async fn sign_in(store: &SqlStore, business: &BusinessId) -> (LoginToken, SessionToken) {
    let sessions = Sessions::new(store.clone(), store.clock());
    let links = [(); 2].map(|()| sessions.create_link(business, OWNER));
    let [link, used] = links;
    let (session, _) = sessions.sign_in(&used.await.unwrap(), None).await.unwrap();
    (link.await.unwrap(), session)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_with_a_wrong_clock_neither_doubles_a_lead_nor_ends_a_session_nor_misjudges_a_token() {
    let Some(cluster) = Cluster::shared() else { return };
    let (url, business) = (cluster.url(&cluster.create_database("clocks").await), BusinessId::parse("b1").unwrap());
    let token = secret("clocks");
    let right = Server::start(&url, None, &token).unwrap();
    let mut keys: Vec<String> = (0..KEYS).map(|nth| format!("key-{nth}")).collect();
    for key in &keys {
        assert!(!is_replay(&right.create(&token, key).await), "{key}");
    }
    let store = SqlStore::open(&url.parse().unwrap()).await.unwrap();
    store.admin(&business).members().add(OWNER, Role::Owner, Timestamp::now()).await.unwrap();
    let [good, expired] = expiring_tokens(&store, &business).await;
    let (link, session) = sign_in(&store, &business).await;
    for (offset, is_noticed) in OFFSETS {
        let Some(wrong) = Server::start(&url, Some(offset), &token) else { return };
        if is_noticed {
            wrong.logs("expired records are not deleted").await;
        }
        let key = format!("wrong{offset}");
        let created = wrong.create(&good, &key).await;
        assert!(!is_replay(&created), "{offset}");
        let lead: Value = serde_json::from_str(&created.text().await.unwrap()).unwrap();
        let created_at: Timestamp = lead["created_at"].as_str().unwrap().parse().unwrap();
        let now = Timestamp::now();
        let ahead = created_at.saturating_duration_since(now);
        let difference = now.saturating_duration_since(created_at).max(ahead);
        assert!(difference < Duration::from_secs(60), "{offset}: created at {created_at}, now {now}");
        keys.push(key);
        for key in &keys {
            for server in [&right, &wrong] {
                assert!(is_replay(&server.create(&token, key).await), "{key}, {offset}");
            }
        }
        assert_eq!([wrong.list(&good).await, wrong.list(&expired).await], [StatusCode::OK, StatusCode::UNAUTHORIZED]);
    }
    let sessions = Sessions::new(store.clone(), store.clock());
    assert!(sessions.find(&session).await.unwrap().is_some());
    sessions.sign_in(&link, None).await.unwrap();
}
