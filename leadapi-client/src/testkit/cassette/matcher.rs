//! Whether a request is the recorded one, and if not, in what it differs.

use std::collections::BTreeMap;

use super::{json::Json, target::Target};

/// What of a request is compared.
#[derive(Debug, Clone)]
pub(super) struct Asked {
    pub(super) method: String,
    pub(super) target: Target,
    pub(super) key: Option<String>,
    pub(super) body: Body,
}

impl Asked {
    /// Whether method and path are the same.
    pub(super) fn is_about_the_same(&self, other: &Self) -> bool {
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

/// Which name of the cassette stands for what in this run: one for one, in both directions.
#[derive(Debug, Default)]
struct Aliases {
    meaning: BTreeMap<String, String>,
    name: BTreeMap<String, String>,
}

impl Aliases {
    fn insert(&mut self, name: &str, meaning: &str) {
        self.meaning.insert(name.to_owned(), meaning.to_owned());
        self.name.insert(meaning.to_owned(), name.to_owned());
    }

    /// Not by `BTreeMap::append`, which walks over all that is there already.
    fn extend(&mut self, other: Self) {
        self.meaning.extend(other.meaning);
        self.name.extend(other.name);
    }
}

/// What the names of the cassette have come to stand for.
#[derive(Debug, Default)]
pub(super) struct Bound {
    keys: Aliases,
    redacted: Aliases,
}

impl Bound {
    /// What a redacted text was sent as.
    pub(super) fn redacted(&self, name: &str) -> Option<&String> {
        self.redacted.meaning.get(name)
    }

    /// Keeps what a comparison without differences has bound.
    pub(super) fn extend(&mut self, Bindings { keys, redacted }: Bindings) {
        self.keys.extend(keys);
        self.redacted.extend(redacted);
    }
}

/// What one comparison binds beyond what was bound before it.
#[derive(Debug, Default)]
pub(super) struct Bindings {
    keys: Aliases,
    redacted: Aliases,
}

/// The names that were bound before a comparison, and those that it binds itself. Nothing is copied, so that the cost of
/// a comparison does not grow with the tape.
struct Trial<'a> {
    known: &'a Aliases,
    new: &'a mut Aliases,
}

impl Trial<'_> {
    fn meaning(&self, name: &str) -> Option<&String> {
        self.known.meaning.get(name).or_else(|| self.new.meaning.get(name))
    }

    /// Whether the name may stand for this; if so, it does from now on.
    fn bind(&mut self, name: &str, meaning: &str) -> bool {
        match self.meaning(name) {
            Some(known) => known == meaning,
            None if self.known.name.contains_key(meaning) || self.new.name.contains_key(meaning) => false,
            None => {
                self.new.insert(name, meaning);
                true
            }
        }
    }
}

/// In what a request differs from a recorded one, each with how far apart that sets them.
#[derive(Debug, Default)]
pub(super) struct Differences(Vec<(u32, String)>);

