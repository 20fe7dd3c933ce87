//! Question types, including the names that other products use.

use serde_json::{Value, json};

use super::values::objects;

const TYPES: &str = "single_choice short_text email phone number multi_choice dropdown checkbox consent date long_text \
    url rating hidden yes_no address file";

/// Each line consists of a type and some of its aliases.
const NAMES: &str = "
    single_choice buttongroup choice imagepicker multiplechoice multiplechoicesingle picturechoice pictureselection
    single_choice radio radiobutton radiogroup singleoptions singleselect
    short_text inputtext opentext shortanswer text textinput
    email emailaddress inputemail
    phone inputphonenumber mobile phonenumber tel telephone
    number currency float inputnumber monetary monetory money numeric numerical slider
    multi_choice checkboxes checkboxgroup multiplechoicemulti multipleoptions multiselect tagbox
    dropdown list select
    consent acceptance legal legalterms terms termsandconditions
    date datepicker inputdate
    long_text comment largetext longanswer paragraph paragraphtext textarea
    url inputlink link website
    rating ces csat linearscale nps opinionscale scale stars
    hidden hiddenfield hiddenfields
    yes_no bool boolean toggle toggleswitch
    address postaladdress
    file attachment files fileupload upload";

fn plain(name: &str) -> String {
    name.to_lowercase().replace(['_', '-', ' '], "")
}

/// Returns the type of a question, or an empty string if the type is not known.
pub(super) fn kind(question: &Value) -> &'static str {
    let Some(written) = question["type"].as_str() else { return "" };
    if let Some(kind) = TYPES.split_whitespace().find(|kind| *kind == written) {
        let with_options = !objects(&question["options"]).is_empty();
        return if kind == "checkbox" && with_options { "multi_choice" } else { kind };
    }
    let name = plain(written);
    let own = TYPES.split_whitespace().find(|kind| plain(kind) == name);
    let other = NAMES.lines().find_map(|line| {
        let mut words = line.split_whitespace();
        let kind = words.next()?;
        words.any(|word| word == name).then_some(kind)
    });
    let kind = own.or(other).unwrap_or("");
    let members = ["multiple", "allowMultiple", "allow_multiple", "allowMulti", "allow_multiple_selection"];
    let multiple = match kind {
        "checkbox" => !objects(&question["options"]).is_empty(),
        "single_choice" | "dropdown" => members.iter().any(|member| question[*member] == json!(true)),
        _ => false,
    };
    if multiple { "multi_choice" } else { kind }
}

/// Returns the smallest and the largest number that a number question or a rating takes.
pub(super) fn range(question: &Value) -> (Option<f64>, Option<f64>) {
    let (min, max) = (question["min"].as_f64(), question["max"].as_f64());
    if kind(question) == "number" {
        return (min, max);
    }
    let name = plain(question["type"].as_str().unwrap());
    let ten = ["nps", "opinionscale", "linearscale", "scale"].contains(&name.as_str());
    let (first, last) = if ten { (0.0, 10.0) } else { (1.0, 5.0) };
    let named = ["range", "rateMax", "steps", "total"].iter().find_map(|name| question[*name].as_f64());
    (min.or(Some(first)), max.or(named).or(Some(last)))
}

/// Parses a date as the number of days since the beginning of the year 0.
pub(super) fn day(value: &Value) -> Option<i64> {
    let text = value.as_str()?.trim();
    let form: String = text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    if form != "0000-00-00" {
        return None;
    }
    let number = |from: usize, to: usize| text[from..to].parse::<i64>().unwrap();
    let (year, month, day) = (number(0, 4), number(5, 7), number(8, 10));
    let leap = |year: i64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = |month: i64| match month {
        2 if leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    if !(1..=12).contains(&month) || day < 1 || day > length(month) {
        return None;
    }
    let years: i64 = (0..year).map(|year| if leap(year) { 366 } else { 365 }).sum();
    let months: i64 = (1..month).map(length).sum();
    Some(years + months + day)
}

pub(super) fn truth(answer: &Value) -> Option<bool> {
    match answer {
        Value::Bool(yes) => Some(*yes),
        Value::String(text) => match text.trim().to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" => Some(true),
            "false" | "no" | "off" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

/// Returns the ids that an answer to a multiple choice contains.
pub(super) fn chosen(answer: &Value) -> Option<Vec<&str>> {
    match answer {
        Value::String(id) => Some(vec![id]),
        Value::Array(ids) => ids.iter().map(Value::as_str).collect(),
        _ => None,
    }
}
