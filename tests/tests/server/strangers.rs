//! Every kind of hostile traffic that needs no token, on each listener and with each store. Honest callers must not
//! notice it.

use std::{
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use leadapi_tests::{
    eventually,
    hostile::{
        Good, Target,
        strangers::{Attacked, Stranger},
    },
    postgres::Cluster,
};
use tokio::task::JoinSet;

use Stranger::{
    ForgedTokens, HalfHandshakes, Idle, NoToken, Silent, SlowHeads, WrongChecksums, WrongLinks, WrongSessions,
};

use crate::descriptors::is_ready;

/// The kinds of traffic that each store withstands on each listener. Half handshakes never reach a store.
const KINDS: [Stranger; 8] =
    [Silent, Idle, SlowHeads, ForgedTokens, WrongChecksums, NoToken, WrongLinks, WrongSessions];
const TIME: Duration = Duration::from_millis(500);
/// The number of hostile connections to each listener, which exceeds the connection limits of the smaller listeners.
const MANY: usize = 300;
/// The number of hostile connections of a flood, each with 100 concurrent requests.
const FLOODS: usize = 24;

fn target(store: &str, tls: bool) -> Target {
    let loopback = "127.0.0.1:0";
    let mut options: Vec<&str> = vec!["--store", store, "--max-address-connections", "256"];
    for listener in ["--ops-listen", "--admin-listen", "--mcp-listen"] {
        options.extend([listener, loopback]);
    }
    let options: Vec<String> = options.into_iter().map(str::to_owned).collect();
    Target::start(Path::new(env!("CARGO_BIN_EXE_server")), &options, tls, None)
}

/// Attacks each listener of the server with each kind of traffic, one after the other. Honest callers use all
/// listeners.
async fn withstands(target: Target) {
    let listeners = Attacked::all(&target);
    for (attacked, kind) in listeners.iter().flat_map(|attacked| KINDS.map(|kind| (attacked, kind))) {
        let is_flood = !matches!(kind, Silent | Idle | SlowHeads);
        let attack = attacked.attack(kind, if is_flood { FLOODS } else { MANY });
        eventually("the attack", async || attack.sent() > 100).await;
        // On a busy machine, a check may exceed its timeout, but not every check.
        eventually("the server is ready", async || is_ready(&target).await).await;
        let end = Instant::now() + TIME;
        let honest: JoinSet<Vec<String>> = listeners.iter().map(|listener| listener.clone().honest(end)).collect();
        for failed in honest.join_all().await {
            assert_eq!(failed, Vec::<String>::new(), "{kind:?} on {}", attacked.name);
        }
    }
    let log = target.log();
    let lines = log.lines().filter(|line| !line.contains("\"token\"")).count();
    assert!(lines < 10_000, "strangers caused {lines} log lines");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn strangers_do_not_disturb_callers_in_memory() {
    withstands(target("memory", false)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn strangers_do_not_disturb_callers_on_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let store = format!("sqlite:{}", folder.path().join("s.db").display());
    withstands(target(&store, false)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn strangers_do_not_disturb_callers_on_postgres() {
    let Some(cluster) = Cluster::shared() else { return };
    let store = cluster.url(&cluster.create_database("strangers").await);
    withstands(target(&store, false)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn half_handshakes_do_not_disturb_callers() {
    let target = Arc::new(target("memory", true));
    let good = Good::start(&target);
    let attack = Attacked::all(&target).remove(0).attack(HalfHandshakes, MANY);
    eventually("the attack", async || attack.sent() > 100).await;
    tokio::time::sleep(TIME).await;
    let good = good.stop();
    assert_eq!(good.failed, Vec::<String>::new());
    assert!(good.answered() > 0);
}
