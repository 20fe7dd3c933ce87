//! Every kind of hostile traffic that needs no token, on all listeners at once and with each store. Honest callers must
//! not notice it.

use std::{
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use leadapi_tests::{
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

/// The kinds of traffic that each store withstands on each listener. Half handshakes need TLS, which only the listener
/// of the API has, and never reach a store.
const KINDS: [Stranger; 8] =
    [Silent, Idle, SlowHeads, ForgedTokens, WrongChecksums, NoToken, WrongLinks, WrongSessions];
const TIME: Duration = Duration::from_millis(1_500);
/// The hostile connections to each listener, which exceed the limits of the smaller ones.
const MANY: usize = 300;
/// The hostile connections of a flood, each with 100 concurrent requests.
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

/// Attacks all listeners of the server with each kind of traffic, one after the other.
async fn withstands(target: Target) {
    let listeners = Attacked::all(&target);
    for kind in KINDS {
        let is_flood = !matches!(kind, Silent | Idle | SlowHeads);
        let end = Instant::now() + TIME;
        let (mut hostile, mut honest) = (JoinSet::new(), JoinSet::new());
        for attacked in &listeners {
            let many = if is_flood { FLOODS } else { MANY };
            hostile.spawn(attacked.clone().attack(kind, many, end));
            honest.spawn(attacked.clone().honest(end));
        }
        for (answered, failed) in honest.join_all().await {
            assert_eq!(failed, Vec::<String>::new(), "{kind:?}");
            assert!(answered > 0, "{kind:?}");
        }
        let sent: u64 = hostile.join_all().await.into_iter().sum();
        assert!(kind == SlowHeads || sent > 100, "{kind:?}: {sent}");
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
    let api = Attacked::all(&target).remove(0);
    assert!(api.attack(HalfHandshakes, MANY, Instant::now() + TIME).await > 100);
    let good = good.stop();
    assert_eq!(good.failed, Vec::<String>::new());
    assert!(good.answered() > 0);
}
