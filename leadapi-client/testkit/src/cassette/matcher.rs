//! Compares a request with a recorded request and describes the differences.

use std::collections::BTreeMap;

use super::{json::Json, target::Target};

/// The parts of a request that a replay compares.
#[derive(Debug, Clone)]
pub(super) struct ComparedRequest {
    pub(super) method: String,
    pub(super) target: Target,
    pub(super) key: Option<String>,
    pub(super) body: Body,
}

impl ComparedRequest {
    /// Returns whether both requests have the same method and path.
    pub(super) fn has_same_target(&self, other: &Self) -> bool {
        self.method == other.method && self.target.segments == other.target.segments
    }
}

#[derive(Debug, Clone)]
pub(super) enum Body {
    Json(Json),
    Bytes(Vec<u8>),
}

impl Body {
    pub(super) fn new(bytes: &[u8]) -> Self {
        let json = std::str::from_utf8(bytes).ok().and_then(Json::parse);
        json.map_or_else(|| Self::Bytes(bytes.to_owned()), Self::Json)
    }
}

/// A one-to-one mapping between the placeholders of the cassette and the values of this run.
#[derive(Debug, Default)]
struct Aliases {
    values: BTreeMap<String, String>,
    placeholders: BTreeMap<String, String>,
}

impl Aliases {
    fn insert(&mut self, placeholder: &str, value: &str) {
        self.values.insert(placeholder.to_owned(), value.to_owned());
        self.placeholders.insert(value.to_owned(), placeholder.to_owned());
    }

    /// Merges the bindings one by one. `BTreeMap::append` would iterate over all existing entries.
    fn extend(&mut self, other: Self) {
        self.values.extend(other.values);
        self.placeholders.extend(other.placeholders);
    }
}

/// The cassette's placeholders that are bound to a value in this run.
#[derive(Debug, Default)]
pub(super) struct BoundPlaceholders {
    keys: Aliases,
    redacted: Aliases,
}

impl BoundPlaceholders {
    /// Returns the value that this run sent in place of a redacted string.
    pub(super) fn redacted(&self, placeholder: &str) -> Option<&String> {
        self.redacted.values.get(placeholder)
    }

    /// Adds the bindings from a comparison that found no differences.
    pub(super) fn extend(&mut self, NewBindings { keys, redacted }: NewBindings) {
        self.keys.extend(keys);
        self.redacted.extend(redacted);
    }
}

/// The bindings added by one comparison.
#[derive(Debug, Default)]
pub(super) struct NewBindings {
    keys: Aliases,
    redacted: Aliases,
}

/// The existing bindings, and the bindings that the current comparison adds. The existing bindings are borrowed rather
/// than copied, so the cost of a comparison does not grow with the cassette.
struct Candidate<'a> {
    known: &'a Aliases,
    new: &'a mut Aliases,
}

impl Candidate<'_> {
    fn value(&self, placeholder: &str) -> Option<&String> {
        self.known.values.get(placeholder).or_else(|| self.new.values.get(placeholder))
    }

    /// Binds the placeholder to the value. Returns `false` if either is already bound to something else.
    fn bind(&mut self, placeholder: &str, value: &str) -> bool {
        match self.value(placeholder) {
            Some(known) => known == value,
            None if self.known.placeholders.contains_key(value) || self.new.placeholders.contains_key(value) => false,
            None => {
                self.new.insert(placeholder, value);
                true
            }
        }
    }
}

/// The differences between a request and a recorded request, each with a weight.
#[derive(Debug, Default)]
pub(super) struct Differences(Vec<(u32, String)>);

