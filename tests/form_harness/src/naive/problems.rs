//! Finds invalid answers, and decides which answers count.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{
    Naive,
    kinds::{chosen, day, kind, range},
    languages::limit,
    structured::{address, files},
    texts::{is_email, is_host, is_phone, web},
    values::{blank, filled, number_of, options, written},
};

impl Naive<'_> {
    pub(super) fn problem(&self, question: &Value, answer: &Value) -> Option<&'static str> {
        let kind = kind(question);
        let required = question["required"] == json!(true) && kind != "hidden";
        let parts = kind == "address" && address(answer).is_some_and(|line| line.is_empty());
        if !filled(answer) || parts {
            return required.then_some("missing");
        }
        match kind {
            "single_choice" | "dropdown" => {
                let chosen = answer.as_str();
                let exists = options(question).iter().any(|(id, _)| Some(*id) == chosen);
                (!exists).then_some("no_such_option")
            }
            "multi_choice" => {
                let Some(ids) = chosen(answer) else { return Some("no_such_option") };
                let known: BTreeSet<&str> = options(question).iter().map(|(id, _)| *id).collect();
                if ids.iter().any(|id| !known.contains(id)) {
                    return Some("no_such_option");
                }
                let different: BTreeSet<&str> = ids.iter().copied().collect();
                (different.len() < ids.len()).then_some("option_twice")
            }
            "number" | "rating" => {
                let plain = match self.plain_number(question, answer) {
                    Ok(plain) => plain,
                    Err(problem) => return Some(problem),
                };
                let Some(number) = number_of(&json!(plain)) else { return Some("not_finite") };
                let (min, max) = range(question);
                if kind == "rating" && number != number.floor() {
                    return Some("not_whole");
                }
                if min.is_some_and(|min| number < min) {
                    return Some("below_min");
                }
                max.is_some_and(|max| number > max).then_some("above_max")
            }
            "date" => {
                let Some(date) = day(&self.as_read(question, answer)) else { return Some("not_a_date") };
                if day(&question["min"]).is_some_and(|min| date < min) {
                    return Some("too_early");
                }
                day(&question["max"]).is_some_and(|max| date > max).then_some("too_late")
            }
            "checkbox" | "consent" | "yes_no" => match self.truth(answer) {
                None => Some("not_a_bool"),
                Some(false) if required && kind != "yes_no" => Some("not_accepted"),
                Some(_) => None,
            },
            "address" => address(answer).is_none().then_some("not_an_address"),
            "file" => files(answer).is_none().then_some("not_a_file"),
            "short_text" | "long_text" | "email" | "phone" | "url" if !answer.is_string() => Some("not_a_text"),
            "email" if !is_email(answer.as_str().unwrap()) => Some("not_an_email"),
            "phone" if !is_phone(answer.as_str().unwrap()) => Some("not_a_phone"),
            "url" if web(answer).is_none() && !is_host(answer.as_str().unwrap()) => Some("not_a_url"),
            "short_text" | "long_text" | "email" | "phone" | "url" => limit(question, answer.as_str().unwrap()),
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
        let parts = kind(question) == "address" && address(answer).is_some_and(|line| line.is_empty());
        (filled(answer) && !parts && self.problem(question, answer).is_none()).then_some(answer)
    }

    pub(super) fn display_text(&self, question: &Value, answer: &Value) -> String {
        let label = |id: &str| {
            let (_, option) = options(question).into_iter().find(|(known, _)| *known == id).unwrap();
            self.said(&option["label"])
                .filter(|label| !blank(label))
                .map_or(id.to_owned(), |label| label.trim().to_owned())
        };
        match kind(question) {
            "single_choice" | "dropdown" => label(answer.as_str().unwrap()),
            "multi_choice" => chosen(answer).unwrap().into_iter().map(label).collect::<Vec<_>>().join(", "),
            "checkbox" | "consent" | "yes_no" => self.word(self.truth(answer).unwrap()).to_owned(),
            "number" | "rating" => self.amount(question, answer),
            "date" => self.date(question, answer),
            "address" => address(answer).unwrap(),
            "file" => files(answer).unwrap(),
            "url" if web(answer).is_none() => format!("https://{}", written(answer)),
            _ => written(answer),
        }
    }
}
