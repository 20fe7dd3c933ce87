//! Makes the storage fail while a server uses it. The server must report the failure and exit.

use std::{
    fs::OpenOptions,
    net::TcpStream,
    os::unix::fs::FileExt,
    process::{Command, Stdio},
};

use crate::process::{BINARY, Database, ServerProcess, lead, wait_until};

#[test]
fn overwriting_the_database_stops_the_server() {
    let database = Database::of_the_sample();
    let token = database.token();
    let server = ServerProcess::on(&database.store);
    assert_eq!(server.status("/v1/leads", &token), "200");
    let path = database.folder.path().join("leads.db");
    // Pages in the write-ahead log shadow the pages in the file, so the log is checkpointed first.
    database.open().execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
    let file = OpenOptions::new().write(true).open(&path).unwrap();
    let garbage = vec![0xa5; usize::try_from(file.metadata().unwrap().len()).unwrap()];
    file.write_all_at(&garbage, 0).unwrap();
    // No write may be acknowledged. Once the server has exited, it no longer responds.
    wait_until("the server exits", || {
        let answer = server.try_post(&token, &lead("Ann")).unwrap_or_default();
        assert!(!answer.starts_with("HTTP/1.1 20"), "{answer}");
        TcpStream::connect(&server.address).is_err()
    });
    assert_failed(server);
}

/// Without a handler, the signal of a write beyond the limit would kill the server.
#[test]
fn a_file_size_limit_does_not_stop_the_server() {
    let database = Database::of_the_sample();
    let token = database.token();
    // `ulimit -f` counts blocks of 512 bytes. The existing data fits within the limit, but new data soon exceeds it.
    let size = database.folder.path().join("leads.db").metadata().unwrap().len();
    let blocks = (size / 512 + 200).to_string();
    let mut command = Command::new("sh");
    command.args([
        "-c",
        r#"ulimit -f "$1"; shift; exec "$@""#,
        "sh",
        &blocks,
        BINARY,
        "serve",
        "--listen",
        "127.0.0.1:0",
    ]);
    let writes = ["--writes-per-minute", "100000", "--store", &database.store];
    let server = ServerProcess::start(command.args(writes).stdin(Stdio::null()));
    let mut acknowledged = 0;
    let refused = (0..20_000).any(|nth| {
        let answer = server.post(&token, "", &lead(&format!("{nth} {}", "x".repeat(150))));
        acknowledged += i64::from(answer.starts_with("HTTP/1.1 201"));
        answer.starts_with("HTTP/1.1 500")
    });
    assert!(refused && server.status("/v1/leads", &token) == "200");
    server.signal("TERM");
    assert!(server.end().0);
    let leads: i64 = database.open().query_row("SELECT count(*) FROM lead", (), |row| row.get(0)).unwrap();
    assert_eq!(leads, 50 + acknowledged);
    database.assert_lead_counts();
}

fn assert_failed(server: ServerProcess) {
    let (code, log) = server.code();
    assert_eq!(code, Some(1), "{log}");
    // Other requests that failed for the same reason may log lines before or after this line.
    assert!(log.lines().any(|line| line.starts_with("leadapi: the storage has failed: ")), "{log}");
}
