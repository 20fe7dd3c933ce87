//! Sends requests to the operator listener of a server process.

use std::{
    io::{self, Read, Write},
    net::{SocketAddr, TcpStream},
};

/// Returns an operator listener's response, including its head.
pub(crate) fn get(address: SocketAddr, path: &str) -> io::Result<String> {
    let mut stream = TcpStream::connect(address)?;
    write!(stream, "GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")?;
    let mut response = String::new();
    stream.read_to_string(&mut response)?;
    Ok(response)
}

/// Returns whether a server is ready.
pub(crate) fn is_ready(address: SocketAddr) -> bool {
    get(address, "/readyz").is_ok_and(|response| response.starts_with("HTTP/1.1 200"))
}

/// A sample of a metric: the name, the labels between braces, and the value.
pub(crate) type Sample = (String, String, f64);

/// Returns the samples of a server's metrics.
pub(crate) fn samples(address: SocketAddr) -> Vec<Sample> {
    let response = get(address, "/metrics").unwrap();
    let (_, text) = response.split_once("\r\n\r\n").unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let (series, value) = line.rsplit_once(' ').unwrap();
            let (name, labels) = series.split_once('{').unwrap_or((series, "}"));
            (name.to_owned(), labels.trim_end_matches('}').to_owned(), value.parse().unwrap())
        })
        .collect()
}
