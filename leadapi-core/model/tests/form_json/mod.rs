//! A JSON value type that compares numbers as text. Tests can replace or remove the element at a path.

use std::{collections::BTreeMap, fmt, fmt::Write};

/// A JSON value that keeps numbers as text and ignores the order of members. `serde_json::Value` would round the
/// numbers on both sides of a comparison, and would hide a loss of digits.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Json {
    /// A number, `true`, `false`, `null`, or a string that is not valid Unicode.
    Atom(String),
    Text(String),
    Array(Vec<Json>),
    Object(BTreeMap<String, Json>),
}

impl Json {
    pub(crate) fn parse(text: &str) -> Self {
        let mut rest = text;
        let json = Self::parse_value(&mut rest);
        assert!(rest.trim().is_empty(), "{rest}");
        json
    }

    /// Parses the next value of a valid JSON text and removes it from the text. Of several members with the same name,
    /// the last one wins.
    fn parse_value(rest: &mut &str) -> Self {
        *rest = rest.trim_start();
        match rest.as_bytes()[0] {
            b'{' => Self::Object(
                Self::parse_all(rest, |rest| {
                    let Self::Text(key) = Self::parse_value(rest) else { panic!("no name: {rest}") };
                    *rest = rest.trim_start().strip_prefix(':').unwrap();
                    (key, Self::parse_value(rest))
                })
                .into_iter()
                .collect(),
            ),
            b'[' => Self::Array(Self::parse_all(rest, Self::parse_value)),
            b'"' => {
                let mut escaped = false;
                let end = rest[1..].find(|c| {
                    let end = c == '"' && !escaped;
                    escaped = c == '\\' && !escaped;
                    end
                });
                let (text, after) = rest.split_at(end.unwrap() + 2);
                *rest = after;
                serde_json::from_str(text).map_or_else(|_| Self::Atom(text.into()), Self::Text)
            }
            _ => {
                let end = rest.find([',', ']', '}', ' ', '\n', '\r', '\t']).unwrap_or(rest.len());
                let (text, after) = rest.split_at(end);
                *rest = after;
                Self::Atom(text.into())
            }
        }
    }

    /// Parses the elements between a pair of brackets.
    fn parse_all<T>(rest: &mut &str, mut parse_value: impl FnMut(&mut &str) -> T) -> Vec<T> {
        let mut all = Vec::new();
        loop {
            // Consumes the opening bracket, a comma or the closing bracket.
            let between = rest.trim_start();
            *rest = between[1..].trim_start();
            if between.starts_with([']', '}']) {
                return all;
            }
            if !rest.starts_with([']', '}']) {
                all.push(parse_value(rest));
            }
        }
    }

    /// Returns the direct children of the value.
    fn children(&mut self) -> Vec<&mut Self> {
        match self {
            Self::Atom(_) | Self::Text(_) => Vec::new(),
            Self::Array(elements) => elements.iter_mut().collect(),
            Self::Object(members) => members.values_mut().collect(),
        }
    }

    pub(crate) fn at(&mut self, path: &[usize]) -> &mut Self {
        path.iter().fold(self, |json, step| json.children().swap_remove(*step))
    }

    /// Returns the value without the element at the path.
    pub(crate) fn without(&self, path: &[usize]) -> Self {
        let (last, parent) = path.split_last().unwrap();
        let mut json = self.clone();
        match json.at(parent) {
            Self::Array(elements) => drop(elements.remove(*last)),
            Self::Object(members) => {
                let key = members.keys().nth(*last).unwrap().clone();
                members.remove(&key);
            }
            Self::Atom(_) | Self::Text(_) => panic!("nothing is inside"),
        }
        json
    }

    /// Returns the paths to all descendants of the value.
    pub(crate) fn paths(&mut self) -> Vec<Vec<usize>> {
        let mut paths = Vec::new();
        for (step, child) in self.children().into_iter().enumerate() {
            paths.push(vec![step]);
            paths.extend(child.paths().into_iter().map(|path| [vec![step], path].concat()));
        }
        paths
    }
}

/// Writes the elements between a pair of brackets.
fn write_all<T>(
    f: &mut fmt::Formatter<'_>,
    [open, close]: [char; 2],
    all: impl IntoIterator<Item = T>,
    mut write: impl FnMut(&mut fmt::Formatter<'_>, T) -> fmt::Result,
) -> fmt::Result {
    f.write_char(open)?;
    for (index, one) in all.into_iter().enumerate() {
        f.write_str(if index > 0 { "," } else { "" })?;
        write(f, one)?;
    }
    f.write_char(close)
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quoted = |text: &String| serde_json::to_string(text).unwrap();
        match self {
            Self::Atom(text) => f.write_str(text),
            Self::Text(text) => f.write_str(&quoted(text)),
            Self::Array(elements) => write_all(f, ['[', ']'], elements, |f, json| json.fmt(f)),
            Self::Object(members) => write_all(f, ['{', '}'], members, |f, (key, json)| {
                f.write_str(&quoted(key))?;
                f.write_char(':')?;
                json.fmt(f)
            }),
        }
    }
}

#[test]
fn the_comparison_detects_rounding() {
    for (one, other) in [
        ("10", "10.0"),
        ("1e400", "1e401"),
        ("12345678901234567890123", "12345678901234567890124"),
        ("-0", "0"),
        ("1E+2", "1e2"),
        ("null", r#""null""#),
        ("{}", r#"{"a":null}"#),
        ("[1,2]", "[2,1]"),
    ] {
        assert_ne!(Json::parse(one), Json::parse(other));
    }
    assert_eq!(Json::parse(r#"{"a":1,"b":[ ]}"#), Json::parse(r#" {"b":[],"\u0061":1}"#));
}
