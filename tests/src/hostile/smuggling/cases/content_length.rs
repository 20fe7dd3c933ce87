//! `Content-Length` headers in unusual forms, alone and repeated.

use super::{After, Cases};

impl Cases {
    pub(super) fn lengths(&mut self) {
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
                // A server may accept identical repeated values (RFC 9110, 8.6).
                let after = if same(first) && same(second) { After::Either } else { After::Closed };
                // Skips valid lengths that are shorter than the remaining bytes: every parser sees the rest as the next
                // request.
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
        // A server may accept a single LF as a line ending (RFC 9112, 2.2). If it does, the hidden request is part of
        // the body.
        for lines in ["X: y\nContent-Length: N\r\n", "Content-Length: N\n", "Content-Length: N\nX: y\n"] {
            let hidden = self.hidden();
            let filled = lines.replace('N', &hidden.len().to_string());
            self.post(format!("length: {lines:?}"), &filled, &hidden, After::Either);
        }
    }
}
