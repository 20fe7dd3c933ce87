//! Untyped JSON, kept as text. Numbers are never rounded, and nested values are never parsed recursively.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::DeserializeOwned};
use serde_json::{Error, value::RawValue};

/// A JSON value of any type, kept as text (contract D11).
///
/// Two values are equal if their text is equal apart from whitespace between tokens. `10` therefore differs from
/// `10.0`, and the order of members matters.
///
/// ```
/// use leadapi_model::form::Raw;
///
/// assert_eq!(Raw::parse("[1, 2]")?, Raw::parse("[1,2]")?);
/// assert_ne!(Raw::parse("10")?, Raw::parse("10.0")?);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone)]
pub struct Raw(Box<RawValue>);

impl Raw {
    /// Parses a JSON value.
    ///
    /// ```
    /// use leadapi_model::form::Raw;
    ///
    /// assert_eq!(Raw::parse(" 1e400 ")?.text(), "1e400");
    /// assert!(Raw::parse("[1,").is_err());
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not exactly one JSON value.
    pub fn parse(text: &str) -> Result<Self, Error> {
        serde_json::from_str(text)
    }

    /// Serializes a value as JSON.
    ///
    /// ```
    /// use leadapi_model::form::Raw;
    ///
    /// assert_eq!(Raw::of(&["a", "b"])?.text(), r#"["a","b"]"#);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the value cannot be serialized as JSON.
    pub fn of(value: &(impl Serialize + ?Sized)) -> Result<Self, Error> {
        serde_json::value::to_raw_value(value).map(Self)
    }

    /// Returns the JSON text, without surrounding whitespace.
    ///
    /// ```
    /// use leadapi_model::form::Raw;
    ///
    /// assert_eq!(Raw::parse("null")?.text(), "null");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn text(&self) -> &str {
        self.0.get()
    }

    /// Deserializes the JSON into another type.
    ///
    /// ```
    /// use leadapi_model::form::Raw;
    ///
    /// assert_eq!(Raw::parse("[1, 2]")?.read::<Vec<u8>>()?, [1, 2]);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the JSON does not match the type.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, Error> {
        serde_json::from_str(self.text())
    }
}

/// Iterates over the bytes of JSON text, skipping whitespace between tokens.
fn significant(text: &str) -> impl Iterator<Item = u8> {
    let (mut quoted, mut escaped) = (false, false);
    text.bytes().filter(move |byte| {
        let keep = quoted || !byte.is_ascii_whitespace();
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => quoted = !quoted,
            _ => {}
        }
        keep
    })
}

impl PartialEq for Raw {
    fn eq(&self, other: &Self) -> bool {
        significant(self.text()).eq(significant(other.text()))
    }
}

impl Eq for Raw {}

impl fmt::Debug for Raw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Raw({})", self.text())
    }
}

impl Serialize for Raw {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Deserializes an owned value, because a reader cannot provide a borrowed one.
        Box::deserialize(deserializer).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equality_ignores_only_white_space_between_tokens() {
        let raw = |text| Raw::parse(text).unwrap();
        assert_eq!(raw("{ \"a\\\" \" :\n[ 1 ,\t\"\\\\\" ] }"), raw(r#"{"a\" ":[1,"\\"]}"#));
        for (one, other) in [
            (r#""a b""#, r#""ab""#),
            (r#""a\" b""#, r#""a\"b""#),
            ("1", "1.0"),
            ("[1]", "[1,1]"),
            (r#"{"a":1,"b":2}"#, r#"{"b":2,"a":1}"#),
        ] {
            assert_ne!(raw(one), raw(other));
        }
    }
}
