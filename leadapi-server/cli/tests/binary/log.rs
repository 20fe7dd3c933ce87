//! A log that nobody reads must not block requests, and callers must not be able to forge log lines or flood the log.

use std::{
    io::{BufRead, BufReader, PipeReader, Read, Write, pipe},
    net::TcpStream,
    path::PathBuf,
    process::{Child, Command},
    sync::mpsc,
    thread,
};

use crate::process::{BINARY, SECRET, ServerProcess, TIMEOUT, data_file, serve, signal, wait_until};

/// A server whose stdout and stderr share one pipe. The test reads only the addresses from this pipe, so the pipe fills
/// up.
struct Stalled {
    child: Child,
    _unread: BufReader<PipeReader>,
    public: String,
    ops: String,
}

impl Stalled {
    fn start() -> Self {
        let (reader, writer) = pipe().unwrap();
        let mut command = Command::new(BINARY);
        command.args(["serve", "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0", "--drain-delay", "0s"]);
        command.arg("--data").arg(data("stalled"));
        let child = command.stdout(writer.try_clone().unwrap()).stderr(writer).spawn().unwrap();
        drop(command);
        let mut reader = BufReader::new(reader);
        let mut address = || loop {
            let mut line = String::new();
            assert_ne!(reader.read_line(&mut line).unwrap(), 0, "the server exited early");
            if let Some((_, rest)) = line.split_once("http://") {
                break rest.split('/').next().unwrap().to_owned();
            }
        };
        let (ops, public) = (address(), address());
        Self { child, _unread: reader, public, ops }
    }

    fn ops(&self, path: &str) -> String {
        let mut stream = connect(&self.ops);
        let request = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }
}

impl Drop for Stalled {
    fn drop(&mut self) {
        self.child.kill().ok();
    }
}

/// Returns a data set with the token of `request`.
fn data(name: &str) -> PathBuf {
    data_file(name, &format!(r#"{{"name": "t", "scopes": ["read"], "token": "{SECRET}"}}"#))
}

/// Returns a request whose log line is long, and is always written, because its token is valid.
fn request() -> String {
    let id = "x".repeat(128);
    format!("GET /v1/clients HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {SECRET}\r\nx-request-id: {id}\r\n\r\n")
}

fn connect(address: &str) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(TIMEOUT)).unwrap();
    stream
}

#[test]
fn a_stalled_log_reader_blocks_neither_requests_nor_shutdown() {
    const BATCH: usize = 50;
    const BATCHES: usize = 160;
    let mut server = Stalled::start();
    let mut stream = connect(&server.public);
    let mut answers = BufReader::new(stream.try_clone().unwrap());
    let request = request();
    for batch in 0..BATCHES {
        stream.write_all(request.repeat(BATCH).as_bytes()).unwrap();
        let mut answered = 0;
        while answered < BATCH {
            let mut line = String::new();
            assert_ne!(answers.read_line(&mut line).unwrap(), 0, "the connection closed in batch {batch}");
            // A response body does not end with a line break, so the next status line may start in the middle of a
            // line.
            answered += usize::from(line.contains("HTTP/1.1 "));
        }
    }
    assert!(server.ops("/healthz").ends_with("alive\n"));
    let metrics = server.ops("/metrics");
    let dropped = metrics.lines().find_map(|line| line.strip_prefix("leadapi_log_lines_dropped_total "));
    assert!(dropped.unwrap().parse::<f64>().unwrap() > 0.0, "{metrics}");
    drop(stream);
    signal("TERM", &server.child);
    let status = wait_until("the server exits", || server.child.try_wait().unwrap());
    assert_eq!(status.code(), Some(0));
}

#[test]
fn the_log_reports_dropped_lines_once_it_is_read_again() {
    const REQUESTS: usize = 20_000;
    let mut server = ServerProcess::start(&mut serve(&data("dropped")));
    let mut stream = connect(&server.address);
    let mut reader = stream.try_clone().unwrap();
    // The test ignores the responses, but must read them, or the server would stop reading requests.
    let answers = thread::spawn(move || std::io::copy(&mut reader, &mut std::io::sink()).unwrap());
    let request = request();
    for _ in 0..REQUESTS / 100 {
        stream.write_all(request.repeat(100).as_bytes()).unwrap();
    }
    stream.write_all(request.replace("host: x", "host: x\r\nconnection: close").as_bytes()).unwrap();
    assert!(answers.join().unwrap() > 0);
    let stderr = BufReader::new(server.child.stderr.take().unwrap());
    let (sender, lines) = mpsc::channel();
    thread::spawn(move || stderr.lines().map(Result::unwrap).try_for_each(|line| sender.send(line)));
    let requests = |line: String| match line.split_once("log lines were dropped") {
        Some((_, report)) => report.rsplit_once("lines=").unwrap().1.parse().unwrap(),
        None => 1,
    };
    // The log is read to its end before the shutdown, because the server does not wait long for a slow reader.
    let mut logged: usize = 0;
    while logged < REQUESTS + 1 {
        logged += requests(lines.recv_timeout(TIMEOUT).unwrap());
    }
    server.signal("TERM");
    // The log has one line for each request, and one for the shutdown.
    assert_eq!(logged + lines.iter().map(requests).sum::<usize>(), REQUESTS + 2);
}

