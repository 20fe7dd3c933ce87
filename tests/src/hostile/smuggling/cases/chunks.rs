//! Chunk sizes, chunk ends and trailers in unusual forms.

use super::{After, Cases};

impl Cases {
    pub(super) fn chunks(&mut self) {
        let sizes: [(&str, After); 35] = [
            ("N\r\n", After::Served),
            ("000N\r\n", After::Served),
            ("N;a\r\n", After::Served),
            ("N;a=b\r\n", After::Served),
            ("N;a=\"b\"\r\n", After::Served),
            ("N;a=b;c=d\r\n", After::Served),
            // Older specifications allowed whitespace as padding here. All parsers that accept these lines agree on
            // where the chunk size ends, so both outcomes are safe.
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
        // These chunks are longer or shorter than their declared size, or do not end with a single CRLF.
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

    pub(super) fn trailers(&mut self) {
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
}
