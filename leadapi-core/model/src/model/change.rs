//! The effect of a JSON Merge Patch on one field: keep, clear or set (contract D5).

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// One field of a merge patch: absent, `null` or a value (RFC 7396; contract D5).
///
/// ```
/// use leadapi_model::model::Change;
///
/// let text: Change<&str> = Change::Set("new");
/// assert_eq!(text.apply(Some("old")), Some("new"));
/// assert_eq!(Change::Keep.apply(Some("old")), Some("old"));
/// assert_eq!(Change::Clear.apply(Some("old")), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Change<T> {
    /// Leaves the field unchanged. On the wire, its key is absent.
    #[default]
    Keep,
    /// Clears the field. On the wire, its value is `null`.
    Clear,
    /// Sets the field to this value.
    Set(T),
}

impl<T> Change<T> {
    /// Returns whether the field is left unchanged.
    ///
    /// ```
    /// assert!(leadapi_model::model::Change::<u8>::default().is_keep());
    /// ```
    pub const fn is_keep(&self) -> bool {
        matches!(self, Self::Keep)
    }

    /// Converts from `&Change<T>` to `Change<&T>`.
    ///
    /// ```
    /// # use leadapi_model::model::Change;
    /// assert_eq!(Change::Set(1).as_ref(), Change::Set(&1));
    /// ```
    pub const fn as_ref(&self) -> Change<&T> {
        match self {
            Self::Keep => Change::Keep,
            Self::Clear => Change::Clear,
            Self::Set(value) => Change::Set(value),
        }
    }

    /// Returns the value of the field after the change.
    ///
    /// ```
    /// # use leadapi_model::model::Change;
    /// assert_eq!(Change::Set(2).apply(None), Some(2));
    /// ```
    pub fn apply(self, current: Option<T>) -> Option<T> {
        match self {
            Self::Keep => current,
            Self::Clear => None,
            Self::Set(value) => Some(value),
        }
    }
}

impl<T> From<Option<T>> for Change<T> {
    /// Maps `None` to [`Change::Clear`], because `None` stands for `null`. Use [`Change::Keep`] to leave the field
    /// unchanged.
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Clear, Self::Set)
    }
}

impl<T: Serialize> Serialize for Change<T> {
    /// Serializes [`Change::Set`] as its value and the other variants as `null`. The containing struct must skip
    /// unchanged fields (`skip_serializing_if = "Change::is_keep"`). Otherwise, unchanged fields are sent as `null`,
    /// which clears them.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Keep | Self::Clear => serializer.serialize_none(),
            Self::Set(value) => value.serialize(serializer),
        }
    }
}

/// An unchanged field is absent from the wire, so the schema is the same as for `Option<T>`: a value or `null`.
#[cfg(feature = "openapi")]
impl<T: schemars::JsonSchema> schemars::JsonSchema for Change<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        Option::<T>::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        Option::<T>::json_schema(generator)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Change<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Option::deserialize(deserializer).map(Self::from)
    }
}
