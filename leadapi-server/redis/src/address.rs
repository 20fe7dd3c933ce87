//! The address of a Redis server or a Sentinel.

use std::{fmt, net::Ipv6Addr};

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Address {
    /// A name or an IP address, without brackets.
    pub(super) host: String,
    pub(super) port: u16,
}

impl Address {
    /// Parses `HOST` or `HOST:PORT`, with an IPv6 address in brackets.
    pub(super) fn parse(text: &str, default_port: u16) -> Option<Self> {
        let (host, port) = match text.strip_prefix('[').map(|rest| rest.split_once(']')) {
            Some(Some((host, port))) => (host.parse::<Ipv6Addr>().ok()?.to_string(), port),
            Some(None) => return None,
            None => {
                let (host, port) = text.split_at(text.find(':').unwrap_or(text.len()));
                let is_host = |c: char| c.is_ascii_alphanumeric() || ".-_".contains(c);
                (Some(host).filter(|host| !host.is_empty() && host.chars().all(is_host))?.to_owned(), port)
            }
        };
        let port = match port.strip_prefix(':') {
            Some(port) => port.parse().ok().filter(|port| *port != 0)?,
            None if port.is_empty() => default_port,
            None => return None,
        };
        Some(Self { host, port })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { host, port } = self;
        if host.contains(':') { write!(f, "[{host}]:{port}") } else { write!(f, "{host}:{port}") }
    }
}
