//! Formats addresses and files.

use serde_json::Value;

use super::texts::web;

const MEMBERS: [&[&str]; 6] = [
    &["street", "line1", "address", "address1", "address_line1", "addressLine1", "address_line_1"],
    &["line2", "address2", "address_line2", "addressLine2", "address_line_2"],
    &["postal_code", "postalCode", "postcode", "zip", "zip_code", "zipCode"],
    &["city", "town"],
    &["region", "state", "province"],
    &["country"],
];

fn part(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.trim().to_owned(),
        other => other.to_string(),
    }
}

/// Returns an address as one line, which is empty if the address has no parts. Returns `None` if the answer is not an
/// address.
pub(super) fn address(answer: &Value) -> Option<String> {
    let mut parts: Vec<String>;
    let mut rest = vec![];
    match answer {
        Value::String(text) => return Some(text.trim().to_owned()),
        Value::Array(texts) if texts.len() <= 6 && texts.iter().all(Value::is_string) => {
            parts = texts.iter().map(part).collect();
            parts.resize(6, String::new());
            // The order of the array is street, line 2, city, region, postal code, country.
            parts.swap(2, 4);
            parts.swap(3, 4);
        }
        Value::Object(object) => {
            let mut object = object.clone();
            parts = MEMBERS
                .iter()
                .map(|names| {
                    let name =
                        names.iter().find(|name| object.get(**name).is_some_and(|value| !part(value).is_empty()));
                    name.map_or(String::new(), |name| part(&object.remove(*name).unwrap()))
                })
                .collect();
            rest = object.values().map(part).collect();
        }
        _ => return None,
    }
    let place = format!("{} {}", parts[2], parts[3]).trim().to_owned();
    let mut line = vec![parts[0].clone(), parts[1].clone(), place, parts[4].clone(), parts[5].clone()];
    line.extend(rest);
    line.retain(|part| !part.is_empty());
    Some(line.join(", "))
}

/// Returns the text of the files, or `None` if any of them has no valid URL.
pub(super) fn files(answer: &Value) -> Option<String> {
    if let Value::Array(files) = answer {
        let files: Option<Vec<String>> =
            files.iter().map(|file| if file.is_array() { None } else { self::files(file) }).collect();
        return files.map(|files| files.join(", "));
    }
    if answer.is_string() {
        return web(answer).map(str::to_owned);
    }
    let member = |names: [&str; 4]| {
        let texts = names.iter().filter_map(|name| answer.get(*name)?.as_str());
        texts.map(str::trim).find(|text| !text.is_empty())
    };
    let url = member(["url", "href", "link", "content"])?;
    let url = web(&Value::from(url))?.to_owned();
    Some(match member(["name", "fileName", "filename", "file_name"]) {
        Some(name) => format!("{name} ({url})"),
        None => url,
    })
}
