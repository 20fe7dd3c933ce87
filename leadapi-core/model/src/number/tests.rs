use proptest::prelude::*;
use serde_json::value::RawValue;

use super::{
    NumberError::{Ambiguous, NotANumber, WrongGrouping},
    *,
};

const SPACED: NumberFormat = NumberFormat::Local { decimal: ',', group: '\u{202f}' };
const SWISS: NumberFormat = NumberFormat::Local { decimal: '.', group: '’' };
const LOCAL: [NumberFormat; 4] = [NumberFormat::DECIMAL_COMMA, NumberFormat::DECIMAL_POINT, SPACED, SWISS];

fn value(number: &str) -> f64 {
    number.parse().unwrap()
}

#[test]
fn numbers_are_read_in_their_format_only() {
    const COMMA: NumberFormat = NumberFormat::DECIMAL_COMMA;
    const POINT: NumberFormat = NumberFormat::DECIMAL_POINT;
    for (format, text, number) in [
        (COMMA, "1.234,50", Ok("1234.50")),
        (COMMA, "1.000", Ok("1000")),
        (COMMA, "1234,5", Ok("1234.5")),
        (COMMA, "-1 234 567,0", Ok("-1234567.0")),
        (COMMA, "\u{2212}5", Ok("-5")),
        (COMMA, " +007,50 ", Ok("7.50")),
        (COMMA, "99.95", Err(WrongGrouping)),
        (COMMA, "1234.5", Err(WrongGrouping)),
        (COMMA, "1234.567", Err(WrongGrouping)),
        (COMMA, "12.34,5", Err(WrongGrouping)),
        (COMMA, "1,234.50", Err(WrongGrouping)),
        (COMMA, "1.234 567", Err(WrongGrouping)),
        (COMMA, "0.125", Err(WrongGrouping)),
        (COMMA, ".500", Err(WrongGrouping)),
        (COMMA, "1,", Err(WrongGrouping)),
        (COMMA, ",5", Err(WrongGrouping)),
        (COMMA, "1,2,3", Err(WrongGrouping)),
        (COMMA, "1e3", Err(NotANumber)),
        (COMMA, "5 €", Err(NotANumber)),
        (COMMA, "--5", Err(NotANumber)),
        (COMMA, "٣", Err(NotANumber)),
        (COMMA, "", Err(NotANumber)),
        (COMMA, "-", Err(NotANumber)),
        (COMMA, ",", Err(NotANumber)),
        (POINT, "1,234.50", Ok("1234.50")),
        (POINT, "9.500", Ok("9.500")),
        (POINT, "1,5", Err(WrongGrouping)),
        (POINT, "1.234.567", Err(WrongGrouping)),
        (SPACED, "1\u{a0}234,50", Ok("1234.50")),
        (SPACED, "1.234", Err(WrongGrouping)),
        (SWISS, "1’234.50", Ok("1234.50")),
        (SWISS, "1'234.50", Ok("1234.50")),
        (NumberFormat::Unknown, "9.500", Err(Ambiguous)),
        (NumberFormat::Unknown, "-9,500", Err(Ambiguous)),
        (NumberFormat::Unknown, "0.125", Err(Ambiguous)),
        (NumberFormat::Unknown, "9.50", Ok("9.50")),
        (NumberFormat::Unknown, "9.5000", Ok("9.5000")),
        (NumberFormat::Unknown, "9500", Ok("9500")),
        (NumberFormat::Unknown, "9.500e3", Ok("9.500e3")),
        (NumberFormat::Unknown, "9,50", Err(WrongGrouping)),
        (NumberFormat::Unknown, "1.234,50", Err(WrongGrouping)),
        (NumberFormat::Unknown, "1 234", Err(WrongGrouping)),
        (NumberFormat::Plain, "9.500", Ok("9.500")),
        (NumberFormat::Plain, "5.", Ok("5")),
        (NumberFormat::Plain, "-.5", Ok("-0.5")),
        (NumberFormat::Plain, "1E-2", Ok("1e-2")),
        (NumberFormat::Plain, "1e", Err(NotANumber)),
        (NumberFormat::Plain, ".", Err(NotANumber)),
        (NumberFormat::Plain, ".e1", Err(NotANumber)),
        (NumberFormat::Plain, "1.2.3", Err(WrongGrouping)),
        (NumberFormat::Plain, "inf", Err(NotANumber)),
        (NumberFormat::Plain, "0x10", Err(NotANumber)),
        (NumberFormat::Plain, "1_000", Err(NotANumber)),
    ] {
        assert_eq!(format.read(text), number.map(str::to_owned), "{format:?} {text:?}");
    }
}

