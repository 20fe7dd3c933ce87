//! Conversion between 32-byte hashes and 64 lower-case hexadecimal digits, the format of hashes in data set files.

use std::fmt::Write;

/// Returns the hexadecimal digits of a hash.
///
/// ```
/// assert_eq!(leadapi_model::hex::encode(&[0xa7; 32]), "a7".repeat(32));
/// ```
pub fn encode(bytes: &[u8; 32]) -> String {
    bytes.iter().fold(String::with_capacity(64), |mut text, byte| {
        // Writing to a `String` cannot fail.
        write!(text, "{byte:02x}").unwrap_or_default();
        text
    })
}

/// Decodes 64 lower-case hexadecimal digits. Returns `None` if the text has any other form.
///
/// ```
/// use leadapi_model::hex::decode;
///
/// assert_eq!(decode(&"a7".repeat(32)), Some([0xa7; 32]));
/// assert_eq!(decode(&"A7".repeat(32)), None);
/// ```
pub fn decode(text: &str) -> Option<[u8; 32]> {
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    let (pairs, odd) = text.as_bytes().as_chunks();
    let bytes: Option<Vec<u8>> = pairs.iter().map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?)).collect();
    bytes?.try_into().ok().filter(|_| odd.is_empty())
}
