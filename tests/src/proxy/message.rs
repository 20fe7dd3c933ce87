//! The messages of PostgreSQL's protocol, as far as one must know them to find their ends.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt};

/// Which way a message goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From the client.
    ToServer,
    /// From the server.
    ToClient,
}

impl Direction {
    /// Both of them.
    pub const ALL: [Self; 2] = [Self::ToServer, Self::ToClient];
}

/// What a test may know of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Which way it goes.
    pub direction: Direction,
    /// The letter that it begins with. The first of a connection has none, which is a NUL here.
    pub kind: char,
    /// What a query, a statement to prepare, the tag of a completed command or an error says.
    pub text: String,
}

impl Message {
    pub(super) fn new(direction: Direction, bytes: &[u8]) -> Self {
        // A first message begins with its length, and so with a zero.
        let kind = char::from(bytes[0]);
        let has_text = matches!((direction, kind), (Direction::ToServer, 'Q' | 'P') | (Direction::ToClient, 'C' | 'E'));
        let body = bytes.get(5..).filter(|_| has_text).unwrap_or_default();
        Self { direction, kind, text: String::from_utf8_lossy(body).replace('\0', " ").trim().into() }
    }

    /// Whether it asks for a commit, or says that there was one.
    pub fn is_commit(&self) -> bool {
        self.kind != 'E' && self.text.to_ascii_uppercase().contains("COMMIT")
    }

    pub(super) fn is_farewell(&self) -> bool {
        (self.direction, self.kind) == (Direction::ToServer, 'X')
    }
}

/// The bytes of the next message.
pub(super) async fn read(from: &mut (impl AsyncRead + Unpin)) -> io::Result<Vec<u8>> {
    let bytes = vec![from.read_u8().await?];
    rest(bytes, from).await
}

/// The bytes of the first message of a connection, which has no letter.
pub(super) async fn read_first(from: &mut (impl AsyncRead + Unpin)) -> io::Result<Vec<u8>> {
    rest(Vec::new(), from).await
}

/// Whether a first message asks for encryption, which is answered with one letter.
pub(super) fn asks_for_encryption(first: &[u8]) -> bool {
    const TLS: u32 = 80_877_103;
    const GSS: u32 = 80_877_104;
    first.get(4..8).is_some_and(|code| [TLS.to_be_bytes(), GSS.to_be_bytes()].iter().any(|ask| code == ask))
}

/// The length, which counts itself, and what it is the length of.
async fn rest(mut bytes: Vec<u8>, from: &mut (impl AsyncRead + Unpin)) -> io::Result<Vec<u8>> {
    let length = from.read_u32().await?;
    bytes.extend(length.to_be_bytes());
    let body = u64::from(length).checked_sub(4).ok_or(io::ErrorKind::InvalidData)?;
    match u64::try_from(from.take(body).read_to_end(&mut bytes).await?) {
        Ok(read) if read == body => Ok(bytes),
        _ => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}
