//! Compares answers with the values of conditions.

use serde_json::Value;

use super::{
    kinds::{chosen, day, kind, truth},
    mail::{alternatives, mail},
    values::{number_of, options, written},
};

/// Returns the plain operator, and whether its result is negated. Returns `None` if the operator is unknown.
pub(super) fn operator(name: &str, value: &Value) -> Option<(&'static str, bool)> {
    let plain = name.to_lowercase().replace(['_', '-', ' '], "");
    Some(match plain.as_str() {
        "exists" if *value == false => ("is_filled", true),
        "isfilled" | "exists" | "isnotempty" | "isset" | "issubmitted" | "notempty" => ("is_filled", false),
        "isempty" | "empty" | "isnotset" | "isskipped" => ("is_filled", true),
        "equals" | "=" | "==" | "equal" | "equalto" | "is" | "isequal" | "isequalto" | "on" => ("equals", false),
        "notequals" | "!=" | "<>" | "doesnotequal" | "isnot" | "isnotequal" | "isnotequalto" | "notequal"
        | "notequalto" | "noton" => ("equals", true),
        "gt" | ">" | "greater" | "greaterthan" | "isgreaterthan" => ("gt", false),
        "gte"
        | ">="
        | "greaterequalthan"
        | "greaterorequal"
        | "greaterorequalthan"
        | "greaterthanorequal"
        | "greaterthanorequalto"
        | "isgreaterthanorequal"
        | "isgreaterthanorequalto"
        | "laterthanoron"
        | "onorafter" => ("gte", false),
        "lt" | "<" | "islessthan" | "less" | "lessthan" | "lowerthan" => ("lt", false),
        "lte"
        | "<="
        | "earlierthanoron"
        | "islessthanorequal"
        | "islessthanorequalto"
        | "lessorequal"
        | "lessorequalthan"
        | "lessthanorequal"
        | "lessthanorequalto"
        | "lowerequalthan"
        | "onorbefore" => ("lte", false),
        "between" | "isbetween" => ("between", false),
        "contains" | "allof" | "includes" | "includesallof" => ("contains", false),
        "notcontains" | "doesnotcontain" | "doesnotinclude" | "doesnotincludeallof" | "notincludes" => {
            ("contains", true)
        }
        "startswith" | "beginswith" => ("starts_with", false),
        "notstartswith" | "doesnotbeginwith" | "doesnotstartwith" => ("starts_with", true),
        "endswith" => ("ends_with", false),
        "notendswith" | "doesnotendwith" => ("ends_with", true),
        "in" | "anyof" | "equalsoneof" | "includesoneof" | "isanyof" | "isoneof" => ("in", false),
        "notin" | "doesnotincludeoneof" | "isnoneof" | "isnotoneof" | "noneof" => ("in", true),
        "before" | "earlierthan" | "isbefore" => ("before", false),
        "after" | "isafter" | "laterthan" => ("after", false),
        "ischecked" | "isaccepted" => ("is_checked", false),
        "isnotchecked" => ("is_checked", true),
        _ => return None,
    })
}

/// The category of a question's answers, which determines how conditions compare them.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Family {
    Choice,
    Number,
    Date,
    Bool,
    Text,
    /// An answer that is only known to exist.
    Structure,
    Score,
    Unknown,
}

pub(super) fn family(question: &Value) -> Family {
    match kind(question) {
        "single_choice" | "dropdown" | "multi_choice" => Family::Choice,
        "number" | "rating" => Family::Number,
        "date" => Family::Date,
        "checkbox" | "consent" | "yes_no" => Family::Bool,
        "short_text" | "long_text" | "email" | "phone" | "url" => Family::Text,
        "address" | "file" => Family::Structure,
        _ => Family::Unknown,
    }
}

