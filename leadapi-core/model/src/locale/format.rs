//! The known locales, each with its formats and its words for booleans.

/// The formats of values in one language or country.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct LocaleFormat {
    /// The language, or the language and the country, in lower case.
    pub tag: &'static str,
    pub decimal: char,
    pub group: char,
    /// The date format, in which `d`, `m` and `y` stand for the day, the month and the year.
    pub date: &'static str,
    /// Whether the currency precedes the amount.
    pub currency_first: bool,
    pub yes: &'static str,
    pub no: &'static str,
}

/// The formats that apply if the locale is unknown.
pub(super) static UNKNOWN: LocaleFormat =
    LocaleFormat { tag: "", decimal: '.', group: ' ', date: "y-m-d", currency_first: false, yes: "Yes", no: "No" };

/// Returns the format of a language tag in lower case: that of its country, or else that of its language.
pub(super) fn find(tag: &str) -> Option<&'static LocaleFormat> {
    let mut parts = tag.split(['-', '.', '@']);
    let language = parts.next().unwrap_or_default();
    let is_country = |part: &&str| {
        part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_lowercase())
            || part.len() == 3 && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    let country = parts.find(is_country);
    let known = |tag: &str| LOCALES.iter().find(|format| format.tag == tag);
    let of_country = country.and_then(|country| known(&format!("{language}-{country}")));
    of_country.or_else(|| known(country.map_or(language, |country| similar(language, country))))
}

/// Returns the tag whose formats a country has that is not in the list, as in the Common Locale Data Repository (CLDR).
fn similar<'t>(language: &'t str, country: &str) -> &'t str {
    match (language, country) {
        ("de", "li") => "de-ch",
        // Only the United States, their territories and the Philippines write the month first.
        ("en", "as" | "gu" | "mh" | "mp" | "ph" | "pr" | "um" | "us" | "vi") => "en",
        ("en", _) => "en-gb",
        // These countries have a decimal point.
        ("es", "419" | "br" | "bz" | "cu" | "do" | "gt" | "hn" | "ni" | "pe" | "sv" | "us") => "es-mx",
        ("es", "pa") => "es-pr",
        (language, _) => language,
    }
}

macro_rules! locales {
    ($($tag:literal $decimal:literal $group:literal $date:literal $first:literal $yes:literal $no:literal,)+) => {
        /// The formats of the known locales, sorted by tag.
        pub(super) static LOCALES: &[LocaleFormat] = &[$(LocaleFormat {
            tag: $tag, decimal: $decimal, group: $group, date: $date, currency_first: $first, yes: $yes, no: $no,
        }),+];
    };
}

locales! {
    "cs" ',' ' ' "d.m.y" false "Ano" "Ne",
    "da" ',' '.' "d.m.y" false "Ja" "Nej",
    "de" ',' '.' "d.m.y" false "Ja" "Nein",
    "de-ch" '.' '’' "d.m.y" true "Ja" "Nein",
    "el" ',' '.' "d/m/y" false "Ναι" "Όχι",
    "en" '.' ',' "m/d/y" true "Yes" "No",
    "en-ca" '.' ',' "y-m-d" true "Yes" "No",
    "en-gb" '.' ',' "d/m/y" true "Yes" "No",
    "es" ',' '.' "d/m/y" false "Sí" "No",
    "es-mx" '.' ',' "d/m/y" true "Sí" "No",
    "es-pr" '.' ',' "m/d/y" true "Sí" "No",
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
