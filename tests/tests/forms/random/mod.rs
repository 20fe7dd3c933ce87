//! Generates random forms and answers from bytes. Shrinking the bytes of a failing case therefore shrinks the case.

mod answers;
mod extras;
mod record;

use serde_json::{Map, Value, json};

pub(crate) use self::{answers::answers, extras::add_extras, record::record};

/// The bytes to draw from. Once they are used up, every choice returns its first option.
pub(crate) struct Draw<'b>(pub &'b [u8]);

impl Draw<'_> {
    pub(crate) fn below(&mut self, count: usize) -> usize {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        usize::from(*first) % count
    }

    /// Returns true once in `times` draws, on average.
    fn rarely(&mut self, times: usize) -> bool {
        self.below(times) == times - 1
    }

    fn one<'t, T: ?Sized>(&mut self, all: &[&'t T]) -> &'t T {
        all[self.below(all.len())]
    }
}

const PAGES: [&str; 5] = ["p0", "p1", "p2", "p3", "p4"];
const QUESTIONS: [&str; 8] = ["q0", "q1", "q2", "q3", "q4", "q5", "q6", "q7"];
const ENDINGS: [&str; 3] = ["e0", "e1", "e2"];
const OPTIONS: [&str; 4] = ["a", "b", "5", "{q0}"];
const NUMERIC_OPERATORS: [&str; 9] = ["equals", "not_equals", "gt", "gte", "lt", "lte", "between", "in", "not_in"];
const OPERATORS: [&str; 26] = [
    "equals",
    "not_equals",
    "is_filled",
    "is_empty",
    "gt",
    "gte",
    "lt",
    "lte",
    "between",
    "contains",
    "not_contains",
    "starts_with",
    "not_starts_with",
    "ends_with",
    "not_ends_with",
    "in",
    "not_in",
    "before",
    "after",
    "is_checked",
    "is_not_checked",
    "equals",
    "gt",
    "exists",
    "Is Not",
    "sounds_like",
];
const KEYS: [&str; 17] = [
    "name",
    "first_name",
    "last_name",
    "business_name",
    "email",
    "phone",
    "value",
    "client_id",
    "custom",
    "q0",
    "",
    "$score",
    "source",
    "mobile",
    "Phone",
    "Company name",
    "full_name",
];
/// Types of questions. The frequent ones occur several times.
const TYPES: [&str; 24] = [
    "single_choice",
    "number",
    "short_text",
    "single_choice",
    "number",
    "email",
    "phone",
    "matrix",
    "multi_choice",
    "dropdown",
    "checkbox",
    "consent",
    "date",
    "long_text",
    "url",
    "rating",
    "hidden",
    "yes_no",
    "address",
    "file",
    "NPS",
    "multipleChoiceMulti",
    "phone_number",
    "single_choice",
];
const DATES: [&str; 5] = ["2026-05-31", "2024-02-29", "2026-06-01", "2023-02-29", "1999-12-31"];
const TEXTS: [&str; 26] = [
    "",
    "a",
    "b",
    "5",
    " 5 ",
    "05",
    "5.0",
    "-3",
    "1e1",
    "0x10",
    "1,5",
    "1e400",
    "7",
    "  ",
    "Ann",
    "ann@example.org",
    "a b@c.d",
    "+49 30 1234",
    "12",
    "x\ny: z",
    "{name}",
    "{q1}{",
    "\u{0}",
    "\u{2028}é",
    "9007199254740993",
    "<&\"'>",
];
const LABELS: [&str; 9] =
    ["", "Why?", "{name}", "{ q1 }, {custom}", "{{q0}}", "{$score|x}{zz} {", "a\nb {email}", "{phone}{value}", " "];

/// Permutes the ids of pages and questions in a record or in answers, because generated ids are in alphabetical order.
pub(crate) fn permuted(value: &Value) -> Value {
    let mut permuted = String::new();
    let mut before = ' ';
    for c in value.to_string().chars() {
        permuted.push(match (before, c.to_digit(10)) {
            ('p', Some(digit @ 0..=4)) => char::from_digit((digit + 2) % 5, 10).unwrap(),
            ('q', Some(digit @ 0..=7)) => char::from_digit((digit + 3) % 8, 10).unwrap(),
            _ => c,
        });
        before = c;
    }
    serde_json::from_str(&permuted).unwrap()
}

/// Returns a random JSON value of any type.
fn wild(draw: &mut Draw<'_>) -> Value {
    match draw.below(8) {
        0 => Value::Null,
        1 => json!(true),
        2 => json!(7),
        3 => json!("wild"),
        4 => json!([]),
        5 => json!({}),
        6 => json!([1, {"id": "p0"}]),
        _ => json!({"id": "p0", "fields": 3}),
    }
}

/// Inserts the value. Unless `tame`, occasionally inserts a different value or nothing.
fn put(draw: &mut Draw<'_>, tame: bool, to: &mut Map<String, Value>, key: &str, value: Value) {
    let value = if !tame && draw.rarely(24) {
        if draw.below(2) == 0 {
            return;
        }
        wild(draw)
    } else {
        value
    };
    to.insert(key.to_owned(), value);
}

fn list(draw: &mut Draw<'_>, tame: bool, count: usize, make: impl Fn(&mut Draw<'_>, usize) -> Value) -> Value {
    (0..count).map(|at| if !tame && draw.rarely(32) { wild(draw) } else { make(draw, at) }).collect()
}
