//! Kills the server with SIGKILL at random times under load.

use std::time::Duration;

use crate::{
    callers::{Callers, random_below},
    server::Server,
};

const KILLS: usize = 25;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sigkill_under_load_loses_and_duplicates_no_lead() {
    let disk = tempfile::tempdir().unwrap();
    let (mut callers, mut starts) = (Callers::new(), Vec::new());
    for _ in 0..KILLS {
        let server = Server::start(disk.path(), |_| {}).await;
        starts.push(server.took);
        callers.check(&server).await;
        callers.until(random_below(120), server, Server::kill).await;
    }
    let server = Server::start(disk.path(), |_| {}).await;
    let acknowledged = callers.check(&server).await;
    server.kill();
    starts.sort();
    let (median, maximum) = (starts[KILLS / 2], starts[KILLS - 1]);
    eprintln!(
        "{KILLS} kills, {acknowledged} creates acknowledged: none lost, none duplicated; \
         start to first response {median:.0?} median, {maximum:.0?} maximum"
    );
    assert!(median < Duration::from_millis(500), "a restart takes too long: {median:?}");
}
