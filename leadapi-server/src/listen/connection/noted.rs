//! A stream that records when bytes arrive and when the peer takes none.

use std::{
    io,
    mem::MaybeUninit,
    pin::Pin,
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::{Deadlines, Shared};

/// Pieces of at most this many bytes in total are written as one: a second piece costs the kernel more than a copy.
const SMALL: usize = 2_048;

pub(super) struct Noted<S> {
    stream: S,
    /// Bytes that were already read to detect the protocol.
    ahead: Bytes,
    deadlines: Shared,
    /// Whether the peer has stopped taking bytes.
    is_stalled: bool,
    /// Whether the write side is shut down.
    is_shut: bool,
}

impl<S> Noted<S> {
    pub(super) const fn new(stream: S, ahead: Bytes, deadlines: Shared) -> Self {
        Self { stream, ahead, deadlines, is_stalled: false, is_shut: false }
    }

    /// Records a stalled peer, or that everything has gone to the peer, as far as the server can know.
    fn note<T>(&mut self, polled: &Poll<io::Result<T>>, is_flush: bool) {
        if polled.is_pending() {
            self.is_stalled = true;
            self.deadlines.with(Deadlines::stalled);
        } else if is_flush {
            self.deadlines.flushed();
            if self.is_stalled {
                self.is_stalled = false;
                self.deadlines.with(|table, _| table.flushed());
            }
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Noted<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let begins = !self.ahead.is_empty();
        let now = self.ahead.len().min(buffer.remaining());
        buffer.put_slice(&self.ahead.split_to(now));
        // Bytes that follow are read in the same call. When a head arrives in two pieces, hyper doubles its buffer
        // for good. Later requests then lie one behind the other in that buffer, in cold memory.
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.stream).poll_read(cx, buffer);
        if polled.is_ready() && buffer.filled().len() > before {
            self.deadlines.with(Deadlines::read);
        }
        if begins { Poll::Ready(Ok(())) } else { polled }
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Noted<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.note(&polled, false);
        polled
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if pieces.iter().map(|piece| piece.len()).sum::<usize>() <= SMALL {
            let mut whole = [MaybeUninit::uninit(); SMALL];
            let mut whole = ReadBuf::uninit(&mut whole);
            for piece in pieces {
                whole.put_slice(piece);
            }
            return self.poll_write(cx, whole.filled());
        }
        let polled = Pin::new(&mut self.stream).poll_write_vectored(cx, pieces);
        self.note(&polled, false);
        polled
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.stream).poll_flush(cx);
        self.note(&polled, true);
        polled
    }

    /// After the last byte, reads on until the peer closes too or its deadline passes. Without the stream the kernel
    /// would answer further bytes with a reset. The peer could then lose a response that is on its way (RFC 9112,
    /// 9.6).
    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if !self.is_shut {
            let polled = Pin::new(&mut self.stream).poll_shutdown(cx);
            self.note(&polled, true);
            ready!(polled)?;
            self.is_shut = true;
            self.deadlines.with(Deadlines::shut);
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

    /// Records the number of pieces of each write, and all bytes.
    #[derive(Default)]
    struct Written(Vec<usize>, Vec<u8>);

    impl AsyncRead for Written {
        fn poll_read(self: Pin<&mut Self>, _: &mut Context<'_>, _: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }
    }

    impl AsyncWrite for Written {
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
    async fn what_was_seen_already_is_read_with_what_has_come_behind_it() {
        for (behind, size, expected) in [("def", 9, "abcdef"), ("", 9, "abc"), ("def", 4, "abcd"), ("def", 2, "ab")] {
            let mut noted = Noted::new(behind.as_bytes(), Bytes::from("abc"), Shared::new_for_tests());
            let mut buffer = vec![0; size];
            let read = noted.read(&mut buffer).await.unwrap();
            assert_eq!(&buffer[..read], expected.as_bytes());
            let mut rest = String::new();
            noted.read_to_string(&mut rest).await.unwrap();
            assert_eq!([expected, &rest].concat(), ["abc", behind].concat());
        }
        let (_peer, silent) = duplex(1);
        let mut noted = Noted::new(silent, Bytes::from("abc"), Shared::new_for_tests());
        assert_eq!(noted.read(&mut [0; 9]).now_or_never().unwrap().unwrap(), 3);
        assert!(noted.read(&mut [0; 9]).now_or_never().is_none());
    }

    #[tokio::test]
    async fn what_is_small_is_written_as_one_piece_and_no_byte_is_lost() {
        for (size, expected) in [(0, 1), (1, 1), (SMALL - 3, 1), (SMALL - 2, 2), (3 * SMALL, 2)] {
            let mut noted = Noted::new(Written::default(), Bytes::new(), Shared::new_for_tests());
            let body: Vec<u8> = (0..=255).cycle().take(size).collect();
            let pieces = [IoSlice::new(b"abc"), IoSlice::new(&body)];
            let written = poll_fn(|cx| Pin::new(&mut noted).poll_write_vectored(cx, &pieces)).await.unwrap();
            assert_eq!((written, &noted.stream.0[..]), (3 + size, &[expected][..]));
            assert_eq!(noted.stream.1, [b"abc", &body[..]].concat());
        }
    }
}
