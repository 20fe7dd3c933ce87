//! Tests of a server's readiness while its database fails and recovers.

use std::{
    io::{Read, Write},
    net::TcpStream,
    process::{Command, Stdio},
};

#[cfg(target_os = "linux")]
use leadapi_tests::powerloss::FullDisk;
use leadapi_tests::{ServerProcess, equals, postgres::Cluster, wait_until};

/// A server with an operator listener.
pub(crate) struct Server {
    process: ServerProcess,
    /// The address of the operator listener.
    pub(crate) operator: String,
}

impl Server {
    pub(crate) fn on(store: &str, prepare: impl FnOnce(&mut Command)) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_server"));
        command.args(["serve", "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0", "--store", store]);
        prepare(&mut command);
        let process = ServerProcess::spawn(command.stderr(Stdio::null()));
        let operator = process.listener("operator endpoints").unwrap().to_owned();
        Self { process, operator }
    }

    /// Returns the status and body of the response to a GET.
    pub(crate) fn get(&self, path: &str) -> String {
        self.send("GET", path, "none", "")
    }

    /// Sends a request to the operator listener, which also serves the API. Returns the status and body of the
    /// response.
    pub(crate) fn send(&self, method: &str, path: &str, token: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(&self.operator).unwrap();
        let head = format!("{method} {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n", self.operator);
        let head = format!("{head}authorization: Bearer {token}\r\ncontent-length: {}\r\n\r\n", body.len());
        write!(stream, "{head}{body}").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let body = answer.split("\r\n\r\n").nth(1).unwrap();
        format!("{} {body}", &answer["HTTP/1.1 ".len()..][..3])
    }

    /// Waits until `/readyz` gives this response. The server caches each outcome for a second, so a change takes time
    /// to appear.
    pub(crate) fn wait_for(&self, answer: &str) {
        wait_until("/readyz", || equals(self.get("/readyz"), answer));
    }
}

pub(crate) const READY: &str = "200 ready\n";
pub(crate) const NOT_WRITABLE: &str = "503 not ready: the store rejects writes\n";

#[tokio::test]
async fn a_server_without_its_database_is_alive_but_not_ready() {
    let Some(mut cluster) = Cluster::start(&[]) else { return };
    let url = cluster.url(&cluster.create_database("ready").await);
    let server = Server::on(&url, |_| {});
    server.wait_for(READY);
    cluster.stop();
    server.wait_for("503 not ready: the store fails\n");
    assert_eq!(server.get("/healthz"), "200 alive\n");
    cluster.restart();
    server.wait_for(READY);
    cluster.pause();
    server.wait_for("503 not ready: the checks did not finish within 2s\n");
    cluster.resume();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_with_a_read_only_database_is_not_ready() {
    let Some(cluster) = Cluster::start(&[]) else { return };
    let name = cluster.create_database("read_only").await;
    let server = Server::on(&cluster.url(&name), |_| {});
    server.wait_for(READY);
    let (client, connection) = tokio_postgres::connect(&cluster.url(&name), tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    for (setting, answer) in [("on", NOT_WRITABLE), ("off", READY)] {
        client.batch_execute(&format!("ALTER SYSTEM SET default_transaction_read_only = {setting}")).await.unwrap();
        client.batch_execute("SELECT pg_reload_conf()").await.unwrap();
        server.wait_for(answer);
    }
}

/// Covers a full disk, an exhausted quota and a file size limit. Each condition occurs and ends twice.
#[cfg(target_os = "linux")]
#[test]
fn a_server_with_a_full_disk_is_not_ready_until_there_is_space() {
    for errno in [FullDisk::ENOSPC, FullDisk::EDQUOT, FullDisk::EFBIG] {
        let folder = tempfile::tempdir().unwrap();
        let disk = FullDisk::new(folder.path());
        let store = format!("sqlite:{}", folder.path().join("leads.db").display());
        let server = Server::on(&store, |command| disk.command(command));
        server.wait_for(READY);
        for _ in 0..2 {
            disk.fill(errno);
            server.wait_for(NOT_WRITABLE);
            disk.empty();
            server.wait_for(READY);
        }
    }
}

/// Each readiness check writes to the database and waits for the commit.
#[cfg(target_os = "linux")]
#[test]
fn a_failed_disk_write_is_not_acknowledged_and_stops_the_server() {
    let folder = tempfile::tempdir().unwrap();
    let disk = FullDisk::new(folder.path());
    let store = format!("sqlite:{}", folder.path().join("leads.db").display());
    let mut server = Server::on(&store, |command| disk.command(command));
    server.wait_for(READY);
    disk.fill(FullDisk::EIO);
    // Connections are refused once the server exits.
    wait_until("the server exits", || {
        if let Ok(mut stream) = TcpStream::connect(&server.operator) {
            write!(stream, "GET /readyz HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n\r\n", server.operator)
                .unwrap_or_default();
            // The server cancels a check whose caller has gone.
            stream.read_to_string(&mut String::new()).unwrap_or_default();
        }
        server.process.child.try_wait().unwrap().map(|status| assert_eq!(status.code(), Some(1)))
    });
}
