//! Simulates power losses at random times under load. Each power loss discards everything that was not synced.
//!
//! With `synchronous = NORMAL` in `leadapi-server/sql/src/sqlite/open.rs`, commits are not synced, and this test
//! fails. The test that only kills the server would still pass.

use leadapi_tests::{powerloss::PowerLoss, scale};

use crate::{
    callers::{Callers, random_below},
    server::Server,
};

/// The default number of power losses. `LEADAPI_TEST_POWER_LOSSES` overrides it.
const CUTS: usize = 15;
/// The maximum number of power losses of one database. Each check reads the whole database, so it takes longer after
/// each power loss.
const CUTS_PER_DATABASE: usize = 250;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_power_loss_under_load_loses_and_duplicates_no_lead() {
    let cuts = scale::from_env("LEADAPI_TEST_POWER_LOSSES", CUTS);
    let (mut done, mut acknowledged) = (0, 0);
    while done < cuts {
        let many = CUTS_PER_DATABASE.min(cuts - done);
        acknowledged += cut(many).await;
        done += many;
    }
    scale::print_figures(format!(
        "{done} power losses, {acknowledged} creates acknowledged: none lost, none duplicated"
    ));
}

/// Cuts the power of a server on a new database this many times, and checks the database after each power loss. Returns
/// the number of acknowledged leads.
async fn cut(many: usize) -> usize {
    let (mut disk, mut callers) = (tempfile::tempdir().unwrap(), Callers::new());
    for _ in 0..many {
        let kit = PowerLoss::new(disk.path());
        let server = Server::start(disk.path(), |command| kit.command(command)).await;
        callers.check(&server).await;
        let survived = callers.until(random_below(80), server, |mut server| kit.cut(&mut server.process.child)).await;
        disk = survived;
        let database = rusqlite::Connection::open(disk.path().join("leads.db")).unwrap();
        // Keeps the write-ahead log for the next server.
        database.set_db_config(rusqlite::config::DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).unwrap();
        let found: String = database.query_row("PRAGMA integrity_check", (), |row| row.get(0)).unwrap();
        assert_eq!(found, "ok");
    }
    let server = Server::start(disk.path(), |_| {}).await;
    let acknowledged = callers.check(&server).await;
    server.kill();
    acknowledged
}
