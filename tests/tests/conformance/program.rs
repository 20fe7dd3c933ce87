//! Tests of the `contract` program.

use std::process::{Command, Output};

use crate::{raised, service};
use leadapi_server::Server;
use leadapi_testkit::ManualTimer;

async fn contract(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_contract"));
    command.args(arguments);
    tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap()
}

#[tokio::test]
async fn a_correct_server_exits_with_0_and_writes_junit() {
    let server = Server::bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let url = format!("http://{}/v1", server.local_addr());
    tokio::spawn(server.serve(service(&ManualTimer::auto_advance(), raised()).await, std::future::pending()));
    let folder = tempfile::tempdir().unwrap();
    let junit = folder.path().join("contract.xml");
    let output = contract(&["--url", &url, "--junit", junit.to_str().unwrap()]).await;
    let (text, xml) = (String::from_utf8(output.stdout).unwrap(), std::fs::read_to_string(&junit).unwrap());
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("\nD10\n  holds   the first response to a key is not a replay\n"), "{text}");
    assert!(text.trim_end().ends_with(" hold, 0 broken, 4 skipped"), "{text}");
    assert!(xml.contains(r#"failures="0""#) && xml.contains(r#"<testsuite name="D10""#), "{xml}");
    assert!(!text.contains("pak_Check") && !xml.contains("pak_Check"));
}

#[tokio::test]
async fn an_unreachable_server_exits_with_1() {
    let output = contract(&["--url", "http://127.0.0.1:1/v1"]).await;
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stdout).unwrap().contains("could not connect"));
}

#[tokio::test]
async fn an_invalid_url_or_target_exits_with_2() {
    for (arguments, says) in [
        (["--url", "nowhere", "--timeout", "1"], "URL"),
        (["--url", "http://127.0.0.1:1/v1", "--target", "/nonexistent/target.json"], "/nonexistent/target.json"),
    ] {
        let output = contract(&arguments).await;
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {stderr}");
        assert!(stderr.contains(says), "{arguments:?}: {stderr}");
    }
}
