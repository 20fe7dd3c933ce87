//! A JSON tree whose strings can be replaced. It preserves the order of keys and the notation of numbers.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::{Value, value::RawValue};

#[derive(Debug, Clone)]
pub(super) enum Json {
    Object(Vec<(String, Json)>),
    Array(Vec<Json>),
    Text(String),
    /// A number, `true`, `false` or `null`, exactly as written in the source.
    Other(String),
}

impl Json {
    pub(super) fn parse(text: &str) -> Option<Self> {
        // Parse as `Value` first, which rejects deeply nested input. `read` is recursive and does not limit the depth.
        serde_json::from_str::<Value>(text).ok()?;
        read(serde_json::from_str(text).ok()?)
    }

    pub(super) fn field(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Object(fields) => fields.iter().find(|(field, _)| field == name).map(|(_, value)| value),
            _ => None,
        }
    }

    pub(super) fn text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// Calls `change` on every string value. Object keys are not changed.
    pub(super) fn each_text(&mut self, change: &mut impl FnMut(&mut String)) {
        match self {
            Self::Object(fields) => fields.iter_mut().for_each(|(_, value)| value.each_text(change)),
            Self::Array(items) => items.iter_mut().for_each(|item| item.each_text(change)),
            Self::Text(text) => change(text),
            Self::Other(_) => {}
        }
    }
}

fn read(raw: &RawValue) -> Option<Json> {
    let text = raw.get();
    Some(match text.as_bytes().first()? {
        b'{' => {
            let Pairs(pairs) = serde_json::from_str(text).ok()?;
            let pairs = pairs.into_iter().map(|(key, value)| Some((key, read(value)?)));
            Json::Object(pairs.collect::<Option<_>>()?)
        }
        b'[' => {
            let items: Vec<&RawValue> = serde_json::from_str(text).ok()?;
            Json::Array(items.into_iter().map(read).collect::<Option<_>>()?)
        }
        b'"' => Json::Text(serde_json::from_str(text).ok()?),
        _ => Json::Other(text.to_owned()),
    })
}

/// The key-value pairs of an object, in source order.
struct Pairs<'a>(Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Pairs<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PairsVisitor;

        impl<'de> Visitor<'de> for PairsVisitor {
            type Value = Vec<(String, &'de RawValue)>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(pairs)
            }
        }

        deserializer.deserialize_map(PairsVisitor).map(Pairs)
    }
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Object(fields) => {
                for (nth, (key, value)) in fields.iter().enumerate() {
                    let before = if nth == 0 { "{" } else { "," };
                    write!(f, "{before}{}:{value}", Value::from(key.as_str()))?;
                }
                f.write_str(if fields.is_empty() { "{}" } else { "}" })
            }
            Self::Array(items) => {
                for (nth, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if nth == 0 { "[" } else { "," })?;
                }
                f.write_str(if items.is_empty() { "[]" } else { "]" })
            }
            Self::Text(text) => write!(f, "{}", Value::from(text.as_str())),
            Self::Other(text) => f.write_str(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unchanged_json_keeps_its_text() {
        let text = r#"{"b":1.50,"a":[{},[],null,true,1e400],"c":"é\n\"","b":{"x":-0}}"#;
        // serde_json rejects 1e400, so parsing the whole text fails.
        assert!(Json::parse(text).is_none());
        let text = text.replace("1e400", "100000000000000000000");
        assert_eq!(Json::parse(&text).unwrap().to_string(), text);
        assert_eq!(Json::parse(" [ 1 , 2 ] ").unwrap().to_string(), "[1,2]");
        assert!(Json::parse("{").is_none());
        assert!(Json::parse(&"[".repeat(100_000)).is_none());
    }
}
