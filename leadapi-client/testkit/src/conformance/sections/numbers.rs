//! The numeric field `value` (contract D4), which is stored as a 64-bit float.

use serde_json::{Value, json};

use super::both;
use crate::conformance::run::{CreatedLead, Run};

pub(super) async fn check(run: &Run<'_>) {
    let lead = run.create_lead(&json!({})).await;
    for (sent, kept) in [
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
        // The server must write all digits, because an arbitrary-precision parser reads 9.223372036854776e18 as a
        // different number.
        ("9223372036854774784", "9223372036854774784"),
        ("9223372036854775808", "9223372036854775808"),
        ("18446744073709551616", "18446744073709551616"),
    ] {
        let sentence = format!("value is returned as the same number: {sent} as {kept}");
        run.check("D4", sentence, both::returns(run, &lead, "value", [sent, kept])).await;
    }
    for (sent, kept) in [
        ("5e-324", 5e-324),
        ("2.2250738585072014e-308", 2.225_073_858_507_201_4e-308),
        ("0.30000000000000004", 0.300_000_000_000_000_04),
        ("1e-7", 1e-7),
        ("123456.789e-3", 123.456_789),
    ] {
        run.check("D4", format!("value is stored as the nearest 64-bit float: {sent}"), async {
            let [create, patch] = both::texts(run, &lead, &format!(r#""value":{sent}"#));
            create.expect_status(201).await?.has_members(&json!({"value": kept}))?;
            patch.expect_status(200).await?.has_members(&json!({"value": kept}))
        })
        .await;
    }
    run.check("D4", "value may be cleared with null", async {
        run.patch(&lead, &json!({"value": null})).expect_status(200).await?.has_members(&json!({"value": Value::Null}))
    })
    .await;
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
        refuses(run, &lead, "an integer that a 64-bit float cannot represent", number, &["value"]).await;
    }
    for number in ["1e400", "-1e400", "1e309", "1.8e308", "1e99999999999999999999"] {
        refuses(run, &lead, "a number beyond the range of a 64-bit float", number, &["value"]).await;
    }
    for other in ["\"450\"", "\"\"", "true", "false", "[450]", "{}", "\"1e3\""] {
        refuses(run, &lead, "not a number", other, &["value", "number"]).await;
    }
    for invalid in
        ["+1", "01", "1.", ".5", "1e", "NaN", "Infinity", "-Infinity", "0x10", "1_000", "1,000.5", "--1", "-"]
    {
        refuses(run, &lead, "not a JSON number", invalid, &["", "JSON", "line 1"]).await;
    }
}

async fn refuses(run: &Run<'_>, lead: &CreatedLead, what: &str, number: &str, says: &[&str]) {
    run.check("D4", format!("value is 400: {what}: {number}"), async {
        for request in both::texts(run, lead, &format!(r#""value":{number}"#)) {
            request.expect_refusal(400, says).await?;
        }
        Ok(())
    })
    .await;
}
