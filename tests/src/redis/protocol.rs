//! Sends commands in Redis's protocol, without sharing code with the server under test.

use std::{
    io::{BufRead, BufReader, Write},
    net::{Ipv4Addr, TcpStream},
    time::Duration,
};

/// Sends a command to a port of this machine, and returns the reply as text.
pub(super) fn command(port: u16, command: &str) -> String {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    write!(stream, "{command}\r\n").unwrap();
    reply(&mut BufReader::new(stream))
}

fn reply(from: &mut impl BufRead) -> String {
    let mut line = String::new();
    from.read_line(&mut line).unwrap();
    let (kind, rest) = line.trim_end().split_at(1);
    match kind {
        "*" => (0..rest.parse().unwrap_or(0)).map(|_| reply(from)).collect::<Vec<_>>().join(" "),
        "$" if rest == "-1" => String::new(),
        "$" => {
            let mut text = vec![0; rest.parse::<usize>().unwrap() + 2];
            from.read_exact(&mut text).unwrap();
            String::from_utf8_lossy(&text[..text.len() - 2]).into_owned()
        }
        _ => rest.to_owned(),
    }
}
