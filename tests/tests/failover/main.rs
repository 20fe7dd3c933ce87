//! Failover tests: when the primary of a PostgreSQL cluster fails, the servers lose no acknowledged write and exceed no
//! rate limit.
#![cfg(target_os = "linux")]
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a failed unwrap fails the test"
)]

mod faults;
mod rate_limit;

use std::{
    collections::BTreeMap,
    env,
    process::{Command, Stdio},
    time::Duration,
};

use leadapi_tests::{
    ServerProcess,
    history::{self, Calls},
    patroni::PatroniCluster,
    secret, serve_with_rate_limits,
};
use tokio::task::block_in_place;

use self::{faults::Fault, rate_limit::LimitedCallers};

/// The number of servers in each of two groups: one for the callers that write, and one for the callers that exceed the
/// rate limit.
const SERVERS: usize = 2;
/// The maximum time from the promotion of a new primary to the next acknowledged write. The target is 2 s. On a busy
/// machine, the measured lateness is added.
const MAX_DELAY: Duration = Duration::from_secs(4);

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_acknowledged_write_is_lost_and_no_limit_is_exceeded_when_the_primary_fails() {
    let rounds = env::var("LEADAPI_TEST_FAILOVER_ROUNDS").map_or(1, |rounds| rounds.parse().unwrap());
    let Some(mut cluster) = block_in_place(|| PatroniCluster::start(true)) else { return };
    let (token, limited_token) = (secret("failover"), secret("limited"));
    let start = |limits: &[&str]| -> (Vec<ServerProcess>, Vec<String>) {
        let start = |_| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_server"));
            // Discards the log, because it would contain a line for each failed request.
            let command = command.args(["serve", "--store", &cluster.url()]).args(limits).stderr(Stdio::null());
            let server = serve_with_rate_limits(command, &[&token, &limited_token]);
            let url = server.url.clone();
            (server, url)
        };
        (0..SERVERS).map(start).unzip()
    };
    let many = u32::MAX.to_string();
    let (servers, urls) = start(&["--reads-per-minute", &many, "--writes-per-minute", &many]);
    let (_limited_servers, limited_urls) = start(&[]);
    let calls = Calls::new(urls, token.clone());
    let callers = calls.start();
    let limited_callers = LimitedCallers::start(&limited_urls, &limited_token);
    let mut all = Vec::new();
    for _ in 0..rounds {
        for fault in Fault::ALL {
            let measured = fault.run(&mut cluster, &calls).await;
            measured.print();
            all.push(measured);
        }
    }
    calls.stop();
    let mut histories = BTreeMap::new();
    for caller in callers {
        histories.extend(caller.await.unwrap());
    }
    for server in 0..servers.len() {
        let (listed, total) = calls.list(server).await;
        assert_eq!(history::check(&histories, &listed, total), [], "{} leads", histories.len());
    }
    limited_callers.stop().await;
    for measured in all {
        let longest = measured.promotion + MAX_DELAY + measured.lateness;
        assert!(measured.gap <= longest, "the servers recovered too late: {measured:?}");
    }
}
