//! The names and the decimal places of currencies.

/// The currencies that have names besides their codes: the code, the symbol in which amounts are written, and all names
/// with which they are read. A name precedes the names that it ends with.
const CURRENCIES: [(&str, &str, &[&str]); 15] = [
    ("AUD", "AUD", &["A$", "AUD"]),
    ("BRL", "R$", &["R$", "BRL"]),
    ("CAD", "CAD", &["CA$", "CAD"]),
    ("CHF", "CHF", &["CHF", "Fr."]),
    ("CZK", "CZK", &["Kč", "CZK"]),
    ("EUR", "€", &["€", "EUR"]),
    ("GBP", "£", &["£", "GBP"]),
    ("HUF", "HUF", &["Ft", "HUF"]),
    ("INR", "₹", &["₹", "INR"]),
    ("JPY", "¥", &["¥", "JPY"]),
    ("MXN", "MXN", &["MX$", "MXN"]),
    ("NZD", "NZD", &["NZ$", "NZD"]),
    ("PLN", "zł", &["zł", "PLN"]),
    ("TRY", "₺", &["₺", "TRY"]),
    ("USD", "$", &["US$", "$", "USD"]),
];

/// Further currencies that an amount can name, only by their codes.
const CODES: [&str; 5] = ["DKK", "NOK", "RON", "SEK", "ZAR"];

/// The currencies without decimal places (ISO 4217).
const WITHOUT_PLACES: [&str; 16] =
    ["BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "VND", "VUV", "XAF", "XOF", "XPF"];

/// The currencies with three decimal places (ISO 4217).
const THREE_PLACES: [&str; 7] = ["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"];

/// Returns the symbol of a currency, or its code if it has no symbol.
///
/// ```
/// use leadapi_model::locale::currency_symbol;
///
/// assert_eq!((currency_symbol("EUR"), currency_symbol("CHF")), ("€", "CHF"));
/// ```
pub fn currency_symbol(currency: &str) -> &str {
    CURRENCIES.iter().find(|(code, ..)| *code == currency).map_or(currency, |(_, symbol, _)| symbol)
}

/// Returns the names with which amounts of a currency are read, besides its code.
pub(crate) fn names(currency: &str) -> &'static [&'static str] {
    CURRENCIES.iter().find(|(code, ..)| *code == currency).map_or(&[], |(.., names)| names)
}

/// Returns the code of the currency that an amount names, if the name is known.
///
/// ```
/// use leadapi_model::locale::currency_in;
///
/// assert_eq!(["1.500 €", "-US$5", "A$ 5", "5"].map(currency_in), [Some("EUR"), Some("USD"), Some("AUD"), None]);
/// ```
pub fn currency_in(amount: &str) -> Option<&'static str> {
    let amount = amount.trim().trim_start_matches(['-', '+', '\u{2212}']).trim_start();
    let named = CURRENCIES.iter().flat_map(|(code, _, names)| names.iter().map(|name| (*code, *name)));
    let named = named.chain(CODES.map(|code| (code, code)));
    let found = named.filter(|(_, name)| amount.starts_with(name) || amount.ends_with(name));
    // The longest name, because `A$` ends with `$`.
    found.max_by_key(|(_, name)| name.len()).map(|(code, _)| code)
}

/// Returns the number of decimal places in which amounts of a currency are written: 2 for most, and for an unknown one.
///
/// ```
/// use leadapi_model::locale::currency_places;
///
/// assert_eq!(["EUR", "JPY", "KWD"].map(currency_places), [2, 0, 3]);
/// ```
pub fn currency_places(currency: &str) -> usize {
    if WITHOUT_PLACES.contains(&currency) {
        0
    } else if THREE_PLACES.contains(&currency) {
        3
    } else {
        2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_name_is_the_currency() {
        for (amount, code) in [
            ("5 zł", Some("PLN")),
            ("-$5", Some("USD")),
            ("US$ 5", Some("USD")),
            ("R$ 5", Some("BRL")),
            ("A$5", Some("AUD")),
            ("SEK 5", Some("SEK")),
            ("", None),
        ] {
            assert_eq!(currency_in(amount), code, "{amount}");
        }
    }

    #[test]
    fn a_name_precedes_the_names_that_it_ends_with() {
        for (code, symbol, names) in CURRENCIES {
            assert!(names.contains(&code) && names.contains(&symbol), "{code}");
            for (nth, name) in names.iter().enumerate() {
                assert!(names.iter().skip(nth + 1).all(|later| !later.ends_with(name)), "{code} {name}");
            }
        }
    }
}
