//! A stream that records when bytes arrive and when writes stall.

use std::{
    io,
    mem::MaybeUninit,
    pin::Pin,
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::{deadlines::Deadlines, state::ConnectionState};

/// The maximum total size of a vectored write that is copied into one buffer. Up to this size, copying costs less than
/// passing a second buffer to the kernel.
const MAX_COPIED: usize = 2_048;

pub(super) struct MonitoredIo<S> {
    stream: S,
    /// Bytes already read to detect the protocol.
    ahead: Bytes,
    connection: ConnectionState,
    /// Whether a write or flush has stalled since the last complete flush.
    is_stalled: bool,
    is_shut: bool,
}

impl<S> MonitoredIo<S> {
    pub(super) const fn new(stream: S, ahead: Bytes, connection: ConnectionState) -> Self {
        Self { stream, ahead, connection, is_stalled: false, is_shut: false }
    }

    /// Records that a write or flush has stalled, or that the kernel has accepted everything.
    fn record<T>(&mut self, polled: &Poll<io::Result<T>>, is_flush: bool) {
        if polled.is_pending() {
            self.is_stalled = true;
            self.connection.with(Deadlines::stalled);
        } else if is_flush {
            self.connection.flushed();
            if self.is_stalled {
                self.is_stalled = false;
                self.connection.with(|deadlines, _| deadlines.flushed());
            }
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for MonitoredIo<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let has_ahead = !self.ahead.is_empty();
        let length = self.ahead.len().min(buffer.remaining());
        buffer.put_slice(&self.ahead.split_to(length));
        // Also reads the bytes that follow, so that hyper receives the head in one piece. Otherwise, hyper would
        // permanently double its buffer, which would then be less likely to stay in the CPU cache.
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.stream).poll_read(cx, buffer);
        if polled.is_ready() && buffer.filled().len() > before {
            self.connection.with(Deadlines::read);
        }
        if has_ahead { Poll::Ready(Ok(())) } else { polled }
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for MonitoredIo<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.record(&polled, false);
        polled
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if pieces.iter().map(|piece| piece.len()).sum::<usize>() <= MAX_COPIED {
            let mut whole = [MaybeUninit::uninit(); MAX_COPIED];
            let mut whole = ReadBuf::uninit(&mut whole);
            for piece in pieces {
                whole.put_slice(piece);
            }
            return self.poll_write(cx, whole.filled());
        }
        let polled = Pin::new(&mut self.stream).poll_write_vectored(cx, pieces);
        self.record(&polled, false);
        polled
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.stream).poll_flush(cx);
        self.record(&polled, true);
        polled
    }

    /// Shuts down the write side, then keeps reading until the peer closes too or the deadline passes. If the server
    /// closed the socket immediately, the kernel would answer additional bytes with a reset. The reset could make the
    /// peer lose a response that is still in transit (RFC 9112, 9.6).
    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if !self.is_shut {
            let polled = Pin::new(&mut self.stream).poll_shutdown(cx);
            self.record(&polled, true);
            ready!(polled)?;
            self.is_shut = true;
            self.connection.with(Deadlines::shut);
        }
        loop {
            let mut unwanted = [MaybeUninit::uninit(); 1_024];
            let mut unwanted = ReadBuf::uninit(&mut unwanted);
            let read = ready!(Pin::new(&mut self.stream).poll_read(cx, &mut unwanted));
            if read.is_err() || unwanted.filled().is_empty() {
                return Poll::Ready(Ok(()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::IoSlice;

    use futures_util::{FutureExt, future::poll_fn};
    use tokio::io::{AsyncReadExt, duplex};

    use super::*;

    /// A stream that records the number of buffers in each write, and all bytes written.
    #[derive(Default)]
    struct RecordedWrites(Vec<usize>, Vec<u8>);

    impl AsyncRead for RecordedWrites {
        fn poll_read(self: Pin<&mut Self>, _: &mut Context<'_>, _: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }
    }

    impl AsyncWrite for RecordedWrites {
        fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
            self.poll_write_vectored(cx, &[IoSlice::new(bytes)])
        }

        fn poll_write_vectored(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
            pieces: &[IoSlice<'_>],
        ) -> Poll<io::Result<usize>> {
            self.0.push(pieces.len());
            for piece in pieces {
                self.1.extend_from_slice(piece);
            }
            Poll::Ready(Ok(pieces.iter().map(|piece| piece.len()).sum()))
        }

        fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }

        fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }
    }

    #[tokio::test]
    async fn prefetched_bytes_are_returned_before_the_bytes_that_follow() {
        for (behind, size, expected) in [("def", 9, "abcdef"), ("", 9, "abc"), ("def", 4, "abcd"), ("def", 2, "ab")] {
            let mut monitored =
                MonitoredIo::new(behind.as_bytes(), Bytes::from("abc"), ConnectionState::new_for_tests());
            let mut buffer = vec![0; size];
            let read = monitored.read(&mut buffer).await.unwrap();
            assert_eq!(&buffer[..read], expected.as_bytes());
            let mut rest = String::new();
            monitored.read_to_string(&mut rest).await.unwrap();
            assert_eq!([expected, &rest].concat(), ["abc", behind].concat());
        }
        let (_peer, silent) = duplex(1);
        let mut monitored = MonitoredIo::new(silent, Bytes::from("abc"), ConnectionState::new_for_tests());
        assert_eq!(monitored.read(&mut [0; 9]).now_or_never().unwrap().unwrap(), 3);
        assert!(monitored.read(&mut [0; 9]).now_or_never().is_none());
    }

    #[tokio::test]
    async fn small_buffers_are_written_together_without_loss() {
        for (size, expected) in [(0, 1), (1, 1), (MAX_COPIED - 3, 1), (MAX_COPIED - 2, 2), (3 * MAX_COPIED, 2)] {
            let mut monitored =
                MonitoredIo::new(RecordedWrites::default(), Bytes::new(), ConnectionState::new_for_tests());
            let body: Vec<u8> = (0..=255).cycle().take(size).collect();
            let pieces = [IoSlice::new(b"abc"), IoSlice::new(&body)];
            let written = poll_fn(|cx| Pin::new(&mut monitored).poll_write_vectored(cx, &pieces)).await.unwrap();
            assert_eq!((written, &monitored.stream.0[..]), (3 + size, &[expected][..]));
            assert_eq!(monitored.stream.1, [b"abc", &body[..]].concat());
        }
    }
}
