//! Patroni's REST API.

use std::{
    io::{self, Read, Write},
    net::{Ipv4Addr, SocketAddr, TcpStream},
    time::Duration,
};

use serde_json::Value;

pub(super) const PORT: u16 = 8008;

/// Sends a request to a node, and returns the status and the body.
pub(super) fn request(
    address: Ipv4Addr,
    timeout: Duration,
    method: &str,
    path: &str,
    body: &str,
) -> io::Result<(u16, String)> {
    let address = SocketAddr::from((address, PORT));
    // A frozen node accepts the connection and never answers.
    let mut stream = TcpStream::connect_timeout(&address, timeout)?;
    stream.set_read_timeout(Some(timeout))?;
    write!(stream, "{method} {path} HTTP/1.0\r\nContent-Length: {}\r\n\r\n{body}", body.len())?;
    let mut text = String::new();
    stream.read_to_string(&mut text)?;
    let (head, body) = text.split_once("\r\n\r\n").ok_or(io::ErrorKind::InvalidData)?;
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).ok_or(io::ErrorKind::InvalidData)?;
    Ok((status, body.to_owned()))
}

/// A node's view of the cluster.
#[derive(Debug)]
pub(super) struct Members(Value);

impl Members {
    pub(super) fn read(address: Ipv4Addr) -> Option<Self> {
        let (_, body) = request(address, Duration::from_secs(1), "GET", "/cluster", "").ok()?;
        Some(Self(serde_json::from_str(&body).ok()?))
    }

    /// Returns the names of the members with a role.
    pub(super) fn with_role(&self, role: &str) -> Vec<&str> {
        let members = self.0["members"].as_array().into_iter().flatten();
        members.filter(|member| member["role"] == role).filter_map(|member| member["name"].as_str()).collect()
    }

    /// Returns whether there are `count` members, all on one timeline, with the leader running and all others
    /// streaming.
    pub(super) fn are_healthy(&self, count: usize) -> bool {
        let Some(members) = self.0["members"].as_array() else { return false };
        members.len() == count
            && members.iter().all(|member| {
                let state = if member["role"] == "leader" { "running" } else { "streaming" };
                member["state"] == state && member["timeline"] == members[0]["timeline"]
            })
    }
}