impl Differences {
    pub(super) fn weight(&self) -> u32 {
        self.0.iter().map(|(weight, _)| weight).sum()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Describes at most four differences.
    pub(super) fn description(&self) -> String {
        const MAX: usize = 4;
        let mut texts: Vec<_> = self.0.iter().take(MAX).map(|(_, text)| text.clone()).collect();
        if self.0.len() > MAX {
            texts.push(format!("and {} more", self.0.len() - MAX));
        }
        texts.join("; ")
    }

    fn add(&mut self, weight: u32, text: String) {
        self.0.push((weight, text));
    }
}

/// Compares two requests. The caller keeps the new bindings only if there are no differences.
pub(super) fn differences(
    recorded: &ComparedRequest,
    sent: &ComparedRequest,
    bound: &BoundPlaceholders,
) -> (Differences, NewBindings) {
    let (mut found, mut new) = (Differences::default(), NewBindings::default());
    let mut keys = Candidate { known: &bound.keys, new: &mut new.keys };
    let mut redacted = Candidate { known: &bound.redacted, new: &mut new.redacted };
    if recorded.method != sent.method {
        found.add(20, format!("the method is {}, not {}", sent.method, recorded.method));
    }
    if recorded.target.segments != sent.target.segments {
        let common = recorded.target.segments.iter().zip(&sent.target.segments).filter(|(a, b)| a == b).count();
        let apart = recorded.target.segments.len().max(sent.target.segments.len()).saturating_sub(common);
        let weight = 10 + u32::try_from(apart).unwrap_or(u32::MAX / 4).min(9);
        found.add(weight, format!("the path is {}, not {}", sent.target.path(), recorded.target.path()));
    }
    query(&recorded.target.query, &sent.target.query, &mut redacted, &mut found);
    match (&recorded.body, &sent.body) {
        (Body::Json(recorded), Body::Json(sent)) => json(recorded, sent, "", &mut redacted, &mut found),
        (Body::Bytes(recorded), Body::Bytes(sent)) if recorded == sent => {}
        (_, Body::Bytes(sent)) if sent.is_empty() => found.add(3, "the body is missing".to_owned()),
        (Body::Bytes(recorded), _) if recorded.is_empty() => {
            found.add(3, "it has a body, but the recorded request has none".to_owned());
        }
        _ => found.add(3, "the body differs".to_owned()),
    }
    key(recorded.key.as_deref(), sent.key.as_deref(), &mut keys, &mut found);
    (found, new)
}

/// Compares idempotency keys. Their values may differ, but a retry must use the same key, and a different create must
/// use a different key.
fn key(recorded: Option<&str>, sent: Option<&str>, bound: &mut Candidate<'_>, found: &mut Differences) {
    match (recorded, sent) {
        // A recording from a browser contains no key. In that case, any key matches, because `leadapi-client` sends a
        // key by default.
        (None, _) => {}
        (Some(_), None) => found.add(2, "the header idempotency-key is missing".to_owned()),
        (Some(name), Some(key)) => {
            if bound.value(name).is_some_and(|known| known != key) {
                found.add(2, format!("the idempotency-key differs from the one sent earlier as {name}"));
            } else if !bound.bind(name, key) {
                found.add(2, format!("the idempotency-key was already sent with another request, but {name} is new"));
            }
        }
    }
}

/// Compares query parameters. Their order matters only among values of the same parameter.
fn query(recorded: &[(String, String)], sent: &[(String, String)], bound: &mut Candidate<'_>, found: &mut Differences) {
    let sorted = |query: &[(String, String)]| {
        let mut sorted = BTreeMap::<String, Vec<String>>::new();
        for (name, value) in query {
            sorted.entry(name.clone()).or_default().push(value.clone());
        }
        sorted
    };
    let (recorded, sent) = (sorted(recorded), sorted(sent));
    for (name, values) in &recorded {
        match sent.get(name) {
            None => found.add(2, format!("the parameter {name} is missing")),
            Some(others) => {
                let common = values.len() == others.len()
                    && values.iter().zip(others).all(|(value, other)| same_text(value, other, bound));
                if !common {
                    let (sent, recorded) = (others.join(", "), values.join(", "));
                    found.add(2, format!("the parameter {name} is {}, not {}", brief(&sent), brief(&recorded)));
                }
            }
        }
    }
    for name in sent.keys().filter(|name| !recorded.contains_key(*name)) {
        found.add(2, format!("the parameter {name} is not recorded"));
    }
}

fn json(recorded: &Json, sent: &Json, at: &str, bound: &mut Candidate<'_>, found: &mut Differences) {
    match (recorded, sent) {
        (Json::Object(fields), Json::Object(others)) => {
            for (key, value) in fields {
                let at = pointer(at, key);
                match sent.field(key) {
                    Some(other) => json(value, other, &at, bound, found),
                    None => found.add(1, format!("{at} is missing from the body")),
                }
            }
            for (key, _) in others.iter().filter(|(key, _)| recorded.field(key).is_none()) {
                found.add(1, format!("{} is not recorded", pointer(at, key)));
            }
        }
        (Json::Array(items), Json::Array(others)) if items.len() == others.len() => {
            for (nth, (item, other)) in items.iter().zip(others).enumerate() {
                json(item, other, &pointer(at, &nth.to_string()), bound, found);
            }
        }
        (Json::Text(text), Json::Text(other)) if same_text(text, other, bound) => {}
        (Json::Other(one), Json::Other(other)) if same_number(one, other) => {}
        _ => {
            let at = if at.is_empty() { "the body" } else { at };
            found.add(1, format!("{at} is {}, not {}", brief(&sent.to_string()), brief(&recorded.to_string())));
        }
    }
}

/// Compares two strings. A redacted string matches any value, but must match the same value every time.
fn same_text(recorded: &str, sent: &str, bound: &mut Candidate<'_>) -> bool {
    recorded == sent || (is_redacted(recorded) && bound.bind(recorded, sent))
}

pub(super) fn is_redacted(text: &str) -> bool {
    let number = text.strip_prefix("redacted-");
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit()))
}

/// Compares two numbers by value, so 450 equals 450.0. `true`, `false` and `null` are compared as text.
fn same_number(one: &str, other: &str) -> bool {
    if one == other {
        return true;
    }
    if let (Ok(one), Ok(other)) = (one.parse::<i128>(), other.parse::<i128>()) {
        return one == other;
    }
    matches!((one.parse::<f64>(), other.parse::<f64>()), (Ok(one), Ok(other)) if one.total_cmp(&other).is_eq())
}

fn pointer(at: &str, key: &str) -> String {
    format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"))
}

fn brief(text: &str) -> String {
    const MAX_CHARS: usize = 80;
    let mut brief: String = text.chars().take(MAX_CHARS).collect();
    if brief.len() < text.len() {
        brief.push('…');
    }
    brief
}
