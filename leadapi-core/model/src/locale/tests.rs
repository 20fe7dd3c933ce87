use super::{format::LOCALES, *};

#[test]
fn a_country_has_its_own_format_or_that_of_its_language() {
    assert!(LOCALES.is_sorted_by_key(|format| format.tag));
    for (locale, tag) in [
        ("de-AT", "de"),
        ("de_CH", "de-ch"),
        ("de-CH-1996", "de-ch"),
        ("EN", "en"),
        ("en-US", "en"),
        ("en-Latn-US", "en"),
        ("en-PR", "en"),
        (" en-GB ", "en-gb"),
        ("en-IN", "en-gb"),
        ("en_ZA", "en-gb"),
        ("en-SG", "en-gb"),
        ("en-001", "en-gb"),
        ("en-CA", "en-ca"),
        ("es-419", "es-mx"),
        ("es-US", "es-mx"),
        ("es-PE", "es-mx"),
        ("es-PA", "es-pr"),
        ("es-AR", "es"),
        ("de-LI", "de-ch"),
        ("en_IN.UTF-8", "en-gb"),
        ("en.UTF-8", "en"),
        ("xx", ""),
        ("", ""),
    ] {
        assert_eq!(Locale::of(locale).0.tag, tag, "{locale}");
    }
}

#[test]
fn dates_are_read_in_the_format_of_the_locale_only() {
    for (locale, text, date) in [
        ("de", "31.05.2026", Ok("2026-05-31")),
        ("de", "1.2.2026", Ok("2026-02-01")),
        ("de", " 1. 2. 2026 ", Ok("2026-02-01")),
        ("de", "2026-05-31", Ok("2026-05-31")),
        ("de", "31/05/2026", Err(DateError::NotADate)),
        ("de", "31.5.26", Err(DateError::NotADate)),
        ("de", "29.2.2026", Err(DateError::NotADate)),
        ("de", "31.05.2026.", Err(DateError::NotADate)),
        ("de", "..", Err(DateError::NotADate)),
        ("en-US", "2/1/2026", Ok("2026-02-01")),
        ("en-US", "31/1/2026", Err(DateError::NotADate)),
        ("en-GB", "2/1/2026", Ok("2026-01-02")),
        ("en-IN", "5/6/2026", Ok("2026-06-05")),
        ("en-CA", "5/6/2026", Err(DateError::NotADate)),
        ("hu", "2026.1.2", Ok("2026-01-02")),
        ("sv", "2026-1-2", Ok("2026-01-02")),
        ("nl", "2-1-2026", Ok("2026-01-02")),
        ("", "2026-05-31", Ok("2026-05-31")),
        ("", "2026-1-2", Err(DateError::NotADate)),
        ("", "31.05.2026", Err(DateError::Ambiguous)),
        ("", "5/31/2026", Err(DateError::Ambiguous)),
        ("", "31.31.2026", Err(DateError::NotADate)),
        ("", "2026-05-31T00:00", Err(DateError::NotADate)),
        ("", "٢٠٢٦-05-31", Err(DateError::NotADate)),
        ("", "", Err(DateError::NotADate)),
    ] {
        let read = Locale::of(locale).read_date(text);
        assert_eq!(read.map(|date| date.to_string()), date.map(str::to_owned), "{locale} {text}");
    }
}

#[test]
fn every_locale_reads_what_it_writes() {
    for format in LOCALES.iter().chain([&UNKNOWN]) {
        let locale = Locale(format);
        for date in ["0987-05-31", "2024-02-29", "2026-01-02", "9999-12-31"] {
            let date = date.parse().unwrap();
            assert_eq!(locale.read_date(&locale.write_date(date)), Ok(date), "{}", format.tag);
        }
        for yes in [true, false] {
            assert_eq!(locale.read_bool(locale.word(yes)), Some(yes), "{}", format.tag);
            assert_eq!(locale.read_bool(&locale.word(yes).to_uppercase()), Some(yes), "{}", format.tag);
        }
        for currency in ["", "EUR", "CHF", "USD", "BRL", "JPY", "KWD"] {
            for (number, read) in [("0", 0.0), ("-5.5", -5.5), ("1234567.125", 1_234_567.125), ("999", 999.0)] {
                // Without a locale, a number with exactly three decimal places is ambiguous.
                if format.tag.is_empty() && (currency == "KWD" || number.ends_with(".125")) {
                    continue;
                }
                let text = locale.write_money(number, currency).unwrap();
                let value: f64 = locale.read_money(&text, currency).unwrap().parse().unwrap();
                assert_eq!(value.to_bits(), f64::to_bits(read), "{} {text}", format.tag);
            }
        }
    }
}

#[test]
fn a_boolean_is_a_known_word() {
    for (locale, text, value) in [
        ("de", "JA", Some(true)),
        ("de", " Nein\n", Some(false)),
        ("de", "yes", Some(true)),
        ("de", "oui", None),
        ("fr", "Oui", Some(true)),
        ("it", "SÌ", Some(true)),
        ("it", "si", None),
        ("ru", "НЕТ", Some(false)),
        ("", "on", Some(true)),
        ("", "ja", None),
        ("", "", None),
        ("", "1", None),
    ] {
        assert_eq!(Locale::of(locale).read_bool(text), value, "{locale} {text}");
    }
}

#[test]
fn amounts_have_the_decimal_places_of_their_currency() {
    for (locale, number, currency, text) in [
        ("", "450000", "JPY", "450000 ¥"),
        ("en", "450000", "JPY", "¥450,000"),
        ("en", "0.5", "JPY", "¥0.5"),
        ("de", "1", "KWD", "1,000 KWD"),
        ("en", "0.125", "USD", "$0.125"),
        ("pt-BR", "999999.99", "BRL", "R$ 999.999,99"),
        ("de-CH", "1000", "CHF", "CHF 1’000.00"),
        ("nl", "-12", "EUR", "-€ 12,00"),
        ("de", "1000", "", "1.000,00"),
    ] {
        assert_eq!(Locale::of(locale).write_money(number, currency).as_deref(), Some(text), "{locale} {currency}");
    }
    assert_eq!(Locale::UNKNOWN.write_money("1e3", "EUR"), None);
}
