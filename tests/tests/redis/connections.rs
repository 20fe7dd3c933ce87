//! Tests of credentials and TLS for connections to Redis.

use std::process::Command;

use leadapi_tests::redis::Redis;

use crate::fixture::{admitted, builder, limits};

#[tokio::test]
async fn a_password_is_required_and_never_shown() {
    let Some(redis) = Redis::start(&["--requirepass p@s/CANARY"]) else { return };
    for (credentials, works) in
        [(":p%40s%2FCANARY@", true), ("default:p%40s%2FCANARY@", true), (":wrongCANARY@", false), ("", false)]
    {
        let url = format!("redis://{credentials}127.0.0.1:{}", redis.port());
        let started = builder(&url, limits(2, 1)).start().await;
        assert_eq!(started.is_ok(), works, "{url}: {:?}", started.err());
        match started {
            Ok(limiter) => assert_eq!(admitted(&limiter, credentials, 3).await, 2),
            Err(error) => assert!(!format!("{error} {error:?}").contains("CANARY"), "{error}"),
        }
    }
}

/// The server trusts the system's certificate authorities. The `SSL_CERT_FILE` environment variable replaces them.
#[test]
fn tls_checks_the_certificate_and_the_host_name() {
    let Some((redis, authorities)) = Redis::start_with_tls() else { return };
    for (scheme, host, root, works) in [
        ("rediss", "localhost", &authorities.root, true),
        ("rediss", "localhost", &authorities.wrong_root, false),
        ("rediss", "127.0.0.1", &authorities.root, false),
        ("redis", "localhost", &authorities.root, false),
    ] {
        let url = format!("{scheme}://{host}:{}", redis.port());
        let mut server = Command::new(env!("CARGO_BIN_EXE_server"));
        let server = server.args(["serve", "--listen", "127.0.0.1:0", "--limiter", &url]).env("SSL_CERT_FILE", root);
        assert_eq!(crate::server::starts(server), works, "{url}");
    }
}
