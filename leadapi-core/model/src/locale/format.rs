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
