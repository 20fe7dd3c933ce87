//! The number `value` (contract D4): any finite JSON number comes back as the same number.

use leadapi_tests::{Case, patch, request, run_table};
use serde_json::json;

#[tokio::test]
async fn a_value_comes_back_as_the_same_number_or_is_400() {
    run_table([taken(), refused()].concat()).await;
}

fn both(name: String, number: &str) -> [Case; 2] {
    let post = format!(r#"{{"client_id":"a-client-1","name":"Ann","value":{number}}}"#);
    let patch = format!(r#"{{"value": {number} }}"#);
    [
        request(format!("{name} (POST)"), "POST", "/leads").text(post).is(201),
        request(format!("{name} (PATCH)"), "PATCH", "/leads/a-lead-4").text(patch),
    ]
}

fn taken() -> Vec<Case> {
    let mut cases = Vec::new();
    for (sent, back) in [
        ("450", "450"),
        ("450.0", "450"),
        ("450.000", "450"),
        ("4.5e2", "450"),
        ("45000E-2", "450"),
        ("1e3", "1000"),
        ("0", "0"),
        ("0.0", "0"),
        ("-1", "-1"),
        ("-12.50", "-12.5"),
        ("0.1", "0.1"),
        ("99.95", "99.95"),
        ("1234567.89", "1234567.89"),
        ("9007199254740991", "9007199254740991"),
        ("9007199254740992", "9007199254740992"),
        ("9007199254740994", "9007199254740994"),
        ("-9007199254740992", "-9007199254740992"),
        ("9007199254740992.0", "9007199254740992"),
    ] {
        let name = format!("D4 {sent} comes back as {back}");
        cases.extend(both(name, sent).map(|case| case.raw(format!("\"value\":{back},"))));
    }
    for number in ["5e-324", "2.2250738585072014e-308", "0.30000000000000004", "1e-7", "123456.789e-3"] {
        let name = format!("D4 the nearest double: {number}");
        cases.extend(both(name, number).map(|case| case.at("/value", number.parse::<f64>().unwrap())));
    }
    // The exact number must come back, not only its nearest double in short form: a reader that does not use doubles
    // would take 9.223372036854776e18 for another number.
    for (sent, back) in [
        ("9223372036854774784", "9223372036854774784"),
        ("9223372036854775808", "9223372036854775808"),
        ("18446744073709551616", "18446744073709551616"),
    ] {
        let name = format!("D4 a whole number that a double holds exactly comes back as the same number: {sent}");
        cases.extend(both(name, sent).map(|case| case.raw(format!("\"value\":{back},"))));
    }
    cases.push(patch("D4 null clears it", "a-lead-1", json!({"value": null})).at("/value", json!(null)));
    cases
}

fn refused() -> Vec<Case> {
    let mut cases = Vec::new();
    for number in [
        "9007199254740993",
        "-9007199254740993",
        "9007199254740993.0",
        "900719925474099.3e1",
        "12345678901234567890123",
        "18446744073709551615",
        "100000000000000000000000",
        "1e23",
    ] {
        let name = format!("D4 a whole number that a double cannot hold exactly is 400: {number}");
        cases.extend(both(name, number).map(|case| case.is(400).blames("value")));
    }
    for number in ["1e400", "-1e400", "1e309", "1.8e308", "1e99999999999999999999"] {
        cases.extend(
            both(format!("D4 a number beyond a double is 400: {number}"), number)
                .map(|case| case.is(400).blames("value")),
        );
    }
    for other in ["\"450\"", "\"\"", "true", "false", "[450]", "{}", "\"1e3\""] {
        let name = format!("D4 not a number is 400: {other}");
        cases.extend(both(name, other).map(|case| case.is(400).blames("value").says("number")));
    }
    for broken in ["+1", "01", "1.", ".5", "1e", "NaN", "Infinity", "-Infinity", "0x10", "1_000", "1,000.5", "--1", "-"]
    {
        cases.extend(
            both(format!("D5 not a JSON number: {broken}"), broken)
                .map(|case| case.is(400).says("JSON").says("line 1")),
        );
    }
    cases
}
