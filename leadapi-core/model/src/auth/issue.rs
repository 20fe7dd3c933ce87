//! Token issuance (contract D8): generation, checksum verification, and the hash to store.

use sha2::{Digest, Sha256};

use super::{BearerToken, TokenHash, bearer::HINT_CHARS};
use crate::text::TOKEN_PREFIX;

const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// The number of random characters. With an alphabet of 62 characters, they carry 256.03 bits of entropy.
pub(super) const RANDOM_CHARS: usize = 43;
const CHECKSUM_CHARS: usize = 6;

/// The error returned when the system's random number generator fails. The caller cannot recover from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the system's random number generator failed")]
pub struct NoRandomness(#[source] getrandom::Error);

impl BearerToken {
    /// Generates a token with the system's random number generator.
    ///
    /// ```
    /// use leadapi_model::auth::BearerToken;
    ///
    /// let token = BearerToken::generate()?;
    /// assert!(token.has_good_checksum());
    /// assert_eq!(token.expose().len(), 53);
    /// # Ok::<(), leadapi_model::auth::NoRandomness>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`NoRandomness`] when the system's random number generator fails.
    pub fn generate() -> Result<Self, NoRandomness> {
        let mut token = format!("{TOKEN_PREFIX}{}", random_text()?);
        let checksum = checksum(&token);
        token.extend(checksum.map(char::from));
        Ok(Self(token.into()))
    }

    /// Returns whether the token has the format of contract D8 and a correct checksum. This check catches mistyped
    /// tokens without querying the store.
    ///
    /// ```
    /// # use leadapi_model::auth::BearerToken;
    /// let mistyped = "pak_0000000000000000000000000000000000000000000000000";
    /// assert!(!BearerToken::parse(mistyped)?.has_good_checksum());
    /// # Ok::<(), leadapi_model::auth::MalformedToken>(())
    /// ```
    pub fn has_good_checksum(&self) -> bool {
        let right_form = self.0.len() == TOKEN_PREFIX.len() + RANDOM_CHARS + CHECKSUM_CHARS
            && self.0.bytes().skip(TOKEN_PREFIX.len()).all(|byte| byte.is_ascii_alphanumeric());
        let Some((body, end)) = self.0.split_at_checked(TOKEN_PREFIX.len() + RANDOM_CHARS) else { return false };
        right_form && *end.as_bytes() == checksum(body)
    }

    /// Returns the hash under which the token is stored and looked up.
    ///
    /// ```
    /// # use leadapi_model::auth::BearerToken;
    /// let token = BearerToken::parse("pak_x")?;
    /// assert_eq!(token.hash(), token.clone().hash());
    /// # Ok::<(), leadapi_model::auth::MalformedToken>(())
    /// ```
    pub fn hash(&self) -> TokenHash {
        TokenHash::from_bytes(Sha256::digest(self.0.as_bytes()).into())
    }

    /// Returns whether the text is a valid token hint: `pak_` and at most four more characters. A longer hint would
    /// reveal more of the secret.
    ///
    /// ```
    /// # use leadapi_model::auth::BearerToken;
    /// assert!(BearerToken::is_hint("pak_3fA9"));
    /// assert!(!BearerToken::is_hint("pak_3fA9x"));
    /// ```
    pub fn is_hint(text: &str) -> bool {
        Self::parse(text).is_ok_and(|token| token.0.len() <= HINT_CHARS) || text == TOKEN_PREFIX
    }
}

/// Returns [`RANDOM_CHARS`] random base-62 characters.
pub(super) fn random_text() -> Result<String, NoRandomness> {
    let (mut text, mut bytes) = (String::with_capacity(RANDOM_CHARS), [0; 64]);
    while text.len() < RANDOM_CHARS {
        getrandom::fill(&mut bytes).map_err(NoRandomness)?;
        // 248 is the largest multiple of 62 that fits in a byte. Using bytes from 248 up would make some characters
        // more likely than others.
        let fair = bytes.iter().filter(|byte| **byte < 248);
        text.extend(fair.map(|byte| char::from(base62(u32::from(*byte)))).take(RANDOM_CHARS - text.len()));
    }
    Ok(text)
}

/// Returns the CRC-32 of `body` in base 62, most significant digit first, left-padded with `0`.
fn checksum(body: &str) -> [u8; CHECKSUM_CHARS] {
    let (mut left, mut digits) = (crc32fast::hash(body.as_bytes()), [b'0'; CHECKSUM_CHARS]);
    for digit in digits.iter_mut().rev() {
        *digit = base62(left);
        left /= 62;
    }
    digits
}

/// Returns the last base-62 digit of a number.
fn base62(number: u32) -> u8 {
    ALPHABET.get(number as usize % ALPHABET.len()).copied().unwrap_or(b'0')
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// The expected value was computed independently, with Python's `zlib.crc32` and the contract's alphabet.
    #[test]
    fn the_checksum_matches_zlib() {
        let zeros = format!("pak_{}", "0".repeat(43));
        assert!(checksum(&zeros) == *b"2OZByn");
        assert!(BearerToken::parse(&format!("{zeros}2OZByn")).unwrap().has_good_checksum());
    }

    #[test]
    fn generated_tokens_differ_and_use_the_whole_alphabet() {
        let tokens: Vec<String> = (0..200).map(|_| BearerToken::generate().unwrap().expose().to_owned()).collect();
        assert_eq!(tokens.iter().collect::<HashSet<_>>().len(), 200);
        let random = tokens.iter().flat_map(|token| token.get(4..47).unwrap().chars());
        assert_eq!(random.collect::<HashSet<_>>().len(), 62);
    }

    #[test]
    fn every_mistyped_character_and_every_truncation_is_detected() {
        let token = BearerToken::generate().unwrap();
        let text = token.expose();
        for at in 4..text.len() {
            let other = if text.as_bytes()[at] == b'a' { "b" } else { "a" };
            let mistyped = format!("{}{other}{}", &text[..at], &text[at + 1..]);
            assert!(!BearerToken::parse(&mistyped).unwrap().has_good_checksum(), "{at}");
            if at > 4 {
                assert!(!BearerToken::parse(&text[..at]).unwrap().has_good_checksum());
            }
        }
    }

    #[test]
    fn debug_output_hides_the_hash() {
        assert_eq!(format!("{:?}", BearerToken::generate().unwrap().hash()), "TokenHash(..)");
    }
}
