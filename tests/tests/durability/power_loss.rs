//! Cuts the power at random times under load, which loses everything that was not synced.
//!
//! With `synchronous = NORMAL` in `leadapi-server/src/store/sqlite/open.rs`, commits are not synced, and this test
//! fails. The test that only kills the server would still pass.

use leadapi_tests::powerloss::PowerLoss;

use crate::{
    callers::{Callers, random_below},
    server::Server,
};

const CUTS: usize = 15;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_power_loss_under_load_loses_and_duplicates_no_lead() {
    let mut disk = tempfile::tempdir().unwrap();
    let mut callers = Callers::new();
    for _ in 0..CUTS {
        let kit = PowerLoss::new(disk.path());
        let server = Server::start(disk.path(), |command| kit.command(command)).await;
        callers.check(&server).await;
        let survived = callers.until(random_below(80), server, |mut server| kit.cut(&mut server.child)).await;
        disk = survived;
        let database = rusqlite::Connection::open(disk.path().join("leads.db")).unwrap();
        let found: String = database.query_row("PRAGMA integrity_check", (), |row| row.get(0)).unwrap();
        assert_eq!(found, "ok");
    }
    let server = Server::start(disk.path(), |_| {}).await;
    let acknowledged = callers.check(&server).await;
    server.kill();
    eprintln!("{CUTS} power losses, {acknowledged} creates acknowledged: none lost, none duplicated");
}
