//! Finds invalid answers, and decides which answers count.

use serde_json::{Value, json};

use super::{
    Naive,
    texts::{is_email, is_phone},
    values::{filled, looks_decimal, number_of, options, text_of, written},
};

impl Naive<'_> {
    pub(super) fn problem(question: &Value, answer: &Value) -> Option<&'static str> {
        if !filled(answer) {
            return (question["required"] == json!(true)).then_some("missing");
        }
        match question["type"].as_str() {
            Some("single_choice") => {
                let chosen = answer.as_str();
                let exists = options(question).iter().any(|(id, _)| Some(*id) == chosen);
                (!exists).then_some("no_such_option")
            }
            Some("number") => {
                if let Some(text) = answer.as_str() {
                    if text.contains(',') {
                        return Some("number_with_comma");
                    }
                    if !looks_decimal(text.trim()) {
                        return Some("not_a_number");
                    }
                } else if !answer.is_number() {
                    return Some("not_a_number");
                }
                let Some(number) = number_of(answer) else { return Some("not_finite") };
                let min = question["min"].as_f64();
                (min.is_some() && number < min.unwrap()).then_some("below_min")
            }
            Some("short_text" | "email" | "phone") if !answer.is_string() => Some("not_a_text"),
            Some("email") if !is_email(answer.as_str().unwrap()) => Some("not_an_email"),
            Some("phone") if !is_phone(answer.as_str().unwrap()) => Some("not_a_phone"),
            _ => None,
        }
    }

    /// Returns the answer to a question. Returns `None` if the question is not on one of these pages, or if the answer
    /// is empty or invalid.
    pub(super) fn visible<'a>(&self, id: &str, pages: &[usize], answers: &'a Value) -> Option<&'a Value> {
        let (page, question) = self.question(id)?;
        if !pages.contains(&page) {
            return None;
        }
        let answer = &answers[id];
        (filled(answer) && Self::problem(question, answer).is_none()).then_some(answer)
    }

    pub(super) fn display_text(question: &Value, answer: &Value) -> String {
        if question["type"] == "single_choice" {
            let id = answer.as_str().unwrap();
            let (_, option) = options(question).into_iter().find(|(known, _)| *known == id).unwrap();
            return text_of(&option["label"]).map_or(id, str::trim).to_owned();
        }
        written(answer)
    }
}
