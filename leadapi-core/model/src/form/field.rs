//! The possible states of members and array elements. Unexpected JSON is kept, so a record is written back unchanged.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::DeserializeOwned};

use super::raw::Raw;

/// A member of a record: absent, null, a typed value, or other JSON kept verbatim (contract D11).
///
/// ```
/// use leadapi_model::form::Question;
///
/// let question: Question = serde_json::from_str(r#"{"label":"Age?","required":"yes","min":null}"#)?;
/// assert_eq!(question.label.as_str(), Some("Age?"));
/// assert_eq!(question.required.other().map(|raw| raw.text()), Some(r#""yes""#));
/// assert!(question.min.is_null());
/// assert!(question.id.is_absent());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Field<T> {
    /// The object has no such member.
    #[default]
    Absent,
    /// The member is `null`.
    Null,
    /// The member has the expected type.
    Value(T),
    /// The member has a different type. Its JSON is kept as text.
    Other(Raw),
}

/// A member that is an array. An element of an unexpected type does not affect the other elements.
pub type List<T> = Field<Vec<Entry<T>>>;

/// An element of an array: a typed value, or other JSON (including `null`) kept verbatim (contract D11).
///
/// ```
/// use leadapi_model::form::Entry;
///
/// let entries: Vec<Entry<String>> = serde_json::from_str(r#"["a",10.0]"#)?;
/// assert_eq!(entries[0].get().map(String::as_str), Some("a"));
/// assert_eq!(entries[1].get(), None);
/// assert_eq!(serde_json::to_string(&entries)?, r#"["a",10.0]"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry<T> {
    /// The element has the expected type.
    Value(T),
    /// The element has a different type. Its JSON is kept as text.
    Other(Raw),
}

impl<T> Field<T> {
    /// Returns the value, if the member is present and has the expected type.
    ///
    /// ```
    /// use leadapi_model::form::Field;
    ///
    /// assert_eq!(Field::Value(true).get(), Some(&true));
    /// assert_eq!(Field::<bool>::Null.get(), None);
    /// ```
    pub fn get(&self) -> Option<&T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Absent | Self::Null | Self::Other(_) => None,
        }
    }

    /// Returns a mutable reference to the value, if the member is present and has the expected type.
    ///
    /// ```
    /// use leadapi_model::form::Field;
    ///
    /// let mut name = Field::Value(String::from("Care"));
    /// name.get_mut().into_iter().for_each(|name| name.push_str(" 2"));
    /// assert_eq!(name.as_str(), Some("Care 2"));
    /// ```
    pub fn get_mut(&mut self) -> Option<&mut T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Absent | Self::Null | Self::Other(_) => None,
        }
    }

    /// Sets the value, replacing the previous state.
    ///
    /// ```
    /// use leadapi_model::form::Choice;
    ///
    /// let mut choice = Choice::default();
    /// choice.id.set("o_mother");
    /// choice.score.set(5);
    /// assert_eq!(serde_json::to_string(&choice)?, r#"{"id":"o_mother","score":5}"#);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn set(&mut self, value: impl Into<T>) {
        *self = Self::Value(value.into());
    }

    /// Returns whether the member is absent.
    ///
    /// ```
    /// use leadapi_model::form::Field;
    ///
    /// assert!(Field::<bool>::default().is_absent());
    /// assert!(!Field::<bool>::Null.is_absent());
    /// ```
    pub fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }

    /// Returns whether the member is present and `null`.
    ///
    /// ```
    /// use leadapi_model::form::Field;
    ///
    /// assert!(Field::<bool>::Null.is_null());
    /// ```
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Returns the JSON of a member that is neither `null` nor of the expected type.
    ///
    /// ```
    /// use leadapi_model::form::{Choice, Raw};
    ///
    /// let choice: Choice = serde_json::from_str(r#"{"score":"10"}"#)?;
    /// assert_eq!(choice.score.other().map(Raw::text), Some(r#""10""#));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn other(&self) -> Option<&Raw> {
        match self {
            Self::Other(raw) => Some(raw),
            Self::Absent | Self::Null | Self::Value(_) => None,
        }
    }
}

