//! Masks a known token in text, even if the token is encoded, split or incomplete.

use std::{collections::BTreeSet, ops::Range};

use super::{MASK, escape::unescape_first};

/// The minimum length of a token fragment to mask. Shorter fragments often occur in unrelated text.
const MIN_PART: usize = 8;

/// Replaces a known token with `pak_[token]`, even if it is URL-escaped, JSON-escaped, base64-encoded, in a different
/// case, interrupted by other characters, or incomplete.
///
/// Only letters and digits are compared, ignoring case and escapes, so characters between them do not matter.
///
/// ```
/// use leadapi_model::text::mask_known_token;
///
/// let token = "pak_Zq7RkV2mXcB9";
/// assert_eq!(mask_known_token("it begins with Zq7RkV2m", token), "it begins with pak_[token]");
/// ```
pub fn mask_known_token(text: &str, token: &str) -> String {
    let letters = letters(text);
    let bare: Vec<u8> = letters.iter().map(|letter| letter.byte).collect();
    let needles = needles(token);
    let mut masked = vec![false; bare.len()];
    for length in needles.iter().map(|needle| needle.len().min(MIN_PART)).collect::<BTreeSet<_>>() {
        let of_length = needles.iter().filter(|needle| needle.len().min(MIN_PART) == length);
        let parts: BTreeSet<&[u8]> = of_length.flat_map(|needle| needle.windows(length.max(1))).collect();
        for (at, window) in bare.windows(length.max(1)).enumerate() {
            if parts.contains(window) {
                masked.iter_mut().skip(at).take(length).for_each(|masked| *masked = true);
            }
        }
    }
    let mut masked_text = String::with_capacity(text.len());
    let (mut from, mut within) = (0, false);
    for (letter, masked) in letters.iter().zip(masked) {
        if masked {
            if !within {
                masked_text += text.get(from..letter.at.start).unwrap_or_default();
                masked_text += MASK;
            }
            from = letter.at.end;
        }
        within = masked;
    }
    masked_text + text.get(from..).unwrap_or_default()
}

/// Returns the sequences of letters and digits to search for: the token, and its base64 encoding at each of three
/// alignments.
fn needles(token: &str) -> Vec<Vec<u8>> {
    let bare = |text: &str| letters(text).iter().map(|letter| letter.byte).collect::<Vec<u8>>();
    let mut needles: Vec<Vec<u8>> = (0..3).map(|before| bare(&base64_within(token.as_bytes(), before))).collect();
    needles.push(bare(token));
    needles.retain(|needle| !needle.is_empty());
    needles
}

/// Returns the base64 digits of the complete three-byte groups within `bytes`, when `before` other bytes precede them.
fn base64_within(bytes: &[u8], before: usize) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let whole = bytes.get((3 - before) % 3..).unwrap_or_default();
    let digits = whole.chunks_exact(3).flat_map(|triple| {
        let bits = triple.iter().fold(0_usize, |bits, byte| bits << 8 | usize::from(*byte));
        [18, 12, 6, 0].map(|shift| DIGITS.get(bits >> shift & 63).copied().unwrap_or_default())
    });
    digits.map(char::from).collect()
}

/// A lower-case letter or a digit, and its range in the text, including any escape.
struct Letter {
    byte: u8,
    at: Range<usize>,
}

fn letters(text: &str) -> Vec<Letter> {
    let mut letters = Vec::new();
    let mut from = 0;
    while let Some((byte, length)) = text.as_bytes().get(from..).and_then(unescape_first) {
        if byte.is_ascii_alphanumeric() {
            letters.push(Letter { byte: byte.to_ascii_lowercase(), at: from..from + length });
        }
        from += length;
    }
    letters
}
