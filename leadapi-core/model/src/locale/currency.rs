//! The symbols and the decimal places of currencies.

/// The symbols of some currencies. The other currencies are written as their codes.
const SYMBOLS: [(&str, &str); 8] =
    [("EUR", "€"), ("USD", "$"), ("GBP", "£"), ("JPY", "¥"), ("BRL", "R$"), ("PLN", "zł"), ("INR", "₹"), ("TRY", "₺")];

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
    SYMBOLS.iter().find(|(code, _)| *code == currency).map_or(currency, |(_, symbol)| symbol)
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