/// Compares an answer with a value. Returns `None` if the operator or the value does not fit the question, in which case
/// the condition never holds.
pub(super) fn compare(
    op: &str,
    question: &Value,
    family: Family,
    answer: Option<&Value>,
    value: &Value,
) -> Option<bool> {
    use Family::{Bool, Choice, Date, Number, Score, Structure, Text, Unknown};
    let equal = |value: &Value| equal(question, family, answer, value);
    let is_mail = kind(question) == "email";
    let spellings = |text: &str| if is_mail { alternatives(op, text) } else { vec![text.to_owned()] };
    let list = || value.as_array().cloned().unwrap_or_else(|| vec![value.clone()]);
    // Arrays inside an array, and anything else that is not a plain value, make the whole value unreadable.
    if value
        .as_array()
        .is_some_and(|all| all.iter().any(|value| value.is_array() || value.is_object() || value.is_null()))
    {
        let answer = if op == "is_checked" { answer.filter(|answer| truth(answer) == Some(true)) } else { answer };
        let unary = op == "is_filled" && family != Score || op == "is_checked" && family == Bool;
        return unary.then_some(answer.is_some());
    }
    match (op, family) {
        ("is_filled", Choice | Number | Date | Bool | Text | Structure | Unknown) => Some(answer.is_some()),
        ("is_checked", Bool) => Some(answer.and_then(truth) == Some(true)),
        (_, Structure) => None,
        ("before" | "after" | "gt" | "gte" | "lt" | "lte" | "between", Date) => {
            ordered(op, value, day, answer.and_then(day))
        }
        ("equals", _) => equal(value),
        ("in", _) => {
            let fitting: Vec<bool> = list().iter().filter_map(equal).collect();
            if fitting.is_empty() { None } else { Some(fitting.contains(&true)) }
        }
        ("contains", Choice) => {
            let all: Option<Vec<bool>> = list().iter().map(equal).collect();
            all.filter(|all| !all.is_empty()).map(|all| !all.contains(&false))
        }
        ("contains", Text | Unknown) => {
            let parts: Option<Vec<String>> = list().iter().map(words).collect();
            let parts = parts.filter(|parts| !parts.is_empty())?;
            let has = |text: &str, part: &String| spellings(part).iter().any(|part| text.contains(part));
            Some(text(answer).is_some_and(|text| parts.iter().all(|part| has(&text, part))))
        }
        ("starts_with", Text | Unknown) => {
            let start = spellings(&words(value)?);
            Some(text(answer).is_some_and(|text| start.iter().any(|start| text.starts_with(start))))
        }
        ("ends_with", Text | Unknown) => {
            let end = spellings(&words(value)?);
            Some(text(answer).is_some_and(|text| end.iter().any(|end| text.ends_with(end))))
        }
        ("gt" | "gte" | "lt" | "lte" | "between", Number | Score | Unknown) => {
            // Only questions of the family `Number` read numbers from text.
            let number = answer.filter(|answer| family != Unknown || answer.is_number()).and_then(number_of);
            ordered(op, value, number_of, number)
        }
        _ => None,
    }
}

/// Compares an ordered answer with the bounds in the value. Returns `None` if no answer can be within the bounds.
fn ordered<T: PartialOrd>(
    op: &str,
    value: &Value,
    read: impl Fn(&Value) -> Option<T>,
    answer: Option<T>,
) -> Option<bool> {
    if op == "between" {
        let [low, high] = value.as_array()?.as_slice() else { return None };
        let (low, high) = (read(low)?, read(high)?);
        return (low <= high).then(|| answer.is_some_and(|answer| low <= answer && answer <= high));
    }
    let bound = read(value)?;
    Some(answer.is_some_and(|answer| match op {
        "gt" | "after" => answer > bound,
        "gte" => answer >= bound,
        "lt" | "before" => answer < bound,
        "lte" => answer <= bound,
        _ => panic!("{op}"),
    }))
}

fn equal(question: &Value, family: Family, answer: Option<&Value>, value: &Value) -> Option<bool> {
    match family {
        Family::Choice => {
            let exists = options(question).iter().any(|(id, _)| Some(*id) == value.as_str());
            let chosen = answer.map(|answer| chosen(answer).unwrap()).unwrap_or_default();
            exists.then(|| chosen.iter().any(|id| Some(*id) == value.as_str()))
        }
        Family::Date => {
            let date = day(value)?;
            Some(answer.and_then(day) == Some(date))
        }
        Family::Bool => {
            let expected = truth(value)?;
            Some(answer.and_then(truth) == Some(expected))
        }
        Family::Structure => None,
        Family::Number | Family::Score => {
            let number = number_of(value)?;
            Some(answer.and_then(number_of) == Some(number))
        }
        Family::Text | Family::Unknown => {
            let words = words(value)?;
            let words = if kind(question) == "email" { mail(&words) } else { words };
            let simple = answer.filter(|answer| !answer.is_array() && !answer.is_object());
            Some(simple.is_some_and(|answer| written(answer) == words))
        }
    }
}

/// Returns the text of an answer that is a string, a number or a boolean.
fn text(answer: Option<&Value>) -> Option<String> {
    answer.filter(|answer| !answer.is_array() && !answer.is_object()).map(written)
}

/// Returns the text that a value stands for.
fn words(value: &Value) -> Option<String> {
    let words = match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(_) => value.to_string(),
        _ => return None,
    };
    (!words.is_empty()).then_some(words)
}
