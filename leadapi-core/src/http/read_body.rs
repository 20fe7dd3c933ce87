//! Reads a complete request body.

use std::pin::pin;

use bytes::{Buf, BufMut, Bytes};
use http_body::Body;
use http_body_util::BodyExt;

use crate::BoxError;

/// An error from [`read_body`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadBodyError {
    /// The body exceeds the maximum size, or its declared length does. The rest of the body was not read.
    #[error("the body is larger than {0} bytes")]
    TooLarge(usize),
    /// The body ended with an error, for example because the client disconnected.
    #[error("the body could not be read to its end")]
    Incomplete(#[source] BoxError),
}

/// Reads a complete body of at most `max_bytes`, in memory that is proportional to its size (contract D5).
///
/// Use this function in a host that adds its own endpoints. Collecting the frames instead would keep the receive buffer
/// of every frame in memory, so a client that sends single bytes could use thousands of times the size of the body.
///
/// ```
/// use leadapi_core::http::{ReadBodyError, read_body};
///
/// # futures_executor::block_on(async {
/// assert_eq!(read_body(String::from("{}"), 2).await?, "{}");
/// assert!(matches!(read_body(String::from("[1]"), 2).await, Err(ReadBodyError::TooLarge(2))));
/// # Ok::<(), ReadBodyError>(())
/// # }).unwrap();
/// ```
///
/// # Errors
///
/// Fails with [`ReadBodyError::TooLarge`] as soon as the body exceeds `max_bytes`, or before any of the body is read if
/// its declared length exceeds `max_bytes`. Fails with [`ReadBodyError::Incomplete`] if the body ends with an error.
pub async fn read_body<B>(body: B, max_bytes: usize) -> Result<Bytes, ReadBodyError>
where
    B: Body,
    B::Error: Into<BoxError>,
{
    if body.size_hint().lower() > max_bytes as u64 {
        return Err(ReadBodyError::TooLarge(max_bytes));
    }
    let (mut body, mut whole) = (pin!(body), Vec::new());
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| ReadBodyError::Incomplete(error.into()))?;
        // Trailers are ignored.
        let Ok(data) = frame.into_data() else { continue };
        if whole.len() + data.remaining() > max_bytes {
            return Err(ReadBodyError::TooLarge(max_bytes));
        }
        whole.put(data);
    }
    Ok(whole.into())
}

#[cfg(test)]
mod tests {
    use std::{
        iter::repeat_with,
        pin::Pin,
        sync::{
            Arc,
            atomic::{AtomicUsize, Ordering},
        },
        task::{Context, Poll},
    };

    use futures_executor::block_on;
    use http::HeaderMap;
    use http_body::Frame;

    use super::*;

    type Received = Result<Frame<Bytes>, BoxError>;

    /// A body that yields these frames.
    struct Frames<I>(I);

    impl<I: Iterator<Item = Received> + Unpin> Body for Frames<I> {
        type Data = Bytes;
        type Error = BoxError;

        fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Received>> {
            Poll::Ready(self.0.next())
        }
    }

    fn read(
        frames: impl IntoIterator<Item = Received, IntoIter: Unpin>,
        max_bytes: usize,
    ) -> Result<Bytes, ReadBodyError> {
        block_on(read_body(Frames(frames.into_iter()), max_bytes))
    }

    fn data(piece: &'static str) -> Frame<Bytes> {
        Frame::data(piece.into())
    }

    #[test]
    fn a_body_does_not_depend_on_its_division_into_frames() {
        for pieces in [&["abcd"][..], &["ab", "cd"], &["", "a", "", "b", "cd", ""], &["a", "b", "c", "d"]] {
            let frames = || pieces.iter().map(|piece| Ok(data(piece)));
            assert_eq!(read(frames(), 4).unwrap(), "abcd", "{pieces:?}");
            assert!(matches!(read(frames(), 3), Err(ReadBodyError::TooLarge(3))), "{pieces:?}");
        }
        assert_eq!(read([], 0).unwrap(), "");
        assert_eq!(read([Ok(data("ab")), Ok(Frame::trailers(HeaderMap::new()))], 2).unwrap(), "ab");
    }

    #[test]
    fn a_body_that_ends_with_an_error_is_incomplete() {
        let error = read([Ok(data("ab")), Err("disconnected".into())], 4).unwrap_err();
        assert!(matches!(&error, ReadBodyError::Incomplete(cause) if cause.to_string() == "disconnected"), "{error:?}");
    }

    /// The buffer that a frame was received in.
    struct Buffer(Arc<AtomicUsize>);

    impl AsRef<[u8]> for Buffer {
        fn as_ref(&self) -> &[u8] {
            b"x"
        }
    }

    impl Drop for Buffer {
        fn drop(&mut self) {
            self.0.fetch_sub(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn the_buffer_of_each_frame_is_released_before_the_next_one_is_read() {
        let in_use = Arc::new(AtomicUsize::new(0));
        let frames = repeat_with(|| {
            let others = in_use.fetch_add(1, Ordering::Relaxed);
            assert_eq!(others, 0, "the buffer of an earlier frame is still in use");
            Ok(Frame::data(Bytes::from_owner(Buffer(in_use.clone()))))
        });
        assert_eq!(read(frames.take(100), 100).unwrap(), "x".repeat(100));
    }
}