#[test]
fn an_amount_may_have_its_currency_and_a_dash() {
    const COMMA: NumberFormat = NumberFormat::DECIMAL_COMMA;
    for (format, text, amount) in [
        (COMMA, "5 €", Ok("5")),
        (COMMA, "€5", Ok("5")),
        (COMMA, "-€ 5,50", Ok("-5.50")),
        (COMMA, "€ -5,50", Ok("-5.50")),
        (COMMA, "EUR 1.500,-", Ok("1500")),
        (COMMA, "1.500,– EUR", Ok("1500")),
        (COMMA, "1.500,--", Ok("1500")),
        (COMMA, "1.500.-", Err(NotANumber)),
        (COMMA, "12,50,-", Err(WrongGrouping)),
        (COMMA, "- € -5", Err(NotANumber)),
        (COMMA, "5 EUR €", Err(NotANumber)),
        (COMMA, "€", Err(NotANumber)),
        (COMMA, "5-", Err(NotANumber)),
        (SWISS, "EUR 1'500.-", Ok("1500")),
        (NumberFormat::Unknown, "1500,-", Ok("1500")),
        (NumberFormat::Unknown, "1.500,-", Ok("1500")),
        (NumberFormat::Unknown, "1,500.-", Ok("1500")),
        (NumberFormat::Unknown, "1.500.-", Err(WrongGrouping)),
        (NumberFormat::Unknown, "1.500 €", Err(Ambiguous)),
        (NumberFormat::Plain, "5 €", Ok("5")),
        (NumberFormat::Plain, "5,-", Err(NotANumber)),
    ] {
        assert_eq!(format.read_money(text, "EUR"), amount.map(str::to_owned), "{format:?} {text:?}");
    }
}

proptest! {
    #[test]
    fn every_format_reads_what_it_writes(
        number in "-?(0|[1-9][0-9]{0,11})(\\.[0-9]{1,6})?",
        places in 0_usize..4,
    ) {
        for format in LOCAL.into_iter().chain([NumberFormat::Plain]) {
            let text = format.write(&number, places).unwrap();
            let read = format.read(&text);
            prop_assert_eq!(read.as_deref().map(value), Ok(value(&number)), "{:?} {}", format, text);
            prop_assert!(read.unwrap().starts_with(&number), "{:?} {}", format, text);
        }
    }

    #[test]
    fn a_number_of_an_unknown_locale_has_one_reading(text in "[-+]?[0-9]{0,4}([., '’][0-9]{1,4}){0,3}(,-|e2)?") {
        let read = |format: NumberFormat| [format.read(&text), format.read_money(&text, "")];
        for format in LOCAL {
            for (number, other) in read(NumberFormat::Unknown).iter().zip(read(format)) {
                if let (Ok(number), Ok(other)) = (number, other) {
                    // Both values are parsed from decimal digits, so the same number gives the same bits.
                    prop_assert_eq!(value(number).to_bits(), value(&other).to_bits(), "{:?} {}", format, text);
                }
            }
        }
    }

    #[test]
    fn numbers_are_read_as_json_numbers(text in "[-+]?[0-9.,e]{1,8}") {
        for format in LOCAL.into_iter().chain([NumberFormat::Plain, NumberFormat::Unknown]) {
            if let Ok(number) = format.read(&text) {
                prop_assert!(serde_json::from_str::<&RawValue>(&number).is_ok(), "{:?} {} {}", format, text, number);
            }
        }
    }
}
