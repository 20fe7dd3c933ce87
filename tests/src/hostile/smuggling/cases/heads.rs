//! Request lines and header fields in unusual forms.

use super::{After, Cases};

impl Cases {
    pub(super) fn request_lines(&mut self) {
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
        // Without exactly one `Host` header, the target host is ambiguous (RFC 9112, 3.2).
        for hosts in ["", "host: localhost\r\nhost: localhost\r\n", "host: localhost\r\nhost: elsewhere\r\n"] {
            let (hidden, authorization) = (self.hidden(), &self.authorization);
            let length = format!("Content-Length: {}\r\n", hidden.len());
            let bytes =
                format!("POST /v1/leads HTTP/1.1\r\n{hosts}authorization: {authorization}\r\n{length}\r\n{hidden}");
            self.raw(format!("hosts: {hosts:?}"), bytes, After::Closed);
        }
    }

    pub(super) fn fields(&mut self) {
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
