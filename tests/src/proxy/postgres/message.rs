//! Parses PostgreSQL's protocol messages just far enough to find their boundaries.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt};

/// The direction of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From the client to the server.
    ToServer,
    /// From the server to the client.
    ToClient,
}

impl Direction {
    /// Both directions.
    pub const ALL: [Self; 2] = [Self::ToServer, Self::ToClient];
}

/// The parts of a message that tests inspect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The direction of the message.
    pub direction: Direction,
    /// The type byte, or NUL for the first message of a connection, which has no type.
    pub kind: char,
    /// The text of the query, prepared statement, command tag or error in the message.
    pub text: String,
}

impl Message {
    pub(super) fn new(direction: Direction, bytes: &[u8]) -> Self {
        // The first message of a connection begins with its length, whose first byte is zero.
        let kind = char::from(bytes[0]);
        let has_text = matches!((direction, kind), (Direction::ToServer, 'Q' | 'P') | (Direction::ToClient, 'C' | 'E'));
        let body = bytes.get(5..).filter(|_| has_text).unwrap_or_default();
        Self { direction, kind, text: String::from_utf8_lossy(body).replace('\0', " ").trim().into() }
    }

    /// Returns whether the message requests or confirms a commit.
    pub fn is_commit(&self) -> bool {
        self.kind != 'E' && self.text.eq_ignore_ascii_case("COMMIT")
    }

    /// Returns whether the server has committed or rolled back a transaction.
    pub(super) fn ends_transaction(&self) -> bool {
        (self.direction, self.kind) == (Direction::ToClient, 'C') && ["COMMIT", "ROLLBACK"].contains(&&*self.text)
    }

    pub(super) fn is_terminate(&self) -> bool {
        (self.direction, self.kind) == (Direction::ToServer, 'X')
    }
}

/// Reads the next message, including its type and length.
pub(super) async fn read(from: &mut (impl AsyncRead + Unpin)) -> io::Result<Vec<u8>> {
    let bytes = vec![from.read_u8().await?];
    rest(bytes, from).await
}

/// Reads the first message of a connection, which has no type byte.
pub(super) async fn read_first(from: &mut (impl AsyncRead + Unpin)) -> io::Result<Vec<u8>> {
    rest(Vec::new(), from).await
}

/// Returns a simple query.
pub(super) fn query(text: &str) -> Vec<u8> {
    encode(b'Q', &format!("{text}\0"))
}

/// Returns an error response with this SQLSTATE.
pub(super) fn error(state: &str) -> Vec<u8> {
    encode(b'E', &format!("SERROR\0VERROR\0C{state}\0Mthe proxy replaced the response\0\0"))
}

fn encode(kind: u8, body: &str) -> Vec<u8> {
    let length = u32::try_from(body.len() + 4).unwrap();
    [&[kind][..], &length.to_be_bytes(), body.as_bytes()].concat()
}

/// Returns whether the first message requests encryption. The server replies to such a request with a single byte.
pub(super) fn asks_for_encryption(first: &[u8]) -> bool {
    const TLS: u32 = 80_877_103;
    const GSS: u32 = 80_877_104;
    first.get(4..8).is_some_and(|code| [TLS.to_be_bytes(), GSS.to_be_bytes()].iter().any(|ask| code == ask))
}

/// Reads the length, which includes its own four bytes, and then the body.
async fn rest(mut bytes: Vec<u8>, from: &mut (impl AsyncRead + Unpin)) -> io::Result<Vec<u8>> {
    let length = from.read_u32().await?;
    bytes.extend(length.to_be_bytes());
    let body = u64::from(length).checked_sub(4).ok_or(io::ErrorKind::InvalidData)?;
    match u64::try_from(from.take(body).read_to_end(&mut bytes).await?) {
        Ok(read) if read == body => Ok(bytes),
        _ => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}
