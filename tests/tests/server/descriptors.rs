//! A server that runs out of file descriptors.

use std::{path::Path, time::Duration};

use leadapi_tests::hostile::Target;
use tokio::time::timeout;

use crate::host::Peer;

/// Fewer than there are connections allowed.
const DESCRIPTORS: usize = 40;
const MANY: usize = 100;

#[tokio::test]
async fn it_goes_on_and_takes_connections_again_when_there_are_some() {
    let options = ["--max-connections", "1000", "--first-byte-timeout", "1h"].map(str::to_owned);
    let target = Target::start(Path::new(env!("CARGO_BIN_EXE_server")), &options, false, Some(DESCRIPTORS));
    let request = |headers| target.request("GET /v1/clients", headers, "");
    let mut old = Peer(target.connect().await);
    old.send(&request("")).await;
    old.answer().await;
    let mut many = Vec::new();
    for _ in 0..MANY {
        many.push(target.connect().await);
    }
    // What is open goes on, and a new one waits until there is a descriptor for it.
    let mut new = Peer(target.connect().await);
    new.send(&request("connection: close\r\n")).await;
    for _ in 0..10 {
        old.send(&request("")).await;
        assert!(old.answer().await.starts_with("HTTP/1.1 200"));
        let taken = timeout(Duration::from_millis(50), new.0.readable()).await;
        assert!(taken.is_err(), "there was a descriptor for it");
    }
    drop(many);
    assert!(new.rest().await.starts_with("HTTP/1.1 200"));
    drop(old);
    let log = target.log();
    assert!(log.contains("a connection could not be accepted"), "{log}");
}
