//! Free ports for programs that cannot choose one themselves.

use std::{
    net::{Ipv4Addr, SocketAddr, TcpListener},
    process,
    sync::atomic::{AtomicU16, Ordering},
};

/// Returns a free port on the loopback address, below the range from which the kernel chooses ports for outgoing
/// connections and for listeners on port 0. The port therefore stays free until a program listens on it. Two calls in
/// the same process never return the same port.
///
/// # Panics
///
/// Panics if there is no free port.
pub fn free_port() -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    // Processes with consecutive ids begin ten ports apart.
    let first = 20_000 + u16::try_from(process::id() % 1_000 * 10).unwrap();
    loop {
        let port = first + NEXT.fetch_add(1, Ordering::Relaxed);
        assert!(port < 32_000, "no free port");
        if TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok() {
            return port;
        }
    }
}

/// Returns the loopback address with a [free port](free_port).
///
/// # Panics
///
/// Panics if there is no free port.
pub fn free_address() -> SocketAddr {
    (Ipv4Addr::LOCALHOST, free_port()).into()
}
