//! Tests `serve --limiter` from an operator's point of view.

use std::process::{Command, Stdio};

use leadapi_tests::{ServerProcess, equals, eventually, free_address, redis::Redis, secret, serve_with_rate_limits};
use reqwest::StatusCode;

/// Starts a server, stops it again, and returns whether the start succeeded.
pub(crate) fn starts(command: &mut Command) -> bool {
    ServerProcess::try_spawn(command.stderr(Stdio::null())).is_ok()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_answers_500_and_is_not_ready_while_redis_is_down() {
    let Some(mut redis) = Redis::start(&[]) else { return };
    let token = secret("redis");
    let operator = free_address().to_string();
    let mut command = Command::new(env!("CARGO_BIN_EXE_server"));
    command.args(["serve", "--reads-per-minute", "5", "--ops-listen", &operator]);
    // Omits the log line for each request.
    command.args(["--limiter-timeout", "30s", "--log", "info,leadapi_server::middleware=off", "--drain-delay", "0s"]);
    command.env("LEADAPI_LIMITER", redis.url()).stderr(Stdio::piped());
    let mut server = serve_with_rate_limits(&mut command, &[&token]);
    let url = server.url.clone();
    let client = reqwest::Client::new();
    let get = async || client.get(format!("{url}/leads")).bearer_auth(&token).send().await.unwrap();
    let is_ready = async || client.get(format!("http://{operator}/readyz")).send().await.unwrap().text().await.unwrap();
    let answers = async |status| eventually("a request", async || equals(get().await.status(), &status)).await;
    let readiness = async |text| eventually("/readyz", async || equals(is_ready().await, text)).await;

    for _ in 0..5 {
        assert_eq!(get().await.status(), StatusCode::OK);
    }
    let refused = get().await;
    assert_eq!(refused.status(), StatusCode::TOO_MANY_REQUESTS);
    assert!((1..=60).contains(&refused.headers()["retry-after"].to_str().unwrap().parse::<u32>().unwrap()));
    readiness("ready\n").await;

    redis.kill();
    answers(StatusCode::INTERNAL_SERVER_ERROR).await;
    assert_eq!(get().await.text().await.unwrap(), r#"{"error":"internal error"}"#);
    readiness("not ready: the rate limiter fails\n").await;
    redis.restart();
    answers(StatusCode::OK).await;
    readiness("ready\n").await;

    server.signal("TERM");
    let text = server.read_log();
    for line in ["the rate limiter cannot use Redis", "the rate limiter can use Redis again"] {
        // On a busy machine, the periodic check of the connection may fail as well, and then logs both lines again.
        assert!((1..=5).contains(&text.matches(line).count()), "{line}: {text}");
    }
}

#[test]
fn a_server_refuses_to_start_without_redis_and_gives_the_reason() {
    let Some(mut redis) = Redis::start(&[]) else { return };
    redis.kill();
    for credentials in ["", "u:CANARY@"] {
        let url = format!("redis://{credentials}127.0.0.1:{}/2", redis.port());
        let output = Command::new(env!("CARGO_BIN_EXE_server")).args(["serve", "--limiter", &url]).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success());
        assert!(error.contains(&format!("cannot use redis://127.0.0.1:{}/2: ", redis.port())), "{error}");
        assert!(!error.contains("CANARY"), "{error}");
    }
}

#[test]
fn invalid_limiter_settings_are_usage_errors() {
    for (arguments, rule) in [
        (&["--limiter", "redis://u:CANARY"][..], "must have hosts of the form HOST or HOST:PORT"),
        (&["--limiter", "http://u:CANARY@h"], "must be redis://"),
        (&["--limiter", "redis://h", "--limiter-failure", "local"], "needs --limiter-servers"),
        (&["--limiter", "redis://h", "--limiter-timeout", "50"], "must be a duration with a unit"),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_server")).arg("serve").args(arguments).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && error.contains(rule), "{arguments:?}: {error}");
        assert!(!error.contains("CANARY"), "{error}");
    }
}
