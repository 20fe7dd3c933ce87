//! The address by which the per-address limits count.

use std::net::{IpAddr, Ipv6Addr};

/// Returns the address that a connection or a request counts towards. For IPv6, it is the /64 network, because a host
/// can choose the other 64 bits freely.
///
/// ```
/// use std::net::IpAddr;
///
/// let peer: IpAddr = "2001:db8:1:2:3:4:5:6".parse()?;
/// assert_eq!(leadapi_access::counted_address(peer), "2001:db8:1:2::".parse::<IpAddr>()?);
/// # Ok::<(), std::net::AddrParseError>(())
/// ```
pub fn counted_address(peer: IpAddr) -> IpAddr {
    match peer.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
        address @ IpAddr::V4(_) => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_in_one_ipv6_network_count_together() {
        for (peer, expected) in [
            ("192.0.2.7", "192.0.2.7"),
            ("::ffff:192.0.2.7", "192.0.2.7"),
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
            ("2001:db8:1:2:ffff::", "2001:db8:1:2::"),
            ("2001:db8:1:3::1", "2001:db8:1:3::"),
        ] {
            assert_eq!(counted_address(peer.parse().unwrap()), expected.parse::<IpAddr>().unwrap(), "{peer}");
        }
    }
}
