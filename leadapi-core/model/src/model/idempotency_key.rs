//! The idempotency key of a create (contract D10).

use std::{
    fmt,
    hash::{BuildHasher, RandomState},
    process,
    sync::Arc,
    time::SystemTime,
};

/// The error for text that is not an idempotency key: 1 to 255 visible ASCII characters (contract D10).
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be 1 to {} visible ASCII characters", IdempotencyKey::MAX_CHARS)]
pub struct InvalidIdempotencyKey;

/// A key that a caller assigns to one create, so that a retry does not create a second lead (contract D10).
///
/// ```
/// use leadapi_model::model::IdempotencyKey;
///
/// assert_eq!(IdempotencyKey::parse("import-7/row-12")?.as_str(), "import-7/row-12");
/// assert!(IdempotencyKey::parse("").is_err());
/// # Ok::<(), leadapi_model::model::InvalidIdempotencyKey>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IdempotencyKey(Arc<str>);

impl IdempotencyKey {
    /// The maximum length of a key in characters.
    pub const MAX_CHARS: usize = 255;

    /// Parses a key.
    ///
    /// # Errors
    ///
    /// [`InvalidIdempotencyKey`] when the text is not 1 to 255 visible ASCII characters.
    pub fn parse(text: &str) -> Result<Self, InvalidIdempotencyKey> {
        let visible = text.bytes().all(|byte| byte.is_ascii_graphic());
        if visible && (1..=Self::MAX_CHARS).contains(&text.len()) {
            Ok(Self(text.into()))
        } else {
            Err(InvalidIdempotencyKey)
        }
    }

    /// Generates a unique key: 128 random bits in hexadecimal.
    ///
    /// Do not use the key as a secret: it does not come from a cryptographic generator.
    ///
    /// ```
    /// # use leadapi_model::model::IdempotencyKey;
    /// assert_ne!(IdempotencyKey::random(), IdempotencyKey::random());
    /// ```
    ///
    /// # Panics
    ///
    /// Panics on targets where the standard library has no clock, such as `wasm32-unknown-unknown`. Those targets also
    /// lack a source of randomness, so keys could repeat. A repeated key would turn a new create into a replay.
    pub fn random() -> Self {
        // The standard library seeds `RandomState` from the system's generator once per thread. A fork copies that
        // seed, so the time and the process id keep the keys of the two processes distinct.
        let seeded = RandomState::new();
        let here = (SystemTime::now(), process::id());
        let [high, low] = [0_u8, 1].map(|half| seeded.hash_one((half, here)));
        Self(format!("{high:016x}{low:016x}").into())
    }

    /// Returns the key as it appears in the header.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for IdempotencyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "IdempotencyKey({})", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_1_to_255_visible_ascii_characters() {
        for good in ["!", "~", "import-7/row-12", &"k".repeat(255)] {
            assert_eq!(IdempotencyKey::parse(good).unwrap().as_str(), good);
        }
        for bad in ["", " ", "a b", "a\n", "\u{7f}", "é", &"k".repeat(256)] {
            assert_eq!(IdempotencyKey::parse(bad), Err(InvalidIdempotencyKey), "{bad:?}");
        }
    }

    #[test]
    fn random_keys_are_valid_and_differ() {
        let keys: Vec<_> = (0..100).map(|_| IdempotencyKey::random()).collect();
        for (at, key) in keys.iter().enumerate() {
            assert_eq!((key.as_str().len(), IdempotencyKey::parse(key.as_str())), (32, Ok(key.clone())));
            assert!(!keys[..at].contains(key));
        }
    }
}
