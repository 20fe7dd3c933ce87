//! Storage that fails while a server uses it. The server must report the failure and exit.

use std::{
    fs::OpenOptions,
    os::unix::fs::FileExt,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use crate::process::{BINARY, Database, Running, lead};

#[test]
fn overwriting_the_database_stops_the_server() {
    let database = Database::of_the_sample();
    let token = database.token();
    let server = Running::on(&database.store);
    assert_eq!(server.status("/v1/leads", &token), "200");
    let path = database.folder.path().join("leads.db");
    // Pages in the write-ahead log shadow those in the file, so the log is checkpointed first.
    database.open().execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
    let file = OpenOptions::new().write(true).open(&path).unwrap();
    let garbage = vec![0xa5; usize::try_from(file.metadata().unwrap().len()).unwrap()];
    file.write_all_at(&garbage, 0).unwrap();
    let deadline = Instant::now() + Duration::from_secs(20);
    // Once the server has exited, it no longer responds. Its last response must be a 500.
    while std::net::TcpStream::connect(&server.address).is_ok() {
        assert!(Instant::now() < deadline, "the server is still running");
        let request = format!(
            "POST /v1/leads HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: Bearer {token}\r\ncontent-length: {}\r\n\r\n{}",
            lead("Ann").len(),
            lead("Ann")
        );
        let answer = try_send(&server.address, &request);
        assert!(!answer.starts_with("HTTP/1.1 20"), "{answer}");
    }
    assert_failed(server);
}

#[test]
fn a_failed_disk_write_is_not_acknowledged_and_stops_the_server() {
    let database = Database::of_the_sample();
    let token = database.token();
    // `ulimit -f` counts blocks of 512 bytes. The existing data fits within the limit, but new data soon exceeds it.
    let limited = r#"trap "" XFSZ; ulimit -f "$1"; shift; exec "$@""#;
    let size = database.folder.path().join("leads.db").metadata().unwrap().len();
    let blocks = (size / 512 + 200).to_string();
    let mut command = Command::new("sh");
    command.args(["-c", limited, "sh", &blocks, BINARY, "serve", "--listen", "127.0.0.1:0"]);
    let writes = ["--writes-per-minute", "100000", "--store", &database.store];
    let server = Running::start(command.args(writes).stdin(Stdio::null()));
    let (mut acknowledged, mut failed) = (0, false);
    for nth in 0..20_000 {
        let body = lead(&format!("{nth} {}", "x".repeat(150)));
        let request = format!(
            "POST /v1/leads HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: Bearer {token}\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        let answer = try_send(&server.address, &request);
        assert!(!(failed && answer.starts_with("HTTP/1.1 20")), "{answer}");
        failed |= !answer.starts_with("HTTP/1.1 201");
        acknowledged += i64::from(!failed);
        if failed && std::net::TcpStream::connect(&server.address).is_err() {
            break;
        }
    }
    assert!(failed);
    assert_failed(server);
    let leads: i64 = database.open().query_row("SELECT count(*) FROM lead", (), |row| row.get(0)).unwrap();
    assert_eq!(leads, 50 + acknowledged);
    database.assert_lead_counts();
}

/// Returns the response of a server that may be about to exit. A timeout keeps a hung server from blocking the test.
fn try_send(address: &str, request: &str) -> String {
    use std::io::{ErrorKind, Read, Write};
    let Ok(mut stream) = std::net::TcpStream::connect(address) else { return String::new() };
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let mut answer = String::new();
    let read = stream.write_all(request.as_bytes()).and_then(|()| stream.read_to_string(&mut answer));
    let is_silent = read.is_err_and(|error| error.kind() == ErrorKind::WouldBlock);
    assert!(!is_silent, "the server is running but does not respond");
    answer
}

fn assert_failed(server: Running) {
    let (code, log) = server.code();
    assert_eq!(code, Some(1), "{log}");
    // Log lines of other requests that failed for the same reason may come before or after this line.
    assert!(log.lines().any(|line| line.starts_with("leadapi-server: the storage has failed: ")), "{log}");
}
