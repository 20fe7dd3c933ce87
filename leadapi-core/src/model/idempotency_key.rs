//! The name under which a create is remembered (contract D10).

use std::{
    fmt,
    hash::{BuildHasher, RandomState},
    process,
    sync::Arc,
    time::SystemTime,
};

/// The text is no idempotency key: it is 1 to 255 visible ASCII characters (contract D10).
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be 1 to {} visible ASCII characters", IdempotencyKey::MAX_CHARS)]
pub struct InvalidIdempotencyKey;

/// What a caller calls one create, so that sending it again does not make a second lead (contract D10).
///
/// ```
/// use leadapi_core::model::IdempotencyKey;
///
/// assert_eq!(IdempotencyKey::parse("import-7/row-12")?.as_str(), "import-7/row-12");
/// assert!(IdempotencyKey::parse("").is_err());
/// # Ok::<(), leadapi_core::model::InvalidIdempotencyKey>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IdempotencyKey(Arc<str>);

impl IdempotencyKey {
    /// The most characters that a key may have.
    pub const MAX_CHARS: usize = 255;

    /// Takes a text as a key.
    ///
    /// # Errors
    ///
    /// [`InvalidIdempotencyKey`] when it is not 1 to 255 visible ASCII characters.
    pub fn parse(text: &str) -> Result<Self, InvalidIdempotencyKey> {
        let visible = text.bytes().all(|byte| byte.is_ascii_graphic());
        if visible && (1..=Self::MAX_CHARS).contains(&text.len()) {
            Ok(Self(text.into()))
        } else {
            Err(InvalidIdempotencyKey)
        }
    }

    /// A key that nobody has: 128 random bits in hexadecimal.
    ///
    /// It is unlike any other key, but no secret.
    ///
    /// ```
    /// # use leadapi_core::model::IdempotencyKey;
    /// assert_ne!(IdempotencyKey::random(), IdempotencyKey::random());
    /// ```
    ///
    /// # Panics
    ///
    /// Where std has no clock, as on `wasm32-unknown-unknown`: it has no randomness there either, and a key that comes
    /// again would be taken for the same create.
    pub fn random() -> Self {
        // std seeds it by the system's generator, once for each thread; the moment and the process tell apart what a
        // fork has copied.
        let seeded = RandomState::new();
        let here = (SystemTime::now(), process::id());
        let [high, low] = [0_u8, 1].map(|half| seeded.hash_one((half, here)));
        Self(format!("{high:016x}{low:016x}").into())
    }

    /// The key as it stands in the header.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for IdempotencyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "IdempotencyKey({})", self.0)
    }
}