impl<T: DeserializeOwned> Field<T> {
    /// Parses the JSON of a member that is present.
    pub(super) fn read(raw: Raw) -> Self {
        if raw.text() == "null" {
            return Self::Null;
        }
        raw.read().map_or_else(|_| Self::Other(raw), Self::Value)
    }
}

impl Field<String> {
    /// Returns the string, if the member is present and is a string.
    ///
    /// ```
    /// use leadapi_model::form::Field;
    ///
    /// assert_eq!(Field::<String>::from("Care").as_str(), Some("Care"));
    /// ```
    pub fn as_str(&self) -> Option<&str> {
        self.get().map(String::as_str)
    }
}

impl<T> Field<Vec<Entry<T>>> {
    /// Iterates over the elements of the expected type. Yields nothing if the member is not an array.
    ///
    /// ```
    /// use leadapi_model::form::{Entry, Field, List};
    ///
    /// let list: List<bool> = [true, false].into_iter().collect();
    /// assert_eq!(list.items().count(), 2);
    /// assert_eq!(List::<bool>::Null.items().count(), 0);
    /// ```
    pub fn items(&self) -> impl Iterator<Item = &T> {
        self.get().into_iter().flatten().filter_map(Entry::get)
    }

    /// Iterates mutably over the elements of the expected type.
    ///
    /// ```
    /// use leadapi_model::form::List;
    ///
    /// let mut list: List<bool> = [true, false].into_iter().collect();
    /// list.items_mut().for_each(|item| *item = true);
    /// assert!(list.items().all(|item| *item));
    /// ```
    pub fn items_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.get_mut().into_iter().flatten().filter_map(Entry::get_mut)
    }
}

impl<T> Entry<T> {
    /// Returns the value, if the element has the expected type.
    ///
    /// ```
    /// use leadapi_model::form::Entry;
    ///
    /// assert_eq!(Entry::from(true).get(), Some(&true));
    /// ```
    pub fn get(&self) -> Option<&T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Other(_) => None,
        }
    }

    /// Returns a mutable reference to the value, if the element has the expected type.
    ///
    /// ```
    /// use leadapi_model::form::Entry;
    ///
    /// let mut entry = Entry::from(true);
    /// entry.get_mut().into_iter().for_each(|value| *value = false);
    /// assert_eq!(entry, Entry::Value(false));
    /// ```
    pub fn get_mut(&mut self) -> Option<&mut T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Other(_) => None,
        }
    }
}

impl<T> From<T> for Field<T> {
    fn from(value: T) -> Self {
        Self::Value(value)
    }
}

impl From<&str> for Field<String> {
    fn from(text: &str) -> Self {
        Self::Value(text.into())
    }
}

impl<T> From<T> for Entry<T> {
    fn from(value: T) -> Self {
        Self::Value(value)
    }
}

impl<T> FromIterator<T> for Field<Vec<Entry<T>>> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        Self::Value(values.into_iter().map(Entry::Value).collect())
    }
}

impl<T: Serialize> Serialize for Field<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            // Records omit absent members. Outside a record, serde requires a value.
            Self::Absent | Self::Null => serializer.serialize_none(),
            Self::Value(value) => value.serialize(serializer),
            Self::Other(raw) => raw.serialize(serializer),
        }
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Field<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Raw::deserialize(deserializer).map(Self::read)
    }
}

impl<T: Serialize> Serialize for Entry<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Value(value) => value.serialize(serializer),
            Self::Other(raw) => raw.serialize(serializer),
        }
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Entry<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Raw::deserialize(deserializer)?;
        Ok(raw.read().map_or_else(|_| Self::Other(raw), Self::Value))
    }
}