impl Differences {
    pub(super) fn weight(&self) -> u32 {
        self.0.iter().map(|(weight, _)| weight).sum()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The first of them, in words.
    pub(super) fn sentence(&self) -> String {
        const SHOWN: usize = 4;
        let mut words: Vec<_> = self.0.iter().take(SHOWN).map(|(_, words)| words.clone()).collect();
        if self.0.len() > SHOWN {
            words.push(format!("and {} more", self.0.len() - SHOWN));
        }
        words.join("; ")
    }

    fn add(&mut self, weight: u32, words: String) {
        self.0.push((weight, words));
    }
}

/// Compares; what matches binds names, which the caller keeps only if there is no difference.
pub(super) fn differences(recorded: &Asked, asked: &Asked, bound: &Bound) -> (Differences, Bindings) {
    let (mut found, mut new) = (Differences::default(), Bindings::default());
    let mut keys = Trial { known: &bound.keys, new: &mut new.keys };
    let mut redacted = Trial { known: &bound.redacted, new: &mut new.redacted };
    if recorded.method != asked.method {
        found.add(20, format!("the method is {}, not {}", asked.method, recorded.method));
    }
    if recorded.target.segments != asked.target.segments {
        let alike = recorded.target.segments.iter().zip(&asked.target.segments).filter(|(a, b)| a == b).count();
        let apart = recorded.target.segments.len().max(asked.target.segments.len()).saturating_sub(alike);
        let weight = 10 + u32::try_from(apart).unwrap_or(u32::MAX / 4).min(9);
        found.add(weight, format!("the path is {}, not {}", asked.target.path(), recorded.target.path()));
    }
    query(&recorded.target.query, &asked.target.query, &mut redacted, &mut found);
    match (&recorded.body, &asked.body) {
        (Body::Json(recorded), Body::Json(asked)) => json(recorded, asked, "", &mut redacted, &mut found),
        (Body::Bytes(recorded), Body::Bytes(asked)) if recorded == asked => {}
        (_, Body::Bytes(asked)) if asked.is_empty() => found.add(3, "the body is missing".to_owned()),
        (Body::Bytes(recorded), _) if recorded.is_empty() => {
            found.add(3, "it has a body, the recorded one none".to_owned());
        }
        _ => found.add(3, "the body is another".to_owned()),
    }
    key(recorded.key.as_deref(), asked.key.as_deref(), &mut keys, &mut found);
    (found, new)
}

/// A request that is sent again keeps its key, and no two creates have the same one: what the key is does not matter.
fn key(recorded: Option<&str>, asked: Option<&str>, bound: &mut Trial<'_>, found: &mut Differences) {
    match (recorded, asked) {
        // Whoever recorded it sent none, such as a browser; our client sends one with each create.
        (None, _) => {}
        (Some(_), None) => found.add(2, "the header idempotency-key is missing".to_owned()),
        (Some(name), Some(key)) => {
            if bound.meaning(name).is_some_and(|known| known != key) {
                found.add(2, format!("the idempotency-key is not the one that was sent before as {name}"));
            } else if !bound.bind(name, key) {
                found.add(
                    2,
                    format!("the idempotency-key was sent before with another request, and {name} is a new one"),
                );
            }
        }
    }
}

/// The order of parameters does not matter, that of the values of one does.
fn query(recorded: &[(String, String)], asked: &[(String, String)], bound: &mut Trial<'_>, found: &mut Differences) {
    let sorted = |query: &[(String, String)]| {
        let mut sorted = BTreeMap::<String, Vec<String>>::new();
        for (name, value) in query {
            sorted.entry(name.clone()).or_default().push(value.clone());
        }
        sorted
    };
    let (recorded, asked) = (sorted(recorded), sorted(asked));
    for (name, values) in &recorded {
        match asked.get(name) {
            None => found.add(2, format!("the parameter {name} is missing")),
            Some(others) => {
                let alike = values.len() == others.len()
                    && values.iter().zip(others).all(|(value, other)| same_text(value, other, bound));
                if !alike {
                    let (asked, recorded) = (others.join(", "), values.join(", "));
                    found.add(2, format!("the parameter {name} is {}, not {}", brief(&asked), brief(&recorded)));
                }
            }
        }
    }
    for name in asked.keys().filter(|name| !recorded.contains_key(*name)) {
        found.add(2, format!("the parameter {name} is not recorded"));
    }
}

fn json(recorded: &Json, asked: &Json, at: &str, bound: &mut Trial<'_>, found: &mut Differences) {
    match (recorded, asked) {
        (Json::Object(fields), Json::Object(others)) => {
            for (key, value) in fields {
                let at = pointer(at, key);
                match asked.field(key) {
                    Some(other) => json(value, other, &at, bound, found),
                    None => found.add(1, format!("{at} is missing in the body")),
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
            found.add(1, format!("{at} is {}, not {}", brief(&asked.to_string()), brief(&recorded.to_string())));
        }
    }
}

/// A text that was redacted may be any, but the same one everywhere.
fn same_text(recorded: &str, asked: &str, bound: &mut Trial<'_>) -> bool {
    recorded == asked || (is_redacted(recorded) && bound.bind(recorded, asked))
}

pub(super) fn is_redacted(text: &str) -> bool {
    let number = text.strip_prefix("redacted-");
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit()))
}

/// 450 and 450.0 are one number; `true`, `false` and `null` are themselves.
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

/// As much of a value as fits a sentence.
fn brief(text: &str) -> String {
    const MOST: usize = 80;
    let mut brief: String = text.chars().take(MOST).collect();
    if brief.len() < text.len() {
        brief.push('…');
    }
    brief
}
