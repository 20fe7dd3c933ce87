//! Closes a listening socket without losing connections that are already queued.

use std::{iter, net::SocketAddr};

use tokio::net::{TcpListener, TcpStream};

/// The maximum number of queued connections. Tokio sets a listen backlog of 1,024, and Linux queues one more.
const MAX_QUEUED: usize = 1_025;

/// Returns the established connections that have not been accepted yet. Dropping the iterator closes the socket. To a
/// client, a queued connection looks like an accepted one, so the client may already have sent a request.
pub(super) fn close(socket: TcpListener) -> impl Iterator<Item = (TcpStream, SocketAddr)> {
    #[cfg(target_os = "linux")]
    if let Err(error) = drop_connection_attempts(&socket) {
        tracing::debug!(%error, "a client that connects while the socket closes may be reset");
    }
    // Accepts directly, because Tokio's readiness state may lag behind the socket and miss the latest connections.
    let socket = socket.into_std().ok();
    iter::from_fn(move || {
        let (stream, peer) = socket.as_ref()?.accept().ok()?;
        let stream = stream.set_nonblocking(true).and_then(|()| TcpStream::from_std(stream));
        Some((stream.ok()?, peer))
    })
    .take(MAX_QUEUED)
}

/// Makes the kernel drop all further connection attempts. The client's kernel retransmits its SYN, and the connection
/// is refused once the socket is closed. Without this filter, the kernel keeps establishing connections until the close
/// and then resets those that were never accepted.
#[cfg(target_os = "linux")]
fn drop_connection_attempts(socket: &TcpListener) -> std::io::Result<()> {
    use socket2::{SockFilter, SockRef};

    /// The offset of the flags byte in a TCP header (RFC 9293, 3.1).
    const FLAGS_AT: u32 = 13;
    const SYN: u32 = 2;

    // A classic BPF program, which returns how many bytes of the segment to keep.
    let load_byte = |at| SockFilter::new(0x30, 0, 0, at);
    let skip_unless_any_of = |bits, lines| SockFilter::new(0x45, 0, lines, bits);
    let keep = |bytes| SockFilter::new(0x06, 0, 0, bytes);
    SockRef::from(socket).attach_filter(&[load_byte(FLAGS_AT), skip_unless_any_of(SYN, 1), keep(0), keep(u32::MAX)])
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
    async fn queued_connections_are_returned() {
        let socket = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = socket.local_addr().unwrap();
        let mut ours = [TcpStream::connect(address).await.unwrap(), TcpStream::connect(address).await.unwrap()];
        let theirs: Vec<_> = close(socket).collect();
        assert_eq!(theirs.len(), ours.len());
        for ((mut near, _), our) in theirs.into_iter().zip(&mut ours) {
            our.write_all(b"?").await.unwrap();
            assert_eq!(near.read_u8().await.unwrap(), b'?');
            near.write_all(b"!").await.unwrap();
            assert_eq!(our.read_u8().await.unwrap(), b'!');
        }
    }

    /// The client cannot send anything before it is refused, so no request is lost.
    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn a_client_that_connects_during_the_close_is_refused_and_not_reset() {
        let socket = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = socket.local_addr().unwrap();
        let mut queued = close(socket);
        assert!(queued.next().is_none());
        let mut late = pin!(TcpSocket::new_v4().unwrap().connect(address));
        let at_once = future::poll_fn(|context| Poll::Ready(late.as_mut().poll(context).is_ready())).await;
        assert!(!at_once);
        drop(queued);
        assert_eq!(late.await.unwrap_err().kind(), ErrorKind::ConnectionRefused);
    }
}
