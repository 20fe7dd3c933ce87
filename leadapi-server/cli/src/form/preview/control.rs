//! The form control for each type of question.

use std::collections::BTreeMap;

use leadapi_form::{Answer, Phrase, Question, QuestionType, Questionnaire, StepQuestion, rating_scale};
use maud::{Markup, html};
use serde_json::Value;

use leadapi_pages::web::Fields;

/// The parts of a postal address: each member of the answer, its label, and its value of `autocomplete`.
const ADDRESS: [(&str, &str, &str); 6] = [
    ("street", "Street and number", "address-line1"),
    ("line2", "Second line", "address-line2"),
    ("postal_code", "Postal code", "postal-code"),
    ("city", "City", "address-level2"),
    ("region", "Region", "address-level1"),
    ("country", "Country", "country-name"),
];

/// The maximum difference between the first and the last button of a rating. A larger scale is truncated.
const MAX_SCALE: i64 = 20;

/// A form control. The engine validates every answer, because a URL can contain an answer that no control produces.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Control {
    /// Radio buttons.
    One(Vec<Choice>),
    /// Radio buttons for numbers.
    Scale(Vec<Choice>),
    YesNo,
    Menu(Vec<Choice>),
    /// Checkboxes.
    Many(Vec<Choice>),
    /// A single checkbox.
    Check,
    /// A line of text: the type of the field, its input mode, and the value of `autocomplete`.
    Line(&'static str, &'static str, Option<&'static str>),
    Text,
    Address,
}

/// An option, with its id and label.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Choice {
    id: String,
    label: String,
}

/// The attributes that all parts of a control share.
pub(super) struct Frame<'f> {
    pub(super) form: &'f Questionnaire<'f>,
    /// The id of the question.
    pub(super) question: &'f str,
    /// The id of the first field.
    pub(super) id: &'f str,
    pub(super) answer: Option<&'f Answer>,
    /// The ids of the elements that describe the fields.
    pub(super) described_by: Option<String>,
    pub(super) is_invalid: bool,
    pub(super) is_required: bool,
    /// Whether options are labeled with letters.
    pub(super) has_letters: bool,
}

impl Control {
    /// Returns the name of the field with the answer to a question.
    pub(super) fn name(question: &str) -> String {
        format!("q.{question}")
    }

    pub(super) fn of(question: StepQuestion<'_, '_>) -> Self {
        let choices = question.options().map(|(id, label)| Choice { id: id.to_owned(), label: label.to_owned() });
        Self::new(question.record(), choices.collect())
    }

    fn new(question: &Question, choices: Vec<Choice>) -> Self {
        match question.question_type() {
            Some(QuestionType::SingleChoice) => Self::One(choices),
            Some(QuestionType::MultiChoice) => Self::Many(choices),
            Some(QuestionType::Dropdown) => Self::Menu(choices),
            Some(QuestionType::YesNo) => Self::YesNo,
            Some(QuestionType::Rating) => Self::Scale(scale(question)),
            Some(QuestionType::Checkbox | QuestionType::Consent) => Self::Check,
            // Browsers discard the text of a `number` field that is not a number, so its error could not be shown.
            Some(QuestionType::Number) => Self::Line("text", "decimal", None),
            Some(QuestionType::Email) => Self::Line("email", "email", Some("email")),
            Some(QuestionType::Phone) => Self::Line("tel", "tel", Some("tel")),
            Some(QuestionType::Url | QuestionType::File) => Self::Line("url", "url", None),
            Some(QuestionType::Date) => Self::Line("date", "text", None),
            Some(QuestionType::LongText) => Self::Text,
            Some(QuestionType::Address) => Self::Address,
            _ => Self::Line("text", "text", None),
        }
    }

    /// Returns whether the control has several fields, which need a common label.
    pub(super) const fn is_group(&self) -> bool {
        matches!(self, Self::One(_) | Self::Scale(_) | Self::YesNo | Self::Many(_) | Self::Address)
    }

    /// Returns whether the label belongs after the field.
    pub(super) const fn is_check(&self) -> bool {
        matches!(self, Self::Check)
    }

