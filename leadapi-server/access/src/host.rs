//! Protection against DNS rebinding. An attacker can point the domain of a web page at a loopback address, so that the
//! page's requests reach a listener on this machine. The host in these requests is the attacker's domain.

use std::net::IpAddr;

use http::{Request, header::HOST, uri::Authority};

/// Returns whether the request's host is an IP address or `localhost`, or is missing. A missing host is safe, because
/// browsers always send one.
pub fn names_this_machine<B>(request: &Request<B>) -> bool {
    let is_missing = request.uri().authority().is_none() && !request.headers().contains_key(HOST);
    is_missing
        || authority(request).is_some_and(|authority| {
            let host = authority.host();
            host.eq_ignore_ascii_case("localhost") || host.trim_matches(['[', ']']).parse::<IpAddr>().is_ok()
        })
}

/// Returns the request's host and port, or `None` if the host is missing or invalid.
pub(crate) fn authority<B>(request: &Request<B>) -> Option<Authority> {
    request.uri().authority().cloned().or_else(|| Authority::try_from(request.headers().get(HOST)?.as_bytes()).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_local(uri: &str, host: Option<&str>) -> bool {
        let mut request = Request::get(uri);
        if let Some(host) = host {
            request = request.header(HOST, host);
        }
        names_this_machine(&request.body(()).unwrap())
    }

    #[test]
    fn only_ip_addresses_and_localhost_are_accepted_as_host() {
        for host in ["127.0.0.1", "127.0.0.1:9090", "[::1]:9090", "localhost", "LocalHost:9090", "10.0.0.1"] {
            assert!(is_local("/metrics", Some(host)), "{host}");
            assert!(is_local(&format!("http://{host}/metrics"), None), "{host}");
        }
        for host in ["evil.example", "evil.example:9090", "localhost.evil.example", "127.0.0.1.evil.example"] {
            assert!(!is_local("/metrics", Some(host)), "{host}");
            assert!(!is_local(&format!("http://{host}/metrics"), Some("localhost")), "{host}");
        }
        assert!(!is_local("/metrics", Some("a b")));
        assert!(is_local("/metrics", None));
    }
}
