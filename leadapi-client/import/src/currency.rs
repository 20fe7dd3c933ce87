//! The currencies that amounts can name.

/// The currencies: their code, and the names that can precede or follow an amount. A name that ends with another name
/// is in front of it.
static CURRENCIES: [(&str, &[&str]); 20] = [
    ("BRL", &["R$", "BRL"]),
    ("EUR", &["€", "EUR"]),
    ("USD", &["US$", "$", "USD"]),
    ("GBP", &["£", "GBP"]),
    ("CHF", &["CHF", "Fr."]),
    ("JPY", &["¥", "JPY"]),
    ("PLN", &["zł", "PLN"]),
    ("INR", &["₹", "INR"]),
    ("TRY", &["₺", "TRY"]),
    ("SEK", &["SEK"]),
    ("NOK", &["NOK"]),
    ("DKK", &["DKK"]),
    ("CZK", &["Kč", "CZK"]),
    ("HUF", &["Ft", "HUF"]),
    ("RON", &["RON"]),
    ("AUD", &["A$", "AUD"]),
    ("CAD", &["CA$", "CAD"]),
    ("NZD", &["NZ$", "NZD"]),
    ("MXN", &["MX$", "MXN"]),
    ("ZAR", &["ZAR"]),
];

/// Returns the code of the currency that an amount names.
pub(crate) fn code_in(text: &str) -> Option<&'static str> {
    find(text).map(|(code, _)| code)
}

/// Returns the names of the currency that an amount names.
pub(crate) fn names_in(text: &str) -> &'static [&'static str] {
    find(text).map_or(&[], |(_, names)| names)
}

fn find(text: &str) -> Option<(&'static str, &'static [&'static str])> {
    let text = text.trim().trim_start_matches(['-', '+', '\u{2212}']).trim_start();
    let is_named = |name: &&&str| text.starts_with(**name) || text.ends_with(**name);
    // The longest name, because `A$` ends with `$`.
    let named = |(code, names): &(&'static str, &'static [&'static str])| {
        let length = names.iter().filter(is_named).map(|name| name.len()).max()?;
        Some((length, (*code, *names)))
    };
    CURRENCIES.iter().filter_map(named).max_by_key(|(length, _)| *length).map(|(_, currency)| currency)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_name_is_the_currency() {
        for (text, code) in [
            ("5 €", Some("EUR")),
            ("-$5", Some("USD")),
            ("US$ 5", Some("USD")),
            ("R$ 5", Some("BRL")),
            ("A$5", Some("AUD")),
            ("5 zł", Some("PLN")),
            ("5", None),
            ("", None),
        ] {
            assert_eq!(code_in(text), code, "{text}");
        }
    }
}