    /// Reads the answer from submitted fields. Returns `None` for a blank answer.
    pub(super) fn answer(&self, fields: &Fields, name: &str) -> Option<Answer> {
        let first = fields.get(name);
        match self {
            Self::Many(_) => {
                let ids: Vec<&str> = fields.all(name).collect();
                json(!ids.is_empty(), &ids)
            }
            Self::Address => {
                let parts = ADDRESS.map(|(part, ..)| (part, fields.get(&part_name(name, part)).trim()));
                let parts: BTreeMap<&str, &str> = parts.into_iter().filter(|(_, text)| !text.is_empty()).collect();
                json(!parts.is_empty(), &parts)
            }
            Self::YesNo | Self::Check if matches!(first, "true" | "false") => Some((first == "true").into()),
            _ => Some(first).filter(|text| !text.trim().is_empty()).map(Answer::from),
        }
    }

    /// Returns the fields of the control.
    pub(super) fn fields(&self, frame: &Frame<'_>) -> Markup {
        let (name, text) = (Self::name(frame.question), values(frame.answer).into_iter().next().unwrap_or_default());
        let (described_by, invalid) = (frame.described_by.as_deref(), frame.is_invalid.then_some("true"));
        let required = frame.is_required.then_some("true");
        match self {
            Self::One(choices) => options(frame, "radio", choices, frame.has_letters),
            Self::Scale(choices) => html! { div.scale { (options(frame, "radio", choices, false)) } },
            Self::YesNo => options(frame, "radio", &yes_no(frame.form), frame.has_letters),
            Self::Many(choices) => options(frame, "checkbox", choices, frame.has_letters),
            Self::Menu(choices) => html! {
                select id=(frame.id) name=(name) aria-describedby=[described_by] aria-invalid=[invalid]
                    aria-required=[required] {
                    option value="" { (frame.form.phrase(Phrase::Choose)) }
                    @for choice in choices {
                        option value=(choice.id) selected[choice.id == text] { (choice.label) }
                    }
                }
            },
            Self::Check => html! {
                input type="checkbox" id=(frame.id) name=(name) value="true" checked[text == "true"]
                    aria-describedby=[described_by] aria-invalid=[invalid] aria-required=[required];
            },
            Self::Line(kind, mode, autocomplete) => html! {
                input type=(kind) id=(frame.id) name=(name) value=(text) inputmode=(mode)
                    autocomplete=(autocomplete.unwrap_or("off")) aria-describedby=[described_by] aria-invalid=[invalid]
                    aria-required=[required];
            },
            Self::Text => html! {
                // HTML parsers drop a line break directly after the tag.
                textarea id=(frame.id) name=(name) rows="4" aria-describedby=[described_by] aria-invalid=[invalid]
                    aria-required=[required] { "\n" (text) }
            },
            Self::Address => address(frame, &name),
        }
    }
}

fn json(is_filled: bool, value: &impl serde::Serialize) -> Option<Answer> {
    let json = serde_json::to_string(value).ok().filter(|_| is_filled)?;
    serde_json::from_str(&json).ok()
}

fn yes_no(form: &Questionnaire<'_>) -> [Choice; 2] {
    [true, false].map(|yes| Choice { id: yes.to_string(), label: form.word(yes).to_owned() })
}

/// Returns the numbers of a rating.
fn scale(question: &Question) -> Vec<Choice> {
    let (min, max) = rating_scale(question).unwrap_or_default();
    let numbers = min..=max.min(min.saturating_add(MAX_SCALE));
    numbers.map(|number| Choice { id: number.to_string(), label: number.to_string() }).collect()
}

/// Returns an answer as the values of fields.
fn values(answer: Option<&Answer>) -> Vec<String> {
    let text = |value: Value| match value {
        Value::Null => None,
        Value::String(text) => Some(text),
        other => Some(other.to_string()),
    };
    match answer.map(serde_json::to_value) {
        Some(Ok(Value::Array(values))) => values.into_iter().filter_map(text).collect(),
        // Text keeps its surrounding whitespace. A number keeps the format in which it was entered.
        Some(Ok(Value::String(text))) => vec![text],
        Some(_) => answer.map(|answer| answer.text().into_owned()).into_iter().collect(),
        None => Vec::new(),
    }
}