/// Strangers can cause any number of requests, but only few log lines.
#[test]
fn log_lines_of_requests_without_a_valid_token_are_limited() {
    const REQUESTS: usize = 2_000;
    let server = ServerProcess::start(serve(&data("strangers")).args(["--ops-listen", "127.0.0.1:0"]));
    let mut stream = connect(&server.address);
    let mut reader = stream.try_clone().unwrap();
    let answers = thread::spawn(move || std::io::copy(&mut reader, &mut std::io::sink()).unwrap());
    let stranger = "GET /v1/clients HTTP/1.1\r\nhost: x\r\n\r\n";
    for _ in 0..REQUESTS / 100 {
        stream.write_all(stranger.repeat(100).as_bytes()).unwrap();
    }
    stream.write_all(request().replace("host: x", "host: x\r\nconnection: close").as_bytes()).unwrap();
    assert!(answers.join().unwrap() > 0);
    let mut operator = connect(server.listener("operator endpoints").unwrap());
    operator.write_all(b"GET /metrics HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").unwrap();
    let mut metrics = String::new();
    operator.read_to_string(&mut metrics).unwrap();
    let value = |name: &str| {
        let value = metrics.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        value.trim().parse::<usize>().unwrap()
    };
    assert_eq!(value(r#"leadapi_requests_total{operation="list_clients",status="4xx"}"#), REQUESTS);
    let suppressed = value("leadapi_log_lines_suppressed_total");
    server.signal("TERM");
    let (_, _, log) = server.end();
    assert_eq!(log.matches("status=401").count() + suppressed, REQUESTS);
    assert!(suppressed > REQUESTS / 2 && log.contains("status=200"), "{suppressed}");
}

/// Each of these frames once made the HTTP library log a line at level `warn`.
#[test]
fn unsolicited_http2_frames_are_not_logged() {
    const FRAMES: usize = 50_000;
    let mut server = ServerProcess::start(Command::new(BINARY).args(["serve", "--listen", "127.0.0.1:0"]));
    let mut stderr = server.child.stderr.take().unwrap();
    let log = thread::spawn(move || {
        let mut log = String::new();
        stderr.read_to_string(&mut log).unwrap();
        log
    });
    let mut stream = connect(&server.address);
    let ping = |flags: u8| [&[0, 0, 8, 6, flags, 0, 0, 0, 0][..], b"unasked!"].concat();
    let settings = [0, 0, 0, 4, 0, 0, 0, 0, 0];
    stream.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").unwrap();
    stream.write_all(&settings).unwrap();
    stream.write_all(&ping(1).repeat(FRAMES)).unwrap();
    // The acknowledgement of the final ping shows that the server has read all earlier frames.
    stream.write_all(&ping(0)).unwrap();
    let (mut answer, acknowledged) = (Vec::new(), ping(1));
    while !answer.windows(acknowledged.len()).any(|window| window == acknowledged) {
        let mut piece = [0; 1_024];
        let read = stream.read(&mut piece).unwrap();
        assert_ne!(read, 0, "{answer:?}");
        answer.extend_from_slice(&piece[..read]);
    }
    drop(stream);
    server.signal("TERM");
    let log = log.join().unwrap();
    assert!(log.len() < 1_000, "{} bytes for {FRAMES} frames: {}", log.len(), &log[..1_000]);
}

#[test]
fn caller_data_is_logged_truncated_and_without_tokens() {
    let mut command = Command::new(BINARY);
    let server = ServerProcess::start(command.args(["serve", "--listen", "127.0.0.1:0", "--log", "debug"]));
    let ask = |line: &str, headers: &str| {
        server.send(&format!("{line} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n{headers}\r\n"))
    };
    let lengthy = "X".repeat(15_000);
    let encoded = SECRET.replace('_', "%5F");
    let upper = SECRET.to_uppercase();
    for method in [SECRET, &upper, &format!("X{SECRET}"), &lengthy, "BREW"] {
        let answer = ask(&format!("{method} /v1/leads"), "");
        assert!(answer.starts_with("HTTP/1.1 405"), "{answer}");
        assert!(answer.len() < 600 && !answer.to_lowercase().contains("pak_"), "{answer}");
    }
    for id in [SECRET, &upper, &format!("a-{SECRET}")] {
        let answer = ask("GET /v1/leads", &format!("x-request-id: {id}\r\n"));
        assert!(answer.starts_with("HTTP/1.1 401") && !answer.contains(id), "{answer}");
    }
    for path in [SECRET, &upper, &encoded, &encoded.to_lowercase(), &SECRET.replace('a', "%61")] {
        ask(&format!("GET /v1/leads/{path}"), "");
    }
    ask(&format!("GET /{}", "long".repeat(500)), "");
    server.signal("TERM");
    let (_, _, log) = server.end();
    assert_eq!(log.lines().filter(|line| line.contains("answered")).count(), 14, "{log}");
    assert!(log.lines().all(|line| line.len() < 500), "{log}");
    assert!(!log.contains(&SECRET[8..20]) && log.contains("OTHER") && !log.contains("XXX"), "{log}");
}
