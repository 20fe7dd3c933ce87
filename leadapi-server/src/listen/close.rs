//! The end of a socket that listens.

use std::iter;

use tokio::net::{TcpListener, TcpStream};

/// The system is asked by the runtime to keep 1,024 connections until they are accepted, and Linux keeps one more.
const KEPT: usize = 1_025;

/// Gives what the system has accepted for the socket and was not taken from it yet, and closes it afterwards: for the
/// other ends these are connections like all others, and they may have sent a request.
pub(super) fn close(socket: TcpListener) -> impl Iterator<Item = TcpStream> {
    #[cfg(target_os = "linux")]
    if let Err(error) = ignore_who_comes_now(&socket) {
        tracing::debug!(%error, "who connects in the moment in which the socket is closed may be cut off");
    }
    // Not as the runtime has it, which may not have heard of the last.
    let socket = socket.into_std().ok();
    iter::from_fn(move || {
        let (stream, _) = socket.as_ref()?.accept().ok()?;
        stream.set_nonblocking(true).and_then(|()| TcpStream::from_std(stream)).ok()
    })
    .take(KEPT)
}

/// Lets the system pass over all who ask for a connection from now on. They ask again, and are refused once the socket
/// is closed; without this the system accepts them until the very end, and cuts off those that nobody has taken.
#[cfg(target_os = "linux")]
fn ignore_who_comes_now(socket: &TcpListener) -> std::io::Result<()> {
    use socket2::{SockFilter, SockRef};

    /// Of what a segment of TCP begins with (RFC 9293, 3.1).
    const FLAGS_AT: u32 = 13;
    const SYN: u32 = 2;

    // The classic packet filter; what it answers is how many bytes of the segment go on.
    let load_byte = |at| SockFilter::new(0x30, 0, 0, at);
    let skip_unless_any_of = |bits, lines| SockFilter::new(0x45, 0, lines, bits);
    let answer = |bytes| SockFilter::new(0x06, 0, 0, bytes);
    SockRef::from(socket).attach_filter(&[load_byte(FLAGS_AT), skip_unless_any_of(SYN, 1), answer(0), answer(u32::MAX)])
}

#[cfg(test)]
mod tests {
    use std::{future, io::ErrorKind, net::Ipv4Addr, pin::pin, task::Poll};

    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        net::TcpSocket,
    };

    use super::*;

    #[tokio::test]
    async fn who_has_connected_is_served() {
        let socket = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = socket.local_addr().unwrap();
        let mut ours = [TcpStream::connect(address).await.unwrap(), TcpStream::connect(address).await.unwrap()];
        let theirs: Vec<_> = close(socket).collect();
        assert_eq!(theirs.len(), ours.len());
        for (mut near, our) in theirs.into_iter().zip(&mut ours) {
            our.write_all(b"?").await.unwrap();
            assert_eq!(near.read_u8().await.unwrap(), b'?');
            near.write_all(b"!").await.unwrap();
            assert_eq!(our.read_u8().await.unwrap(), b'!');
        }
    }

    /// So nothing that it sends can be lost.
    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn who_comes_in_the_last_moment_is_refused_and_not_cut_off() {
        let socket = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = socket.local_addr().unwrap();
        let mut last = close(socket);
        assert!(last.next().is_none());
        let mut late = pin!(TcpSocket::new_v4().unwrap().connect(address));
        let at_once = future::poll_fn(|context| Poll::Ready(late.as_mut().poll(context).is_ready())).await;
        assert!(!at_once);
        drop(last);
        assert_eq!(late.await.unwrap_err().kind(), ErrorKind::ConnectionRefused);
    }
}
