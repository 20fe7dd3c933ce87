//! The locale of a form, and the selection of a string by language.

use std::{borrow::Cow, collections::BTreeMap};

use super::{Field, Form, Raw, policy::Policy};
use leadapi_model::locale::Locale;

/// Returns the locale of the policy.
pub(super) fn locale_of(policy: &Policy) -> Locale {
    policy.locale.as_deref().map_or(Locale::UNKNOWN, Locale::of)
}

/// Returns a copy of the policy. If the policy has no locale, the copy has the `locale` of the form, or else the first
/// of the form's `languages`.
pub(super) fn with_locale_of(form: Option<&Form>, policy: &Policy) -> Policy {
    let mut policy = policy.clone();
    let mut own = form.into_iter().flat_map(|form| form.locale.get().into_iter().chain(form.languages.items()));
    policy.locale = policy.locale.or_else(|| own.find(|tag| !tag.trim().is_empty()).cloned());
    policy
}

/// Returns a language tag in lower case, with `-` between its parts.
pub(super) fn plain(tag: &str) -> String {
    tag.trim().to_lowercase().replace('_', "-")
}

/// Returns the language of a tag that [`plain`] returned.
pub(super) fn language(tag: &str) -> &str {
    tag.split('-').next().unwrap_or(tag)
}

/// Returns the string in a field. If the field is an object with one string per language, the policy chooses the
/// language.
pub(super) fn choose<'f>(text: &'f Field<String>, policy: &Policy) -> Option<Cow<'f, str>> {
    match text {
        Field::Value(text) => Some(text.into()),
        Field::Other(raw) => chosen(texts(raw)?, policy).map(Cow::Owned),
        Field::Absent | Field::Null => None,
    }
}

/// Like [`choose`], but returns `None` if the text is blank.
pub(super) fn choose_filled<'f>(text: &'f Field<String>, policy: &Policy) -> Option<Cow<'f, str>> {
    choose(text, policy).filter(|text| !text.trim().is_empty())
}

/// Returns the non-blank strings of an object by language, or `None` if there are none or the JSON is not an object of
/// strings.
pub(super) fn texts(raw: &Raw) -> Option<BTreeMap<String, String>> {
    if !raw.text().starts_with('{') {
        return None;
    }
    let members: BTreeMap<String, Option<String>> = raw.read().ok()?;
    let filled =
        members.into_iter().filter_map(|(tag, text)| Some((tag, text.filter(|text| !text.trim().is_empty())?)));
    let texts: BTreeMap<String, String> = filled.collect();
    (!texts.is_empty()).then_some(texts)
}

/// Chooses the string in the first language of the policy that has one, or else the string under `default`, the English
/// string or the first string, in this order. Returns `None` only if there are no strings.
fn chosen(texts: BTreeMap<String, String>, policy: &Policy) -> Option<String> {
    let wanted = policy.locale.iter().chain(&policy.fallback_locales).map(String::as_str).chain(["default", "en"]);
    let mut found = None;
    for wanted in wanted.map(plain) {
        let same = |same: &dyn Fn(&str) -> bool| texts.keys().find(|tag| same(&plain(tag)));
        found = same(&|tag| tag == wanted)
            .or_else(|| same(&|tag| tag == language(&wanted)))
            .or_else(|| same(&|tag| language(tag) == language(&wanted)));
        if found.is_some() {
            break;
        }
    }
    let tag = found.cloned().or_else(|| texts.keys().next().cloned())?;
    let mut texts = texts;
    texts.remove(&tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(json: &str) -> Field<String> {
        serde_json::from_str(json).unwrap()
    }

    fn policy(locale: &str, fallbacks: &[&str]) -> Policy {
        Policy {
            locale: (!locale.is_empty()).then(|| locale.to_owned()),
            fallback_locales: fallbacks.iter().map(|tag| (*tag).to_owned()).collect(),
            ..Policy::default()
        }
    }

    #[test]
    fn the_nearest_language_is_chosen() {
        let label = field(r#"{"de":"Hallo","en-GB":"Hello","fr":" ","pt_BR":"Olá"}"#);
        for (locale, fallbacks, text) in [
            ("de", &[][..], "Hallo"),
            ("de-AT", &[], "Hallo"),
            ("DE_ch", &[], "Hallo"),
            ("en-US", &[], "Hello"),
            ("pt-BR", &[], "Olá"),
            ("fr", &["pt"], "Olá"),
            ("it", &["es", "de"], "Hallo"),
            ("it", &[], "Hello"),
            ("", &[], "Hello"),
        ] {
            assert_eq!(choose(&label, &policy(locale, fallbacks)).as_deref(), Some(text), "{locale} {fallbacks:?}");
        }
        let other = field(r#"{"nl":"Hallo","da":"Hej"}"#);
        assert_eq!(choose(&other, &policy("it", &[])).as_deref(), Some("Hej"));
        for none in [r#"{"de":7}"#, r#"{"de":" "}"#, "{}", "[]", "7"] {
            assert_eq!(choose(&field(none), &policy("de", &[])), None, "{none}");
        }
    }
}
