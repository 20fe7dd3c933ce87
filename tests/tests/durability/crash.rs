//! Kills the server with SIGKILL at random times under load.

use std::time::Duration;

use leadapi_tests::scale;

use crate::{
    callers::{Callers, random_below},
    server::Server,
};

/// The default number of kills. `LEADAPI_TEST_KILLS` overrides it.
const KILLS: usize = 25;
/// The maximum number of kills on one database. Each check reads the whole database, so it takes longer after each
/// kill.
const KILLS_PER_DATABASE: usize = 250;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sigkill_under_load_loses_and_duplicates_no_lead() {
    let kills = scale::from_env("LEADAPI_TEST_KILLS", KILLS);
    let (mut starts, mut acknowledged) = (Vec::new(), 0);
    while starts.len() < kills {
        let many = KILLS_PER_DATABASE.min(kills - starts.len());
        acknowledged += kill(many, &mut starts).await;
    }
    starts.sort();
    let (median, maximum) = (starts[starts.len() / 2], starts[starts.len() - 1]);
    scale::print_figures(format!(
        "{} kills, {acknowledged} creates acknowledged: none lost, none duplicated; \
         start to first response {median:.0?} median, {maximum:.0?} maximum",
        starts.len()
    ));
    assert!(median < Duration::from_secs(10), "a restart takes too long: {median:?}");
}

/// Kills a server on a new database this many times, and checks the database after each kill. Returns the number of
/// acknowledged leads.
async fn kill(many: usize, starts: &mut Vec<Duration>) -> usize {
    let (disk, mut callers) = (tempfile::tempdir().unwrap(), Callers::new());
    for _ in 0..many {
        let server = Server::start(disk.path(), |_| {}).await;
        starts.push(server.took);
        callers.check(&server).await;
        callers.until(random_below(120), server, Server::kill).await;
    }
    let server = Server::start(disk.path(), |_| {}).await;
    let acknowledged = callers.check(&server).await;
    server.kill();
    acknowledged
}
