//! Tests with targets that do not respond or do not serve the API. The check must end quickly, name the problem, and
//! report almost no requirement as met.

use std::{
    io::{Read, Write},
    net::TcpListener,
    thread,
    time::{Duration, Instant},
};

use leadapi_testkit::conformance::{self, Outcome, Report, Target};
use leadapi_tests::TIMEOUT;

async fn report(url: &str) -> Report {
    report_with(url, TIMEOUT).await
}

async fn report_with(url: &str, timeout: Duration) -> Report {
    let target = Target::standard().timeout(timeout);
    conformance::run(&target.client(url).build().unwrap(), &target).await
}

fn holding(report: &Report) -> Vec<&str> {
    let holding = report.sentences.iter().filter(|sentence| sentence.outcome == Outcome::Holds);
    holding.map(|sentence| sentence.text.as_str()).collect()
}

/// Returns a listener on a free port, and its base URL.
fn listener() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    (listener, url)
}

#[tokio::test]
async fn a_closed_port_meets_no_requirement() {
    let (listener, url) = listener();
    drop(listener);
    let report = report(&url).await;
    assert!(!report.holds());
    assert_eq!(holding(&report), Vec::<&str>::new());
    assert!(report.to_string().contains("could not connect"), "{report}");
    assert!(report.to_string().contains("not sent, because the last 3 requests received no response"), "{report}");
}

#[tokio::test]
async fn a_silent_server_ends_the_check_early() {
    // The kernel completes the TCP handshakes, but no program accepts the connections.
    let (_listener, url) = listener();
    let start = Instant::now();
    let report = report_with(&url, Duration::from_millis(200)).await;
    assert!(start.elapsed() < TIMEOUT, "the check gave up after {:?}", start.elapsed());
    assert!(!report.holds());
    assert_eq!(holding(&report), Vec::<&str>::new());
    assert!(report.to_string().contains("no response within 200ms"), "{report}");
    assert!(report.to_string().contains("not sent, because the last 3 requests received no response"), "{report}");
}

/// Starts a server that answers every request with the same bytes, and returns its base URL.
fn always(answer: &'static str) -> String {
    let (listener, url) = listener();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            // Reads the request first, because closing a socket with unread data would reset the connection.
            let mut request = Vec::new();
            let mut buffer = vec![0; 128 * 1024];
            while !request.windows(4).any(|end| end == b"\r\n\r\n") {
                let Ok(count @ 1..) = stream.read(&mut buffer) else { break };
                request.extend_from_slice(&buffer[..count]);
            }
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    url
}

#[tokio::test]
async fn a_web_page_meets_almost_no_requirement() {
    let page =
        "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 15\r\nconnection: close\r\n\r\n<html>hi</html>";
    let report = report(&always(page)).await;
    assert!(!report.holds());
    let holding = holding(&report);
    assert!(holding.len() < report.sentences.len() / 10, "{holding:#?}");
    assert!(report.to_string().contains("<html>hi</html>"));
}

#[tokio::test]
async fn a_server_without_http_meets_no_requirement() {
    let report = report(&always("what?\r\n\r\n")).await;
    assert!(!report.holds());
    assert_eq!(holding(&report), Vec::<&str>::new());
}

/// A server may echo a token, so the report redacts tokens that it quotes from responses.
#[tokio::test]
async fn reports_redact_tokens_that_a_server_echoes() {
    let page = "HTTP/1.1 200 OK\r\ncontent-length: 27\r\nconnection: close\r\n\r\nAuthorization: pak_CheckBot";
    let report = report(&always(page)).await;
    for text in [report.to_string(), report.to_junit().unwrap()] {
        assert!(!text.contains("CheckBot"), "the report contains a token");
        assert!(text.contains("pak_[token]"));
    }
}
