//! Tests of the proxies in environment variables. Each test runs the client in a separate process, because the
//! environment of a process must not change while other tests run.

use std::process::Command;

use leadapi_client::{Client, RetryPolicy, model::Window};
use wiremock::{Mock, MockServer, ResponseTemplate, matchers::any};

/// The base URL for the child process.
const URL: &str = "LEADAPI_TEST_PROXY_URL";

/// Starts a server that answers every request with this status.
async fn server(status: u16) -> MockServer {
    let server = MockServer::start().await;
    Mock::given(any()).respond_with(ResponseTemplate::new(status)).mount(&server).await;
    server
}

/// Runs `the_child_prints_the_status` with a proxy, and returns the status that it prints.
async fn status_with_proxy(variable: &str, proxy: &MockServer, url: &str) -> String {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "proxies::the_child_prints_the_status", "--nocapture"]);
    for name in ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY", "REQUEST_METHOD"] {
        child.env_remove(name);
    }
    child.env(variable, proxy.uri()).env(URL, url);
    let output = tokio::task::spawn_blocking(move || child.output()).await.unwrap().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let (_, status) = text.split_once("status=").unwrap_or_else(|| panic!("{text}"));
    status[..3].to_owned()
}

/// Does nothing unless another test starts it with a URL.
#[tokio::test]
async fn the_child_prints_the_status() {
    let Ok(url) = std::env::var(URL) else { return };
    let client = Client::builder(url, "pak_0123").retry(RetryPolicy::none()).build().unwrap();
    let error = client.client_accounts().list(Window::default()).await.unwrap_err();
    println!("status={}", error.status().map_or("none", |status| if status == 401 { "401" } else { "502" }));
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_to_loopback_addresses_use_no_proxy() {
    let (api, proxy) = (server(401).await, server(502).await);
    let port = api.address().port();
    for variable in ["http_proxy", "ALL_PROXY"] {
        for host in ["127.0.0.1", "localhost"] {
            let status = status_with_proxy(variable, &proxy, &format!("http://{host}:{port}/v1")).await;
            assert_eq!(status, "401", "{variable}: {host}");
        }
        let status = status_with_proxy(variable, &proxy, "http://api.example.com/v1").await;
        assert_eq!(status, "502", "{variable}: other hosts use the proxy");
    }
}
