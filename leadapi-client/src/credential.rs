//! A client's token, or a string to parse as a token.

use leadapi_model::auth::{BearerToken, MalformedToken};

/// A token, or a string to parse as a token. If the string is malformed, building the client fails.
///
/// Whitespace around the string is trimmed, because a token read from a file often ends with a line break. The `Debug`
/// output does not contain the token.
///
/// ```
/// use leadapi_client::Credential;
///
/// let from_a_file = Credential::from("pak_0123456789\n");
/// assert_eq!(format!("{from_a_file:?}"), "Credential(..)");
/// ```
#[derive(Clone)]
pub struct Credential(Result<BearerToken, MalformedToken>);

impl Credential {
    pub(crate) fn into_token(self) -> Result<BearerToken, MalformedToken> {
        self.0
    }
}

impl From<BearerToken> for Credential {
    fn from(token: BearerToken) -> Self {
        Self(Ok(token))
    }
}

impl From<&BearerToken> for Credential {
    fn from(token: &BearerToken) -> Self {
        Self(Ok(token.clone()))
    }
}

impl From<&str> for Credential {
    fn from(text: &str) -> Self {
        Self(BearerToken::parse(text.trim()))
    }
}

impl From<String> for Credential {
    fn from(text: String) -> Self {
        text.as_str().into()
    }
}

impl From<&String> for Credential {
    fn from(text: &String) -> Self {
        text.as_str().into()
    }
}

impl std::fmt::Debug for Credential {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Credential(..)")
    }
}
