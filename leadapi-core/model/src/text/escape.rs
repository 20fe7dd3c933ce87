//! Escapes of single bytes in URLs and JSON.

/// Decodes the first byte of the text. Returns the byte and the length of its encoding, which may be an escape such as
/// `%41`, `%2541` or `\u0041`.
pub(super) fn unescape_first(text: &[u8]) -> Option<(u8, usize)> {
    let hex = |at: usize| {
        let digits = str::from_utf8(text.get(at..at + 2)?).ok()?;
        u8::from_str_radix(digits, 16).ok()
    };
    match text {
        [b'%', ..] => {
            // The percent sign may be escaped too, any number of times.
            let mut at = 1;
            while text.get(at..at + 2) == Some(b"25") {
                at += 2;
            }
            Some(hex(at).map_or((b'%', 1), |byte| (byte, at + 2)))
        }
        [b'\\', b'u', b'0', b'0', ..] => Some(hex(4).map_or((b'\\', 1), |byte| (byte, 6))),
        [first, ..] => Some((*first, 1)),
        [] => None,
    }
}
