//! Builds HTTP/2 frames by hand (RFC 9113, 4.1), including invalid ones.

use bytes::{BufMut, BytesMut};

/// The connection preface, the first bytes that a client sends.
pub(super) const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

pub(super) const DATA: u8 = 0;
pub(super) const HEADERS: u8 = 1;
pub(super) const PRIORITY: u8 = 2;
pub(super) const RST_STREAM: u8 = 3;
pub(super) const SETTINGS: u8 = 4;
pub(super) const PING: u8 = 6;
pub(super) const GOAWAY: u8 = 7;
pub(super) const WINDOW_UPDATE: u8 = 8;
pub(super) const CONTINUATION: u8 = 9;

pub(super) const END_STREAM: u8 = 1;
pub(super) const END_HEADERS: u8 = 4;

pub(super) const INITIAL_WINDOW_SIZE: u16 = 4;

/// Appends one frame.
pub(super) fn frame(into: &mut BytesMut, frame_type: u8, flags: u8, stream: u32, payload: &[u8]) {
    into.put_uint(payload.len() as u64, 3);
    into.put_u8(frame_type);
    into.put_u8(flags);
    into.put_u32(stream);
    into.put_slice(payload);
}

/// Returns the connection preface followed by a SETTINGS frame.
pub(super) fn opening(settings: &[(u16, u32)]) -> BytesMut {
    let mut all = BytesMut::from(PREFACE);
    let payload: Vec<u8> =
        settings.iter().flat_map(|(id, value)| [&id.to_be_bytes()[..], &value.to_be_bytes()].concat()).collect();
    frame(&mut all, SETTINGS, 0, 0, &payload);
    all
}

/// Encodes fields as HPACK literals without indexing and without Huffman coding (RFC 7541, 6.2.2).
pub(super) fn fields<'a>(fields: impl IntoIterator<Item = (&'a str, &'a str)>) -> Vec<u8> {
    let mut block = Vec::new();
    for (name, value) in fields {
        block.push(0);
        string(&mut block, name);
        string(&mut block, value);
    }
    block
}

/// Encodes a field with incremental indexing, so it enters the dynamic table (RFC 7541, 6.2.1).
pub(super) fn indexed(name: &str, value: &str) -> Vec<u8> {
    let mut block = vec![0x40];
    string(&mut block, name);
    string(&mut block, value);
    block
}

fn string(block: &mut Vec<u8>, text: &str) {
    const PREFIX: usize = 127;
    let length = text.len();
    if length < PREFIX {
        block.push(length.to_le_bytes()[0]);
    } else {
        block.push(0x7f);
        let mut rest = length - PREFIX;
        while rest >= 128 {
            block.push((rest % 128 + 128).to_le_bytes()[0]);
            rest /= 128;
        }
        block.push(rest.to_le_bytes()[0]);
    }
    block.extend_from_slice(text.as_bytes());
}
