//! Sends bytes to the server over TCP: request heads, bodies, and several requests on one connection. `TOKEN` stands
//! for a valid token.
//!
//! The server must respond with known statuses only, and must close the connection when the input ends.
#![no_main]

use std::{
    io::{Read, Write},
    net::{Shutdown, SocketAddr, TcpStream},
    sync::LazyLock,
    time::Duration,
};

use leadapi_fuzz::{RUNTIME, secret, service};
use leadapi_server::Server;
use leadapi_tests::World;
use libfuzzer_sys::fuzz_target;

/// The time limit for the server to close a connection after the input has ended.
const TIMEOUT: Duration = Duration::from_secs(5);

struct Served {
    address: SocketAddr,
    world: World,
    secret: String,
}

static SERVED: LazyLock<Served> = LazyLock::new(|| {
    RUNTIME.block_on(async {
        let world = World::new().await;
        let server = Server::bind(([127, 0, 0, 1], 0).into()).await.expect("a free port");
        let address = server.local_addr();
        tokio::spawn(server.serve(service(&world), std::future::pending()));
        Served { address, world, secret: secret() }
    })
});

fuzz_target!(|data: &[u8]| {
    let served = &*SERVED;
    served.world.wait(60);
    let mut connection = TcpStream::connect(served.address).expect("the server accepts connections");
    connection.set_read_timeout(Some(TIMEOUT)).expect("a timeout");
    // Both calls can fail if the server has already rejected the request and closed the connection.
    let _ = connection.write_all(&with_token(data, served.secret.as_bytes()));
    let _ = connection.shutdown(Shutdown::Write);
    let mut responses = Vec::new();
    if let Err(error) = connection.read_to_end(&mut responses) {
        assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset, "{error}");
    }
    check(&responses);
});

fn with_token(data: &[u8], secret: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(data.len());
    let mut rest = data;
    while let Some(at) = rest.windows(5).position(|window| window == b"TOKEN") {
        bytes.extend_from_slice(&rest[..at]);
        bytes.extend_from_slice(secret);
        rest = &rest[at + 5..];
    }
    bytes.extend_from_slice(rest);
    bytes
}

fn check(responses: &[u8]) {
    let text = String::from_utf8_lossy(responses);
    // An HTTP/2 connection starts with a frame, so it has no status lines.
    for line in text.lines().filter(|line| line.starts_with("HTTP/1.")) {
        let status = line.split(' ').nth(1).unwrap_or_default();
        let is_known = ["100", "200", "201", "204", "400", "401", "403", "404", "405", "408", "413", "429", "431"]
            .contains(&status);
        assert!(is_known, "{line}");
    }
}
