//! The visitor's answers: arbitrary JSON values, by question id.

use std::{borrow::Cow, collections::BTreeMap};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Number, Raw};
use leadapi_model::text::is_blank;

/// The answer to one question. It can be any JSON value, because it comes from an untrusted visitor.
///
/// [`Questionnaire::walk`](super::Questionnaire::walk) validates it against its question.
///
/// ```
/// use leadapi_form::{Answer, Number};
///
/// assert_eq!(serde_json::from_str::<Answer>("10.0")?, Answer::Number(Number::parse("10.0")?));
/// assert_eq!(Answer::from("Ann"), Answer::Text("Ann".into()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Answer {
    /// `null`: no answer.
    Null,
    /// `true` or `false`. Both count as answered.
    Bool(bool),
    /// A number, with its original text.
    Number(Number),
    /// A string. For a choice, it is the id of the chosen option.
    Text(String),
    /// An array of strings. For a multiple choice, it contains the ids of the chosen options.
    Texts(Vec<String>),
    /// An object, any other array, or a string that is not valid Unicode.
    Other(Raw),
}

impl Answer {
    /// Returns whether the question is answered. `0` and `false` are answers, but text without a visible character,
    /// `null`, `[]` and `{}` are not.
    ///
    /// ```
    /// use leadapi_form::Answer;
    ///
    /// assert!(Answer::from("0").is_filled() && Answer::Bool(false).is_filled() && Answer::from(0).is_filled());
    /// assert!(!Answer::from(" \n\u{200b}").is_filled() && !Answer::Null.is_filled());
    /// ```
    pub fn is_filled(&self) -> bool {
        match self {
            Self::Null => false,
            Self::Bool(_) | Self::Number(_) => true,
            // The first byte almost always decides.
            Self::Text(text) => text.as_bytes().first().is_some_and(u8::is_ascii_graphic) || !is_blank(text),
            Self::Texts(texts) => !texts.is_empty(),
            Self::Other(raw) => !is_empty_container(raw.text()),
        }
    }

    /// Returns the answer as text: a string without surrounding whitespace, an empty string for `null`, and JSON for
    /// any other answer. A number keeps its original text.
    ///
    /// ```
    /// use leadapi_form::Answer;
    ///
    /// assert_eq!(Answer::from(" Ann ").text(), "Ann");
    /// assert_eq!(Answer::Bool(true).text(), "true");
    /// assert_eq!(Answer::Null.text(), "");
    /// ```
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Null => "".into(),
            Self::Bool(yes) => if *yes { "true" } else { "false" }.into(),
            Self::Number(number) => number.as_str().into(),
            Self::Text(text) => text.trim().into(),
            Self::Texts(texts) => serde_json::to_string(texts).unwrap_or_default().into(),
            Self::Other(raw) => raw.text().into(),
        }
    }
}

impl Answer {
    /// Returns the text that text operators compare, or `None` for null, an array or an object.
    pub(super) fn scalar_text(&self) -> Option<Cow<'_, str>> {
        matches!(self, Self::Bool(_) | Self::Number(_) | Self::Text(_)).then(|| self.text())
    }
}

/// Returns whether the JSON is an empty array or object.
fn is_empty_container(json: &str) -> bool {
    let inner = |open, close| json.strip_prefix(open).and_then(|rest: &str| rest.strip_suffix(close));
    inner('[', ']').or_else(|| inner('{', '}')).is_some_and(|inner| inner.trim().is_empty())
}

impl From<&str> for Answer {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl From<String> for Answer {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl<T: Into<String>> From<Vec<T>> for Answer {
    fn from(texts: Vec<T>) -> Self {
        Self::Texts(texts.into_iter().map(Into::into).collect())
    }
}

impl<const N: usize> From<[&str; N]> for Answer {
    fn from(texts: [&str; N]) -> Self {
        Self::Texts(texts.map(Into::into).into())
    }
}

impl From<bool> for Answer {
    fn from(yes: bool) -> Self {
        Self::Bool(yes)
    }
}

impl From<i32> for Answer {
    fn from(number: i32) -> Self {
        Self::Number(number.into())
    }
}

impl From<Number> for Answer {
    fn from(number: Number) -> Self {
        Self::Number(number)
    }
}

impl Serialize for Answer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(yes) => yes.serialize(serializer),
            Self::Number(number) => number.serialize(serializer),
            Self::Text(text) => text.serialize(serializer),
            Self::Texts(texts) => texts.serialize(serializer),
            Self::Other(raw) => raw.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Answer {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Raw::deserialize(deserializer)?;
        Ok(match raw.text() {
            "null" => Self::Null,
            "true" => Self::Bool(true),
            "false" => Self::Bool(false),
            text if text.starts_with('"') => raw.read().map_or_else(|_| Self::Other(raw), Self::Text),
            text if text.starts_with('[') => raw.read().map_or_else(|_| Self::Other(raw), Self::Texts),
            text => Number::parse(text).map_or_else(|_| Self::Other(raw), Self::Number),
        })
    }
}

/// Answers by question id.
///
/// A walk ignores answers to questions that are not on its path.
///
/// ```
/// use leadapi_form::{Answer, Answers};
///
/// let answers: Answers = serde_json::from_str(r#"{"q_name":"Ann","q_age":44}"#)?;
/// assert_eq!(answers, Answers::new().with("q_name", "Ann").with("q_age", 44));
/// assert_eq!(answers.of("q_age"), Some(&Answer::from(44)));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Answers(BTreeMap<String, Answer>);

impl Answers {
    /// Creates an empty set of answers.
    ///
    /// ```
    /// assert_eq!(leadapi_form::Answers::new().iter().count(), 0);
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an answer, replacing any earlier answer to the same question.
    ///
    /// ```
    /// use leadapi_form::{Answer, Answers};
    ///
    /// let answers = Answers::new().with("q", "a").with("q", "b");
    /// assert_eq!(answers.of("q"), Some(&Answer::from("b")));
    /// ```
    #[must_use]
    pub fn with(mut self, question: impl Into<String>, answer: impl Into<Answer>) -> Self {
        self.set(question, answer);
        self
    }

    /// Sets the answer to a question, replacing any earlier answer.
    ///
    /// ```
    /// use leadapi_form::Answers;
    ///
    /// let mut answers = Answers::new();
    /// answers.set("q", true);
    /// assert!(answers.of("q").is_some());
    /// ```
    pub fn set(&mut self, question: impl Into<String>, answer: impl Into<Answer>) {
        self.0.insert(question.into(), answer.into());
    }

    /// Returns the answer to a question.
    ///
    /// ```
    /// assert_eq!(leadapi_form::Answers::new().of("q"), None);
    /// ```
    pub fn of(&self, question: &str) -> Option<&Answer> {
        self.0.get(question)
    }

    /// Iterates over all answers, sorted by question id.
    ///
    /// ```
    /// use leadapi_form::Answers;
    ///
    /// let answers = Answers::new().with("b", 2).with("a", 1);
    /// assert_eq!(answers.iter().map(|(id, _)| id).collect::<Vec<_>>(), ["a", "b"]);
    /// ```
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Answer)> {
        self.0.iter().map(|(id, answer)| (id.as_str(), answer))
    }
}

impl<K: Into<String>, A: Into<Answer>> FromIterator<(K, A)> for Answers {
    fn from_iter<I: IntoIterator<Item = (K, A)>>(answers: I) -> Self {
        Self(answers.into_iter().map(|(id, answer)| (id.into(), answer.into())).collect())
    }
}
