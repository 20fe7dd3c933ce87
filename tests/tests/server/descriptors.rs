//! A server that runs out of file descriptors.

use std::{path::Path, time::Duration};

use leadapi_tests::hostile::Target;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

use crate::host::PATIENCE;

/// So few that there are fewer than connections are allowed.
const DESCRIPTORS: usize = 40;
const MORE: usize = 100;

async fn ask(stream: &mut TcpStream, target: &Target, headers: &str) -> String {
    stream.write_all(target.request("GET /v1/clients", headers, "").as_bytes()).await.unwrap();
    let mut answer = vec![0; 12];
    timeout(PATIENCE, stream.read_exact(&mut answer)).await.expect("it answers").unwrap();
    // The rest of it is there already, or nearly; what matters is that it was read before the next is asked.
    let mut rest = [0; 4_096];
    while !rest.windows(4).any(|window| window == b"\"}],") {
        let read = stream.read(&mut rest).await.unwrap();
        if read == 0 || rest[..read].contains(&b'}') {
            break;
        }
    }
    String::from_utf8(answer).unwrap()
}

#[tokio::test]
async fn it_goes_on_and_takes_connections_again_when_there_are_some() {
    let options = ["--max-connections", "1000", "--first-byte-timeout", "1h"].map(str::to_owned);
    let target = Target::start(Path::new(env!("CARGO_BIN_EXE_server")), &options, false, Some(DESCRIPTORS));
    let mut old = target.connect().await;
    assert_eq!(ask(&mut old, &target, "").await, "HTTP/1.1 200");
    let mut many = Vec::new();
    for _ in 0..MORE {
        many.push(target.connect().await);
    }
    // What is open goes on, and a new one waits until there is a descriptor for it.
    let mut new = target.connect().await;
    new.write_all(target.request("GET /v1/clients", "connection: close\r\n", "").as_bytes()).await.unwrap();
    let mut first = [0; 1];
    for _ in 0..10 {
        assert_eq!(ask(&mut old, &target, "").await, "HTTP/1.1 200");
        let waited = timeout(Duration::from_millis(50), new.read_exact(&mut first)).await;
        assert!(waited.is_err(), "there was a descriptor for it");
    }
    drop(many);
    let mut rest = Vec::new();
    timeout(PATIENCE, new.read_to_end(&mut rest)).await.expect("it is taken").unwrap();
    assert!(rest.starts_with(b"HTTP/1.1 200"));
    drop(old);
    let log = target.log();
    assert!(log.contains("a connection could not be accepted"), "{log}");
}