fn options(frame: &Frame<'_>, kind: &str, choices: &[Choice], has_letters: bool) -> Markup {
    let (name, chosen) = (Control::name(frame.question), values(frame.answer));
    let letters = ('A'..='Z').map(Some).chain(std::iter::repeat(None));
    html! {
        @for (at, (choice, letter)) in choices.iter().zip(letters).enumerate() {
            label.option {
                input type=(kind) id=[option_id(frame.id, at)] name=(name) value=(choice.id)
                    checked[chosen.contains(&choice.id)];
                @if let Some(letter) = letter.filter(|_| has_letters) {
                    span.letter aria-hidden="true" { (letter) }
                }
                span { (choice.label) }
            }
        }
    }
}

/// Returns the id for the first field, to which the list of problems links. The other fields need no id.
fn option_id(id: &str, at: usize) -> Option<&str> {
    (at == 0).then_some(id)
}

fn part_name(name: &str, part: &str) -> String {
    format!("{name}.{part}")
}

fn address(frame: &Frame<'_>, name: &str) -> Markup {
    let answer = frame.answer.and_then(|answer| serde_json::to_value(answer).ok()).unwrap_or_default();
    // An address can also be a single string, which is shown as the street.
    let text = |part: &str| match (&answer, part) {
        (Value::String(text), "street") => text.clone(),
        _ => answer.get(part).and_then(Value::as_str).unwrap_or_default().to_owned(),
    };
    html! {
        @for (at, (part, label, autocomplete)) in ADDRESS.into_iter().enumerate() {
            label.part {
                span { (label) }
                input type="text" id=[option_id(frame.id, at)] name=(part_name(name, part)) value=(text(part))
                    autocomplete=(autocomplete) aria-invalid=[frame.is_invalid.then_some("true")];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(question: &str, query: &str) -> Option<String> {
        let question: Question = serde_json::from_str(question).unwrap();
        let fields = Fields::parse(query.as_bytes());
        let answer = Control::new(&question, Vec::new()).answer(&fields, &Control::name("a b"));
        answer.map(|answer| serde_json::to_string(&answer).unwrap())
    }

    #[test]
    fn fields_become_answers_by_the_type_of_the_question() {
        for (kind, query, expected) in [
            ("single_choice", "q.a+b=o&q.a+b=p", Some(r#""o""#)),
            ("multi_choice", "q.a+b=o&q.x=7&q.a+b=p", Some(r#"["o","p"]"#)),
            ("multi_choice", "q.x=7", None),
            ("yes_no", "q.a+b=false", Some("false")),
            ("consent", "q.a+b=true", Some("true")),
            ("checkbox", "", None),
            ("number", "q.a+b=+1,5", Some(r#"" 1,5""#)),
            ("short_text", "q.a+b=++", None),
            ("address", "q.a+b.city=Berlin&q.a+b.street=+", Some(r#"{"city":"Berlin"}"#)),
            ("address", "q.a+b.city=+", None),
            ("of tomorrow", "q.a+b=x", Some(r#""x""#)),
        ] {
            assert_eq!(answer(&format!(r#"{{"type":"{kind}"}}"#), query).as_deref(), expected, "{kind} {query}");
        }
    }

    #[test]
    fn a_rating_has_a_button_for_each_number_of_a_small_scale() {
        let numbers = |json: &str| {
            let choices = scale(&serde_json::from_str(json).unwrap());
            choices.into_iter().map(|choice| choice.id).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(numbers(r#"{"type":"rating"}"#), "1 2 3 4 5");
        assert_eq!(numbers(r#"{"type":"rating","min":-1.5,"max":1}"#), "-1 0 1");
        assert_eq!(numbers(r#"{"type":"nps"}"#), "0 1 2 3 4 5 6 7 8 9 10");
        assert_eq!(numbers(r#"{"type":"rating","min":2,"max":1}"#), "");
        assert_eq!(numbers(r#"{"type":"rating","max":9007199254740991}"#).split(' ').count(), 21);
    }
}
