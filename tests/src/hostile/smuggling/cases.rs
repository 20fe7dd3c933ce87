//! The requests, generated from lists of odd elements.

use super::{After, Case, hidden, plain};

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

/// Names that some parsers take for `Transfer-Encoding`, but which are another name or invalid.
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

/// Returns all cases.
pub fn cases(authorization: &str) -> Vec<Case> {
    let mut all = Cases { authorization: authorization.to_owned(), cases: Vec::new() };
    all.lengths_with_encodings();
    all.encodings();
    all.lengths();
    all.chunks();
    all.trailers();
    all.request_lines();
    all.fields();
    all.cases
}

struct Cases {
    authorization: String,
    cases: Vec<Case>,
}

impl Cases {
    /// Returns the request that the next case hides.
    fn hidden(&self) -> String {
        plain(&hidden(self.cases.len()), &self.authorization, "")
    }

    fn raw(&mut self, name: String, bytes: String, after: After) {
        self.cases.push(Case { name, bytes: bytes.into_bytes(), after });
    }

    /// Adds a POST with these lines in its head, each with its own line end.
    fn post(&mut self, name: String, lines: &str, body: &str, after: After) {
        let authorization = &self.authorization;
        let head = format!("POST /v1/leads HTTP/1.1\r\nhost: localhost\r\nauthorization: {authorization}\r\n");
        self.raw(name, format!("{head}{lines}\r\n{body}"), after);
    }

    /// Returns a body that ends early for a parser of chunks, and its length.
    fn short_in_chunks(&self) -> (String, usize) {
        let body = format!("0\r\n\r\n{}", self.hidden());
        let length = body.len();
        (body, length)
    }

    /// Returns a body that hides a request in a chunk, and a length that ends before the hidden request.
    fn short_in_length(&self) -> (String, usize) {
        let hidden = self.hidden();
        let size = format!("{:x}\r\n", hidden.len());
        let length = size.len();
        (format!("{size}{hidden}\r\n0\r\n\r\n"), length)
    }

