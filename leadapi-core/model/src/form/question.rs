//! Pages, questions, and the options of a choice.

use super::{
    extensible_enum::QuestionType,
    field::{Field, List},
    number::Number,
    raw::Raw,
    record::record,
};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

record! {
    /// A page of a form (contract 2.5).
    Page {
        /// The id of the page, which rules refer to.
        id: Field<String> = "id",
        /// The title of the page.
        title: Field<String> = "title",
        /// The questions on the page.
        fields: List<Question> = "fields",
    }
}

record! {
    /// A question of a form (contract 2.5).
    Question {
        /// The id of the question, which conditions refer to.
        id: Field<String> = "id",
        /// The type of answer that the question takes, as written in the record. See
        /// [`question_type`](Self::question_type).
        kind: Field<QuestionType> = "type",
        /// The text of the question. A placeholder such as `{name}` stands for the answer to an earlier question.
        label: Field<String> = "label",
        /// Whether an answer is required.
        required: Field<bool> = "required",
        /// The options of a choice. Ignored for questions of other types.
        options: List<Choice> = "options",
        /// The smallest number or the earliest date that is accepted.
        min: Field<Bound> = "min",
        /// The largest number or the latest date that is accepted. An extension of this crate, as are `minLength`,
        /// `maxLength`, `pattern`, `format` and `currency`.
        max: Field<Bound> = "max",
        /// The minimum number of characters of a text answer.
        min_length: Field<Number> = "minLength",
        /// The maximum number of characters of a text answer.
        max_length: Field<Number> = "maxLength",
        /// A regular expression that a part of the text must match. `^` and `$` match the beginning and the end of the
        /// text. The pattern has the syntax of the crate `regex-lite`, which matches in linear time and supports
        /// neither look-around nor back-references.
        pattern: Field<String> = "pattern",
        /// The message for text that does not match the pattern. An extension of this crate.
        pattern_message: Field<String> = "patternMessage",
        /// The format of a number. `currency` makes the number an amount of money.
        format: Field<String> = "format",
        /// The ISO 4217 code of the currency of a number, such as `EUR`. It makes the number an amount of money.
        currency: Field<String> = "currency",
        /// The name of the lead field or attribute that receives the answer.
        mapped_key: Field<String> = "mappedKey",
        /// Whether the mapping was set manually. Present only in that case.
        mapped_key_manual: Field<bool> = "mappedKeyManual",
    }
}

record! {
    /// An option of a choice (contract 2.5).
    Choice {
        /// The id of the option. A visitor who chooses the option sends this id as the answer.
        id: Field<String> = "id",
        /// The text shown to the visitor.
        label: Field<String> = "label",
        /// The score that the option adds if it is chosen, as an integer.
        score: Field<Number> = "score",
        /// The amount that the option contributes to the lead's `value` if its question is mapped to `value`. An
        /// extension of this crate.
        value: Field<Number> = "value",
    }
}

/// The smallest or the largest answer that a question accepts.
///
/// ```
/// use leadapi_model::form::{Bound, Question};
///
/// let question: Question = serde_json::from_str(r#"{"type":"date","min":"2026-01-01","max":7}"#)?;
/// assert_eq!(question.min.get(), Some(&Bound::Text("2026-01-01".into())));
/// assert_eq!(question.max.get(), Some(&Bound::Number(7.into())));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Bound {
    /// A number.
    Number(Number),
    /// A date such as `2026-05-31`.
    Text(String),
}

impl Field<Bound> {
    /// Returns the number, if the member is present and is a number.
    ///
    /// ```
    /// use leadapi_model::form::{Bound, Field, Number};
    ///
    /// assert_eq!(Field::Value(Bound::Number(7.into())).as_number(), Some(&Number::from(7)));
    /// ```
    pub fn as_number(&self) -> Option<&Number> {
        match self.get() {
            Some(Bound::Number(number)) => Some(number),
            _ => None,
        }
    }

    /// Returns the string, if the member is present and is a string.
    ///
    /// ```
    /// use leadapi_model::form::{Bound, Field};
    ///
    /// assert_eq!(Field::Value(Bound::Text("2026-05-31".into())).as_text(), Some("2026-05-31"));
    /// ```
    pub fn as_text(&self) -> Option<&str> {
        match self.get() {
            Some(Bound::Text(text)) => Some(text),
            _ => None,
        }
    }
}

impl From<Number> for Bound {
    fn from(number: Number) -> Self {
        Self::Number(number)
    }
}

impl From<&str> for Bound {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl Serialize for Bound {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Number(number) => number.serialize(serializer),
            Self::Text(text) => text.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Bound {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Raw::deserialize(deserializer)?;
        raw.read()
            .map(Self::Number)
            .or_else(|_| raw.read().map(Self::Text))
            .map_err(|_| de::Error::custom("neither a number nor a string"))
    }
}
