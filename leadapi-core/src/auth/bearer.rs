//! The token itself (contract D8): how it is made, read from a header, checked without a look-up, and stored.

use std::fmt;

use http::{HeaderMap, header};
use sha2::{Digest, Sha256};

use super::TokenHash;

const PREFIX: &str = "pak_";
const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// 43 characters of 62 each are 256.03 bits.
const RANDOM_CHARS: usize = 43;
const CHECKSUM_CHARS: usize = 6;
/// The value of each of those digits.
const PLACES: [u32; CHECKSUM_CHARS] = [916_132_832, 14_776_336, 238_328, 3_844, 62, 1];
/// So much of a token is kept for people to recognise it by: the prefix and four characters.
const HINT_CHARS: usize = PREFIX.len() + 4;

/// What is wrong with an `Authorization` header (contract D1, D2): the caller gets 401 and the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MalformedToken {
    /// There is no such header.
    #[error("missing token, send it as Bearer pak_...")]
    Missing,
    /// It is not one header of the form `Bearer pak_…`.
    #[error("malformed token, send it as Bearer pak_...")]
    Malformed,
}

/// An API token in clear: `pak_`, 43 random characters and a checksum of 6 (contract D8).
///
/// Its `Debug` shows nothing of it, and it can be neither displayed nor serialised.
///
/// ```
/// use leadapi_core::auth::BearerToken;
///
/// let token = BearerToken::generate()?;
/// assert!(token.has_good_checksum());
/// assert_eq!(token.expose().len(), 53);
/// assert_eq!(format!("{token:?}"), "BearerToken(..)");
/// # Ok::<(), getrandom::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct BearerToken(Box<str>);

impl BearerToken {
    /// Makes a new token from the system's random generator.
    ///
    /// # Errors
    ///
    /// The system has no random generator to give; nothing can be done but to mend the system.
    pub fn generate() -> Result<Self, getrandom::Error> {
        let mut token = String::from(PREFIX);
        let mut bytes = [0; 64];
        while token.len() < PREFIX.len() + RANDOM_CHARS {
            getrandom::fill(&mut bytes)?;
            // 248 is the greatest multiple of 62 in a byte: beyond it some characters would be likelier than others.
            let fair = bytes.iter().filter(|byte| **byte < 248);
            let missing = PREFIX.len() + RANDOM_CHARS - token.len();
            token.extend(fair.map(|byte| base62(u32::from(*byte))).take(missing));
        }
        let checksum = checksum(&token);
        token.push_str(&checksum);
        Ok(Self(token.into()))
    }

    /// Takes any text of the form `pak_…`: at least one more character, and all of them visible ASCII.
    ///
    /// A host's own verifier may accept tokens without our checksum, so that is asked apart, by
    /// [`has_good_checksum`](Self::has_good_checksum).
    ///
    /// ```
    /// # use leadapi_core::auth::BearerToken;
    /// assert!(BearerToken::parse("pak_of_a_host").is_ok());
    /// assert!(BearerToken::parse("sk_live").is_err());
    /// ```
    ///
    /// # Errors
    ///
    /// [`MalformedToken::Malformed`] when the text does not have that form.
    pub fn parse(text: &str) -> Result<Self, MalformedToken> {
        let random = text.strip_prefix(PREFIX).ok_or(MalformedToken::Malformed)?;
        let visible = !random.is_empty() && random.bytes().all(|byte| byte.is_ascii_graphic());
        if visible { Ok(Self(text.into())) } else { Err(MalformedToken::Malformed) }
    }

    /// Reads the one `Authorization: Bearer pak_…` header; `Bearer` in any case (contract D8).
    ///
    /// ```
    /// # use leadapi_core::auth::{BearerToken, MalformedToken};
    /// # use http::{HeaderMap, HeaderValue, header::AUTHORIZATION};
    /// let mut headers = HeaderMap::new();
    /// assert_eq!(BearerToken::from_headers(&headers), Err(MalformedToken::Missing));
    /// headers.insert(AUTHORIZATION, HeaderValue::from_static("bearer pak_x"));
    /// assert_eq!(BearerToken::from_headers(&headers)?.expose(), "pak_x");
    /// # Ok::<(), MalformedToken>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`MalformedToken`] when there is none, more than one, or one of another form.
    pub fn from_headers(headers: &HeaderMap) -> Result<Self, MalformedToken> {
        let mut values = headers.get_all(header::AUTHORIZATION).iter();
        let value = values.next().ok_or(MalformedToken::Missing)?;
        if values.next().is_some() {
            return Err(MalformedToken::Malformed);
        }
        let text = value.to_str().map_err(|_| MalformedToken::Malformed)?;
        let (scheme, token) = text.split_once(' ').ok_or(MalformedToken::Malformed)?;
        if !scheme.eq_ignore_ascii_case("bearer") {
            return Err(MalformedToken::Malformed);
        }
        Self::parse(token.trim_matches(' '))
    }