    fn lengths_with_encodings(&mut self) {
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

    fn encodings(&mut self) {
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

    fn lengths(&mut self) {
        let is_legal = |form: &str| matches!(form, "N" | " N" | "N \t" | "000N");
        let forms = [
            "N",
            " N",
            "N \t",
            "000N",
            "+N",
            "-N",
            "0xN",
            "N.0",
            "Ne0",
            "N;",
            "N,",
            ",N",
            "N N",
            "\"N\"",
            "'N'",
            "N\0",
            "\u{b}N",
            "N\u{b}",
            "N_0",
            "",
            "x",
            "N, N",
            "N,0",
            "0, N",
            "1844674407370955161N",
            "99999999999999999999",
            "-1",
            "\u{663}",
        ];
        for form in forms {
            let hidden = self.hidden();
            let value = form.replace('N', &hidden.len().to_string());
            let after = if is_legal(form) { After::Served } else { After::Closed };
            self.post(format!("length: {form:?}"), &format!("Content-Length: {value}\r\n"), &hidden, after);
        }
        for first in ["N", "0", "+N", "000N", "M", "N, N"] {
            for second in ["N", "0", "+N", "000N", "M", "N, N"] {
                let hidden = self.hidden();
                let (n, m) = (hidden.len().to_string(), (hidden.len() - 1).to_string());
                let value = |form: &str| form.replace('N', &n).replace('M', &m);
                let lines = format!("Content-Length: {}\r\nContent-Length: {}\r\n", value(first), value(second));
                let same = |form| matches!(form, "N" | "000N");
                // A server may take the same number twice for one (RFC 9110, 8.6). It may also accept a body that is
                // shorter than the bytes after the head: the rest is then the next request, and openly so.
                let after = if same(first) && same(second) { After::Either } else { After::Closed };
                if matches!((first, second), ("0", "0") | ("M", "M")) {
                    continue;
                }
                self.post(format!("two lengths: {first:?}, {second:?}"), &lines, &hidden, after);
            }
        }
        for name in ["Content-Length ", "Content-Length\t", " Content-Length", "Content-Length\0", "Content Length"] {
            let hidden = self.hidden();
            let lines = format!("{name}: {}\r\n", hidden.len());
            self.post(format!("length: {lines:?}"), &lines, &hidden, After::Closed);
        }
        for lines in ["Content-Length:\r\n N\r\n", "X: y\r\n Content-Length: N\r\n", "X: y\rContent-Length: N\r\n"] {
            let hidden = self.hidden();
            let filled = lines.replace('N', &hidden.len().to_string());
            self.post(format!("length: {lines:?}"), &filled, &hidden, After::Closed);
        }
        // A server may take a single LF for the end of a line (RFC 9112, 2.2). The hidden request is then in the
        // body.
        for lines in ["X: y\nContent-Length: N\r\n", "Content-Length: N\n", "Content-Length: N\nX: y\n"] {
            let hidden = self.hidden();
            let filled = lines.replace('N', &hidden.len().to_string());
            self.post(format!("length: {lines:?}"), &filled, &hidden, After::Either);
        }
    }

    fn chunks(&mut self) {
        let sizes: [(&str, After); 35] = [
            ("N\r\n", After::Served),
            ("000N\r\n", After::Served),
            ("N;a\r\n", After::Served),
            ("N;a=b\r\n", After::Served),
            ("N;a=\"b\"\r\n", After::Served),
            ("N;a=b;c=d\r\n", After::Served),
            // White space was once padding there, and no two parsers end the size at different bytes because of it.
            ("N \r\n", After::Either),
            ("N\t\r\n", After::Either),
            ("N ;a\r\n", After::Either),
            ("N;\r\n", After::Either),
            ("N;a\0\r\n", After::Either),
            ("N;a\"\r\n", After::Either),
            (" N\r\n", After::Closed),
            ("\tN\r\n", After::Closed),
            ("+N\r\n", After::Closed),
            ("-N\r\n", After::Closed),
            ("0xN\r\n", After::Closed),
            ("xN\r\n", After::Closed),
            ("#N\r\n", After::Closed),
            ("Ng\r\n", After::Closed),
            ("N_0\r\n", After::Closed),
            ("N.0\r\n", After::Closed),
            ("N,N\r\n", After::Closed),
            ("N N\r\n", After::Closed),
            ("N\0\r\n", After::Closed),
            ("N\u{b}\r\n", After::Closed),
            ("N\n", After::Closed),
            ("N\r", After::Closed),
            ("N\r\r\n", After::Closed),
            ("N;a\n", After::Closed),
            ("N;a\nb\r\n", After::Closed),
            ("N;a\rb\r\n", After::Closed),
            ("\r\n", After::Closed),
            ("10000000000000000N\r\n", After::Closed),
            ("fffffffffffffffff\r\n", After::Closed),
        ];
        for (size, after) in sizes {
            let hidden = self.hidden();
            let size = (size.replace('N', &format!("{:x}", hidden.len())), size);
            let body = format!("{}{hidden}\r\n0\r\n\r\n", size.0);
            self.chunked(format!("chunk: {:?}", size.1), &body, after);
        }
        // The chunk is longer or shorter than its size, or ends differently.
        for (more, end) in [
            (1, "\r\n"),
            (2, "\r\n"),
            (-1, "\r\n"),
            (-2, "\r\n"),
            (0, ""),
            (0, "\n"),
            (0, "\r"),
            (0, "\n\r"),
            (0, "xx"),
            (0, "\r\n\r\n"),
        ] {
            let hidden = self.hidden();
            let size = hidden.len().saturating_add_signed(more);
            self.chunked(
                format!("chunk: {more:+} {end:?}"),
                &format!("{size:x}\r\n{hidden}{end}0\r\n\r\n"),
                After::Closed,
            );
        }
    }

    fn trailers(&mut self) {
        for (last, after) in [
            ("0\r\n\r\n", After::Served),
            ("0000\r\n\r\n", After::Served),
            ("0;a=b\r\n\r\n", After::Served),
            ("0\r\nX: y\r\n\r\n", After::Served),
            ("0\r\nContent-Length: 5\r\n\r\n", After::Served),
            ("0\r\nTransfer-Encoding: chunked\r\n\r\n", After::Served),
            ("0\r\nHost: elsewhere\r\n\r\n", After::Served),
            ("0\r\nX : y\r\n\r\n", After::Either),
            ("0\r\nno field\r\n\r\n", After::Either),
            ("0\r\nX: y\r\n folded\r\n\r\n", After::Either),
            ("0\r\nX: \0\r\n\r\n", After::Either),
            ("0\n\n", After::Closed),
            ("0\r\n\n", After::Either),
            ("0\n\r\n", After::Closed),
            ("0\r\r\n\r\n", After::Closed),
            ("-0\r\n\r\n", After::Closed),
            ("0x0\r\n\r\n", After::Closed),
            ("\r\n\r\n", After::Closed),
        ] {
            let hidden = self.hidden();
            let body = format!("{:x}\r\n{hidden}\r\n{last}", hidden.len());
            self.chunked(format!("last chunk: {last:?}"), &body, after);
        }
        // The hidden request takes the position of the trailers.
        for before in ["0\r\n", "0\r\nX: y\r\n", "0;a\r\n"] {
            let body = format!("{before}{}", self.hidden());
            self.chunked(format!("trailers: {before:?} and a request"), &body, After::Either);
        }
    }

    fn chunked(&mut self, name: String, body: &str, after: After) {
        self.post(name, "Transfer-Encoding: chunked\r\n", body, after);
    }

    fn request_lines(&mut self) {
        let lines = [
            "GET /v1/clients",
            "GET  /v1/clients HTTP/1.1",
            "GET\t/v1/clients HTTP/1.1",
            "GET /v1/clients\tHTTP/1.1",
            "GET /v1/clients HTTP/1.1 ",
            "GET /v1/clients HTTP/1.2",
            "GET /v1/clients HTTP/1.10",
            "GET /v1/clients HTTP/2.0",
            "GET /v1/clients HTTP/0.9",
            "GET /v1/clients HTTP/11",
            "GET /v1/clients http/1.1",
            "GET /v1/clients HTTP/1,1",
            "GET /v1/clients HTTP/1.1\u{b}",
            "GET /v1/clients HTTP/1.1\0",
            "GET /v1/cli\0ents HTTP/1.1",
            "GET /v1/cli\u{7f}ents HTTP/1.1",
            "GET /v1/cli ents HTTP/1.1",
            "GET /v1/cli\rents HTTP/1.1",
            "GET v1/clients HTTP/1.1",
            "GET HTTP/1.1",
            "G ET /v1/clients HTTP/1.1",
            "G\0ET /v1/clients HTTP/1.1",
            "G@{}T /v1/clients HTTP/1.1",
            " GET /v1/clients HTTP/1.1",
            "\u{b}GET /v1/clients HTTP/1.1",
            "\0GET /v1/clients HTTP/1.1",
            "CONNECT localhost:80 HTTP/1.1",
        ];
        for line in lines {
            let (hidden, authorization) = (self.hidden(), &self.authorization);
            let bytes = format!("{line}\r\nhost: localhost\r\nauthorization: {authorization}\r\n\r\n{hidden}");
            self.raw(format!("line: {line:?}"), bytes, After::Closed);
        }
        for (line, lines) in [
            ("POST http://localhost/v1/leads HTTP/1.1", "host: localhost\r\n"),
            ("POST http://elsewhere/v1/leads HTTP/1.1", "host: localhost\r\n"),
            ("POST /v1/leads HTTP/1.0", "host: localhost\r\nconnection: keep-alive\r\n"),
            ("POST /v1/leads HTTP/1.1", "host: localhost\r\nExpect: 100-continue\r\n"),
            ("POST /v1/leads HTTP/1.1", "host: localhost\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n"),
            ("POST /v1/leads HTTP/1.1", "host: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"),
            ("GET /v1/clients HTTP/1.1", "host: localhost\r\n"),
            ("HEAD /v1/clients HTTP/1.1", "host: localhost\r\n"),
            ("TRACE /v1/clients HTTP/1.1", "host: localhost\r\n"),
            ("OPTIONS * HTTP/1.1", "host: localhost\r\n"),
            ("\r\nPOST /v1/leads HTTP/1.1", "host: localhost\r\n"),
            ("POST /v1/leads HTTP/1.1", "host: localhost\r\nConnection: close, Content-Length\r\n"),
        ] {
            let (hidden, authorization) = (self.hidden(), &self.authorization);
            let length = format!("Content-Length: {}\r\n", hidden.len());
            let bytes = format!("{line}\r\n{lines}authorization: {authorization}\r\n{length}\r\n{hidden}");
            self.raw(format!("line: {line:?} {lines:?}"), bytes, After::Either);
        }
        // RFC 9112, 3.2: without exactly one host, the server cannot know which host is meant.
        for hosts in ["", "host: localhost\r\nhost: localhost\r\n", "host: localhost\r\nhost: elsewhere\r\n"] {
            let (hidden, authorization) = (self.hidden(), &self.authorization);
            let length = format!("Content-Length: {}\r\n", hidden.len());
            let bytes =
                format!("POST /v1/leads HTTP/1.1\r\n{hosts}authorization: {authorization}\r\n{length}\r\n{hidden}");
            self.raw(format!("hosts: {hosts:?}"), bytes, After::Closed);
        }
    }

    fn fields(&mut self) {
        let controls = (0_u8..0x20).chain([0x7f]).map(char::from).filter(|byte| !"\t\r\n".contains(*byte));
        let values: Vec<String> = controls.clone().chain(['\r']).map(|byte| format!("x-a: a{byte}b")).collect();
        let names = controls.chain(" \t\"(),/;<=>?@[\\]{}".chars()).map(|byte| format!("x{byte}a: b"));
        let others =
            [": b", "no colon", "x-a: b\r\n folded", "x-a: b\r\n\tfolded", "x-a\r\n: b", "é: b"].map(str::to_owned);
        for line in values.into_iter().chain(names).chain(others) {
            let hidden = self.hidden();
            let lines = format!("{line}\r\nContent-Length: {}\r\n", hidden.len());
            self.post(format!("field: {line:?}"), &lines, &hidden, After::Closed);
        }
    }
}
