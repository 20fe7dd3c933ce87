//! The bearer token (contract D8) and its parsing from the `Authorization` header.

use std::fmt;

use http::{HeaderMap, header};

use crate::id::is_visible;
pub(super) use crate::text::TOKEN_PREFIX as PREFIX;

/// The authentication scheme and the space that follows it.
const SCHEME: &str = "bearer ";
/// The length of a token hint: the prefix and four more characters, enough for people to recognize the token.
pub(super) const HINT_CHARS: usize = PREFIX.len() + 4;

/// The error for an `Authorization` header that is missing or malformed, and for text that is not a well-formed token.
/// The service responds with 401, and its error object contains this message (contract D1, D2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MalformedToken {
    /// The header is missing.
    #[error("missing token, send it as Bearer pak_...")]
    Missing,
    /// The header is repeated or does not have the form `Bearer pak_…`, or the token is not well-formed.
    #[error("malformed token, send it as Bearer pak_...")]
    Malformed,
}

/// An API token in plain text. A token that this crate generates consists of `pak_`, 43 random characters and a
/// checksum of 6 characters (contract D8).
///
/// Its `Debug` output does not reveal the token, and it implements neither `Display` nor `Serialize`.
///
/// ```
/// use leadapi_model::auth::BearerToken;
///
/// let token = BearerToken::parse("pak_0123456789")?;
/// assert_eq!(token.expose().len(), 14);
/// assert_eq!(format!("{token:?}"), "BearerToken(..)");
/// # Ok::<(), leadapi_model::auth::MalformedToken>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct BearerToken(pub(super) Box<str>);

impl BearerToken {
    /// Parses a token: `pak_` followed by one or more visible ASCII characters.
    ///
    /// The checksum is verified separately, by `has_good_checksum`, because a host's own verifier may accept tokens
    /// without a checksum.
    ///
    /// ```
    /// # use leadapi_model::auth::BearerToken;
    /// assert!(BearerToken::parse("pak_of_a_host").is_ok());
    /// assert!(BearerToken::parse("sk_live").is_err());
    /// ```
    ///
    /// # Errors
    ///
    /// [`MalformedToken::Malformed`] when the text does not have this form.
    pub fn parse(text: &str) -> Result<Self, MalformedToken> {
        let random = text.strip_prefix(PREFIX).ok_or(MalformedToken::Malformed)?;
        if !random.is_empty() && is_visible(random) { Ok(Self(text.into())) } else { Err(MalformedToken::Malformed) }
    }

    /// Reads the token from the `Authorization: Bearer pak_…` header. The scheme is case-insensitive (contract D8).
    ///
    /// ```
    /// # use leadapi_model::auth::{BearerToken, MalformedToken};
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
    /// [`MalformedToken`] when the header is missing, repeated or malformed.
    pub fn from_headers(headers: &HeaderMap) -> Result<Self, MalformedToken> {
        let mut values = headers.get_all(header::AUTHORIZATION).iter();
        let value = values.next().ok_or(MalformedToken::Missing)?;
        if values.next().is_some() {
            return Err(MalformedToken::Malformed);
        }
        let text = str::from_utf8(value.as_bytes()).map_err(|_| MalformedToken::Malformed)?;
        match text.split_at_checked(SCHEME.len()) {
            Some((scheme, token)) if scheme.eq_ignore_ascii_case(SCHEME) => Self::parse(token.trim_matches(' ')),
            _ => Err(MalformedToken::Malformed),
        }
    }

    /// Returns the first eight characters of the token, so that people can recognize it. For a shorter token, returns
    /// only `pak_`.
    ///
    /// ```
    /// # use leadapi_model::auth::BearerToken;
    /// assert_eq!(BearerToken::parse("pak_0123456789")?.hint(), "pak_0123");
    /// # Ok::<(), leadapi_model::auth::MalformedToken>(())
    /// ```
    pub fn hint(&self) -> &str {
        self.0.get(..HINT_CHARS).unwrap_or(PREFIX)
    }

    /// Returns the token in plain text, for example to show it once or to send it in a header.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for BearerToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BearerToken(..)")
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn read(values: &[&str]) -> Result<BearerToken, MalformedToken> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(header::AUTHORIZATION, HeaderValue::from_bytes(value.as_bytes()).unwrap());
        }
        BearerToken::from_headers(&headers)
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
    fn debug_output_hides_the_token() {
        assert_eq!(format!("{:?}", BearerToken::parse("pak_x").unwrap()), "BearerToken(..)");
    }
}
