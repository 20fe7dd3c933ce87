//! Whether a server is ready, while its database goes and comes back.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, Command, Stdio},
};

use leadapi_tests::{postgres::Cluster, processes::wait_until};

struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

#[tokio::test]
async fn a_server_whose_database_is_away_is_not_ready_and_lives() {
    let Some(mut cluster) = Cluster::start(&[]) else { return };
    let url = cluster.url(&cluster.create_database("ready").await);
    let mut command = Command::new(env!("CARGO_BIN_EXE_server"));
    command.args(["serve", "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0", "--store", &url]);
    let mut server = Running(command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap());
    let mut lines = BufReader::new(server.0.stdout.take().unwrap()).lines();
    let operator = lines.find_map(|line| line.unwrap().strip_prefix("for the operator: ").map(str::to_owned));
    let base = operator.unwrap().split("/healthz").next().unwrap().to_owned();
    let address = base.trim_start_matches("http://").to_owned();
    let ask = |path: &str| {
        let mut stream = TcpStream::connect(&address).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let body = answer.split("\r\n\r\n").nth(1).unwrap();
        format!("{} {body}", &answer["HTTP/1.1 ".len()..][..3])
    };
    assert_eq!(ask("/readyz"), "200 ready\n");
    cluster.stop();
    assert_eq!(ask("/readyz"), "503 not ready: the store fails\n");
    assert_eq!(ask("/healthz"), "200 alive\n");
    cluster.restart();
    wait_until("a ready server", || ask("/readyz") == "200 ready\n");
    cluster.pause();
    assert_eq!(ask("/readyz"), "503 not ready: the store does not answer within 2s\n");
    cluster.resume();
}
