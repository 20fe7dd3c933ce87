//! Searches for characters that most texts do not contain.

/// Returns whether the text has a control character for which `counts` returns `true`.
pub(super) fn has_control(text: &str, counts: impl Fn(char) -> bool) -> bool {
    // In UTF-8, every control character beyond ASCII starts with the byte 0xc2.
    has(text, |byte| matches!(byte, 0..=0x1f | 0x7f | 0xc2), |c| c.is_control() && counts(c))
}

/// Returns whether the text contains a character that `is` accepts. The encoding of every such character must contain a
/// byte that `may_be` accepts. Most text contains no such byte, so its characters are never decoded.
pub(super) fn has(text: &str, may_be: impl Fn(u8) -> bool, is: impl Fn(char) -> bool) -> bool {
    text.bytes().fold(false, |any, byte| any | may_be(byte)) && text.chars().any(is)
}
