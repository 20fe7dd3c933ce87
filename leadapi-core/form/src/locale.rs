//! The known locales, each with its formats of numbers, amounts and dates and its words for booleans, and the selection
//! of a string by language.

use std::{borrow::Cow, collections::BTreeMap};

use super::{Field, Form, Raw, policy::Policy};
use leadapi_model::number::NumberFormat;

/// The formats of values in one language or country.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct LocaleFormat {
    /// The language, or the language and the country, in lower case.
    tag: &'static str,
    pub decimal: char,
    pub group: char,
    /// The date format, in which `d`, `m` and `y` stand for the day, the month and the year.
    pub date: &'static str,
    /// Whether the currency precedes the amount.
    pub currency_first: bool,
    pub yes: &'static str,
    pub no: &'static str,
}

/// The formats that apply if no known locale is set.
static NEUTRAL: LocaleFormat =
    LocaleFormat { tag: "", decimal: '.', group: ' ', date: "y-m-d", currency_first: false, yes: "Yes", no: "No" };

macro_rules! locale_formats {
    ($($tag:literal $decimal:literal $group:literal $date:literal $first:literal $yes:literal $no:literal,)+) => {
        /// The formats of the known locales, sorted by tag.
        static LOCALE_FORMATS: &[LocaleFormat] = &[$(LocaleFormat {
            tag: $tag, decimal: $decimal, group: $group, date: $date, currency_first: $first, yes: $yes, no: $no,
        }),+];
    };
}

locale_formats! {
    "cs" ',' ' ' "d.m.y" false "Ano" "Ne",
    "da" ',' '.' "d.m.y" false "Ja" "Nej",
    "de" ',' '.' "d.m.y" false "Ja" "Nein",
    "de-ch" '.' '’' "d.m.y" true "Ja" "Nein",
    "el" ',' '.' "d/m/y" false "Ναι" "Όχι",
    "en" '.' ',' "m/d/y" true "Yes" "No",
    "en-au" '.' ',' "d/m/y" true "Yes" "No",
    "en-gb" '.' ',' "d/m/y" true "Yes" "No",
    "en-ie" '.' ',' "d/m/y" true "Yes" "No",
    "en-nz" '.' ',' "d/m/y" true "Yes" "No",
    "es" ',' '.' "d/m/y" false "Sí" "No",
    "es-mx" '.' ',' "d/m/y" true "Sí" "No",
    "fi" ',' ' ' "d.m.y" false "Kyllä" "Ei",
    "fr" ',' ' ' "d/m/y" false "Oui" "Non",
    "hu" ',' ' ' "y.m.d" false "Igen" "Nem",
    "it" ',' '.' "d/m/y" false "Sì" "No",
    "nb" ',' ' ' "d.m.y" false "Ja" "Nei",
    "nl" ',' '.' "d-m-y" true "Ja" "Nee",
    "pl" ',' ' ' "d.m.y" false "Tak" "Nie",
    "pt" ',' '.' "d/m/y" false "Sim" "Não",
    "pt-br" ',' '.' "d/m/y" true "Sim" "Não",
    "ro" ',' '.' "d.m.y" false "Da" "Nu",
    "ru" ',' ' ' "d.m.y" false "Да" "Нет",
    "sk" ',' ' ' "d.m.y" false "Áno" "Nie",
    "sv" ',' ' ' "y-m-d" false "Ja" "Nej",
    "tr" ',' '.' "d.m.y" false "Evet" "Hayır",
    "uk" ',' ' ' "d.m.y" false "Так" "Ні",
}

impl LocaleFormat {
    /// Returns the formats for the locale of the policy, such as `de-AT`: the formats of the country if they are known,
    /// or else the formats of the language. For an unknown locale, returns the neutral formats.
    pub(super) fn of(policy: &Policy) -> &'static Self {
        let tag = plain(policy.locale.as_deref().unwrap_or_default());
        let known = |tag: &str| LOCALE_FORMATS.iter().find(|format| format.tag == tag);
        known(&tag).or_else(|| known(language(&tag))).unwrap_or(&NEUTRAL)
    }

    /// Returns the formats that apply if no known locale is set.
    pub(super) fn neutral() -> &'static Self {
        &NEUTRAL
    }

    /// Returns the format of numbers that visitors type.
    pub(super) fn numbers(&self) -> NumberFormat {
        if self.is_known() {
            NumberFormat::Local { decimal: self.decimal, group: self.group }
        } else {
            NumberFormat::Unknown
        }
    }

    /// Returns whether these are the formats of a known locale.
    pub(super) fn is_known(&self) -> bool {
        *self != NEUTRAL
    }

    pub(super) fn word(&self, yes: bool) -> &'static str {
        if yes { self.yes } else { self.no }
    }
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
fn plain(tag: &str) -> String {
    tag.trim().to_lowercase().replace('_', "-")
}

fn language(tag: &str) -> &str {
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

    #[test]
    fn a_country_has_its_own_format_or_that_of_its_language() {
        assert!(LOCALE_FORMATS.is_sorted_by_key(|format| format.tag));
        for (locale, tag) in [("de-AT", "de"), ("de_CH", "de-ch"), ("EN", "en"), ("en-GB", "en-gb"), ("xx", "")] {
            assert_eq!(LocaleFormat::of(&policy(locale, &[])).tag, tag);
        }
        assert!(!LocaleFormat::of(&Policy::default()).is_known());
    }
}
