//! The HTTP version of a connection, and its detection on connections without TLS.

use std::io;

use bytes::BytesMut;
use tokio::io::{AsyncRead, AsyncReadExt};

/// The HTTP/2 connection preface (RFC 9113, 3.4).
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Protocol {
    Http1,
    Http2,
}

impl Protocol {
    /// Reads until the first bytes identify the protocol. Returns `None` if the peer closes the connection first.
    pub(super) async fn detect(
        stream: &mut (impl AsyncRead + Unpin),
        ahead: &mut BytesMut,
    ) -> io::Result<Option<Self>> {
        while stream.read_buf(ahead).await? > 0 {
            if ahead.starts_with(PREFACE) {
                return Ok(Some(Self::Http2));
            }
            if !PREFACE.starts_with(ahead) {
                return Ok(Some(Self::Http1));
            }
        }
        Ok(None)
    }
}
