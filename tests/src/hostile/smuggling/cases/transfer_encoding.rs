//! `Transfer-Encoding` headers in unusual forms, alone and together with `Content-Length`.

use super::{After, Cases};

const TRANSFER_ENCODINGS: [&str; 20] = [
    "chunked",
    "Chunked",
    " \tchunked\t ",
    "xchunked",
    "chunkedx",
    "chunk",
    "identity",
    "gzip",
    "",
    "chunked, identity",
    "identity, chunked",
    "gzip, chunked",
    "chunked, chunked",
    "chunked,",
    ",chunked",
    "chunked;a=b",
    "\"chunked\"",
    "chunked chunked",
    "\u{b}chunked",
    "chunked\0",
];

/// Header names that some parsers mistake for `Transfer-Encoding`, but which are invalid or different names.
const NAMES: [(&str, After); 12] = [
    ("Transfer-Encoding ", After::Closed),
    ("Transfer-Encoding\t", After::Closed),
    (" Transfer-Encoding", After::Closed),
    ("\tTransfer-Encoding", After::Closed),
    ("Transfer-Encoding\0", After::Closed),
    ("\0Transfer-Encoding", After::Closed),
    ("Transfer Encoding", After::Closed),
    ("Transfer-Encoding\u{b}", After::Closed),
    ("X: y\rTransfer-Encoding", After::Closed),
    ("Transfer_Encoding", After::Served),
    ("X-Transfer-Encoding", After::Served),
    ("Transfer-Encodin", After::Served),
];

impl Cases {
    pub(super) fn lengths_with_encodings(&mut self) {
        for encoding in TRANSFER_ENCODINGS {
            for length_first in [true, false] {
                for short_in_chunks in [true, false] {
                    let (body, length) = if short_in_chunks { self.short_in_chunks() } else { self.short_in_length() };
                    let (length, encoding) =
                        (format!("Content-Length: {length}\r\n"), format!("Transfer-Encoding: {encoding}\r\n"));
                    let lines = if length_first { length + &encoding } else { encoding + &length };
                    self.post(format!("both: {lines:?} {short_in_chunks}"), &lines, &body, After::Closed);
                }
            }
        }
        for (name, after) in NAMES {
            let (body, length) = self.short_in_chunks();
            let lines = format!("Content-Length: {length}\r\n{name}: chunked\r\n");
            self.post(format!("both: {lines:?}"), &lines, &body, after);
            let (body, length) = self.short_in_chunks();
            let lines = format!("{name}: chunked\r\nContent-Length: {length}\r\n");
            self.post(format!("both: {lines:?}"), &lines, &body, after);
        }
        for lines in [
            "Transfer-Encoding:\r\n chunked\r\nContent-Length: LENGTH\r\n",
            "Content-Length: LENGTH\r\nTransfer-Encoding:\r\n\tchunked\r\n",
            "Content-Length: LENGTH\r\nX: y\r\n Transfer-Encoding: chunked\r\n",
            "Content-Length: LENGTH\r\nTransfer-Encoding: x\r\n chunked\r\n",
            "Content-Length: LENGTH\r\nX: y\nTransfer-Encoding: chunked\r\n",
            "X: y\nTransfer-Encoding: chunked\nContent-Length: LENGTH\r\n",
            "Content-Length: LENGTH\r\n\rTransfer-Encoding: chunked\r\n",
        ] {
            let (body, length) = self.short_in_chunks();
            self.post(format!("both: {lines:?}"), &lines.replace("LENGTH", &length.to_string()), &body, After::Closed);
        }
    }

    pub(super) fn encodings(&mut self) {
        for encoding in TRANSFER_ENCODINGS {
            let is_plain = encoding.trim().eq_ignore_ascii_case("chunked") && !encoding.starts_with('\u{b}');
            let after = if is_plain { After::Served } else { After::Closed };
            let (body, _) = self.short_in_length();
            self.post(format!("encoding: {encoding:?}"), &format!("Transfer-Encoding: {encoding}\r\n"), &body, after);
            let (body, _) = self.short_in_length();
            let head =
                format!("POST /v1/leads HTTP/1.0\r\nconnection: keep-alive\r\nTransfer-Encoding: {encoding}\r\n");
            self.raw(format!("encoding in HTTP/1.0: {encoding:?}"), format!("{head}\r\n{body}"), After::Closed);
        }
        for first in ["chunked", "identity", "gzip", "", "xchunked"] {
            for second in ["chunked", "identity", "gzip", "", "xchunked"] {
                let (body, _) = self.short_in_length();
                let lines = format!("Transfer-Encoding: {first}\r\nTransfer-Encoding: {second}\r\n");
                self.post(format!("two encodings: {first:?}, {second:?}"), &lines, &body, After::Closed);
            }
        }
    }
}