    /// Whether it has the form of contract D8 and its checksum is right: a mistyped one is refused without a look-up.
    ///
    /// ```
    /// # use leadapi_core::auth::BearerToken;
    /// let mistyped = "pak_0000000000000000000000000000000000000000000000000";
    /// assert!(!BearerToken::parse(mistyped)?.has_good_checksum());
    /// # Ok::<(), leadapi_core::auth::MalformedToken>(())
    /// ```
    pub fn has_good_checksum(&self) -> bool {
        let right_form = self.0.len() == PREFIX.len() + RANDOM_CHARS + CHECKSUM_CHARS
            && self.0.bytes().skip(PREFIX.len()).all(|byte| byte.is_ascii_alphanumeric());
        let Some((body, end)) = self.0.split_at_checked(PREFIX.len() + RANDOM_CHARS) else { return false };
        right_form && checksum(body) == end
    }

    /// The form in which it is stored and looked up.
    ///
    /// ```
    /// # use leadapi_core::auth::BearerToken;
    /// let token = BearerToken::parse("pak_x")?;
    /// assert_eq!(token.hash(), token.clone().hash());
    /// # Ok::<(), leadapi_core::auth::MalformedToken>(())
    /// ```
    pub fn hash(&self) -> TokenHash {
        TokenHash::from_bytes(Sha256::digest(self.0.as_bytes()).into())
    }

    /// The first characters, for people to recognise it by.
    ///
    /// ```
    /// # use leadapi_core::auth::BearerToken;
    /// assert_eq!(BearerToken::parse("pak_0123456789")?.hint(), "pak_0123");
    /// # Ok::<(), leadapi_core::auth::MalformedToken>(())
    /// ```
    pub fn hint(&self) -> &str {
        self.0.get(..HINT_CHARS).unwrap_or(PREFIX)
    }

    /// Whether a text can be the hint of a token. A longer one would be a part of the secret in clear.
    pub(crate) fn is_hint(text: &str) -> bool {
        Self::parse(text).is_ok_and(|token| token.0.len() <= HINT_CHARS) || text == PREFIX
    }

    /// The secret in clear, to be shown once or put into a header.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for BearerToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BearerToken(..)")
    }
}

/// The CRC-32 in base 62, most significant digit first, padded with `0`.
fn checksum(body: &str) -> String {
    let crc = crc32fast::hash(body.as_bytes());
    PLACES.iter().map(|place| base62(crc / place)).collect()
}

fn base62(number: u32) -> char {
    ALPHABET.get(number as usize % ALPHABET.len()).map_or('0', |byte| char::from(*byte))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use http::HeaderValue;

    use super::*;

    fn read(values: &[&str]) -> Result<BearerToken, MalformedToken> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(header::AUTHORIZATION, HeaderValue::from_bytes(value.as_bytes()).unwrap());
        }
        BearerToken::from_headers(&headers)
    }

    /// Computed with Python's zlib.crc32 and the alphabet of the contract.
    #[test]
    fn the_checksum_is_the_zlib_one() {
        let zeros = format!("pak_{}", "0".repeat(43));
        assert_eq!(checksum(&zeros), "2OZByn");
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
    fn each_mistyped_character_and_each_truncation_is_noticed() {
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
    fn the_header_is_read_strictly() {
        assert_eq!(read(&[]), Err(MalformedToken::Missing));
        for good in ["Bearer pak_x", "bearer pak_x", "BEARER  pak_x"] {
            assert_eq!(read(&[good]).unwrap().expose(), "pak_x");
        }
        for bad in [
            "",
            "Bearer",
            "Bearer ",
            "pak_x",
            "Basic pak_x",
            "Bearer pak_",
            "Bearer pak_a b",
            "Bearer PAK_x",
            "Bearer pak_é",
        ] {
            assert_eq!(read(&[bad]), Err(MalformedToken::Malformed), "{bad:?}");
        }
        assert_eq!(read(&["Bearer pak_x", "Bearer pak_x"]), Err(MalformedToken::Malformed));
    }

    #[test]
    fn debug_shows_nothing() {
        let token = BearerToken::generate().unwrap();
        assert_eq!(format!("{token:?} {:?}", token.hash()), "BearerToken(..) TokenHash(..)");
    }
}
