//! The secrets for signing in to the API settings.

use std::fmt;

use sha2::{Digest, Sha256};

use super::{
    NoRandomness, TokenHash,
    issue::{RANDOM_CHARS, random_text},
};

/// The error for text that is not a sign-in or session secret: 43 letters and digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be {RANDOM_CHARS} letters and digits")]
pub struct MalformedSecret;

macro_rules! secret {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        ///
        /// The secret consists of 43 random letters and digits, which carry 256 bits of entropy. Stores keep only its
        /// hash. The `Debug` output does not reveal the secret.
        ///
        /// ```
        #[doc = concat!("use leadapi_model::auth::", stringify!($name), ";")]
        ///
        #[doc = concat!("let secret = ", stringify!($name), "::generate()?;")]
        #[doc = concat!("assert_eq!(", stringify!($name), "::parse(secret.expose())?.hash(), secret.hash());")]
        #[doc = concat!("assert_eq!(format!(\"{secret:?}\"), \"", stringify!($name), "(..)\");")]
        /// # Ok::<(), Box<dyn std::error::Error>>(())
        /// ```
        #[derive(Clone)]
        pub struct $name(Box<str>);

        impl $name {
            /// Generates a secret with the system's random number generator.
            ///
            /// # Errors
            ///
            /// [`NoRandomness`] when the system's random number generator fails.
            pub fn generate() -> Result<Self, NoRandomness> {
                Ok(Self(random_text()?.into()))
            }

            /// Parses a secret.
            ///
            /// # Errors
            ///
            /// [`MalformedSecret`] when the text is not 43 letters and digits.
            pub fn parse(text: &str) -> Result<Self, MalformedSecret> {
                let well_formed = text.len() == RANDOM_CHARS && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
                if well_formed { Ok(Self(text.into())) } else { Err(MalformedSecret) }
            }

            /// Returns the secret in plain text, for example to put it into a link or a cookie.
            pub fn expose(&self) -> &str {
                &self.0
            }

            /// Returns the hash that a store keeps in place of the secret.
            pub fn hash(&self) -> TokenHash {
                TokenHash::from_bytes(Sha256::digest(self.0.as_bytes()).into())
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(concat!(stringify!($name), "(..)"))
            }
        }
    };
}

secret! {
    /// The secret in a sign-in link. It can start one session.
    LoginToken
}
secret! {
    /// The secret of a session. The browser keeps it in a cookie.
    SessionToken
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_43_letters_and_digits_are_well_formed() {
        assert!(SessionToken::parse(&"aZ9".repeat(15)[..43]).is_ok());
        for bad in ["", &"a".repeat(42), &"a".repeat(44), &format!("{}-", "a".repeat(42)), &"é".repeat(43)] {
            assert_eq!(SessionToken::parse(bad).unwrap_err(), MalformedSecret, "{bad}");
        }
    }
}
