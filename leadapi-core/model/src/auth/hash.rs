//! The hash of a token (contract D8).

use std::fmt;

use crate::hex;

/// The SHA-256 hash of a token, stored in place of the token itself (contract D8).
///
/// Its `Debug` output hides the hash, so that an attacker cannot match leaked logs against a token table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TokenHash([u8; 32]);

/// The error for text that is not a token hash: 64 lower-case hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be 64 hexadecimal digits in lower case")]
pub struct InvalidTokenHash;

impl TokenHash {
    /// Returns the bytes to store.
    pub const fn to_bytes(self) -> [u8; 32] {
        self.0
    }

    /// Creates a hash from stored bytes.
    ///
    /// ```
    /// # use leadapi_model::auth::TokenHash;
    /// assert_eq!(TokenHash::from_bytes([7; 32]).to_bytes(), [7; 32]);
    /// ```
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Returns the hash in the data set format: 64 lower-case hexadecimal digits.
    ///
    /// ```
    /// # use leadapi_model::auth::TokenHash;
    /// assert_eq!(TokenHash::from_bytes([0xa7; 32]).to_hex(), "a7".repeat(32));
    /// ```
    pub fn to_hex(self) -> String {
        hex::encode(&self.0)
    }

    /// Parses a hash in the data set format.
    ///
    /// ```
    /// # use leadapi_model::auth::TokenHash;
    /// assert_eq!(TokenHash::from_hex(&"a7".repeat(32))?.to_bytes(), [0xa7; 32]);
    /// assert!(TokenHash::from_hex(&"A7".repeat(32)).is_err());
    /// # Ok::<(), leadapi_model::auth::InvalidTokenHash>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidTokenHash`] when the text is not 64 lower-case hexadecimal digits.
    pub fn from_hex(text: &str) -> Result<Self, InvalidTokenHash> {
        hex::decode(text).map(Self).ok_or(InvalidTokenHash)
    }
}

impl fmt::Debug for TokenHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenHash(..)")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn text_other_than_64_lower_case_digits_is_refused() {
        let good = "0123456789abcdef".repeat(4);
        assert!(TokenHash::from_hex(&good).is_ok());
        for bad in ["", "0", &good[1..], &format!("{good}0"), &good.to_uppercase(), &good.replace('0', "+")] {
            assert_eq!(TokenHash::from_hex(bad), Err(InvalidTokenHash), "{bad}");
        }
        assert_eq!(TokenHash::from_hex(&"é".repeat(32)), Err(InvalidTokenHash));
    }

    proptest! {
        #[test]
        fn every_hash_round_trips_through_hexadecimal(bytes: [u8; 32]) {
            let hash = TokenHash::from_bytes(bytes);
            prop_assert_eq!(TokenHash::from_hex(&hash.to_hex()), Ok(hash));
        }
    }
}
