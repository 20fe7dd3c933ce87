//! The name under which a create is remembered (contract D10).

use std::{fmt, sync::Arc};

use uuid::Uuid;

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

    /// A key that nobody has: a UUID of version 7.
    ///
    /// ```
    /// # use leadapi_core::model::IdempotencyKey;
    /// assert_ne!(IdempotencyKey::random(), IdempotencyKey::random());
    /// ```
    pub fn random() -> Self {
        Self((&*Uuid::now_v7().hyphenated().encode_lower(&mut Uuid::encode_buffer())).into())
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
