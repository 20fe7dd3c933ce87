//! The rules of the text fields (contract D4), on POST and PATCH alike.

use leadapi_tests::{Case, patch, post, run_table};
use serde_json::{Value, json};

const FIELDS: [&str; 6] = ["name", "email", "phone", "source", "notes", "business_name"];

#[tokio::test]
async fn text_fields_are_validated_and_trimmed() {
    run_table([lengths(), trimming(), controls(), emails(), phones(), kept()].concat()).await;
}

fn posted(name: &str, field: &str, value: &str) -> Case {
    let mut body = json!({"client_id": "a-client-1", "name": "Ann"});
    body[field] = value.into();
    post(format!("{name} (POST)"), body)
}

fn patched(name: &str, field: &str, value: &str) -> Case {
    patch(format!("{name} (PATCH)"), "a-lead-1", json!({field: value}))
}

/// The value is accepted, and the response contains `kept`.
fn takes(name: &str, field: &str, value: &str, kept: impl Into<Value>) -> [Case; 2] {
    let (name, kept) = (&format!("{name}: {field}"), kept.into());
    let pointer = format!("/{field}");
    [posted(name, field, value).at(&pointer, kept.clone()), patched(name, field, value).at(&pointer, kept)]
}

/// The value is rejected, and the message contains `says`.
fn refuses(name: &str, field: &str, value: &str, says: &str) -> [Case; 2] {
    let name = &format!("{name}: {field}");
    [posted(name, field, value), patched(name, field, value)].map(|case| case.is(400).blames(field).says(says))
}

fn lengths() -> Vec<Case> {
    let mut cases = Vec::new();
    for (field, max) in [("name", 200), ("business_name", 200), ("source", 100), ("notes", 10_000)] {
        // Lengths count code points: besides ASCII, characters of two and four bytes, and a letter with a combining
        // mark, which counts as two.
        for unit in ["x", "ü", "😀", "e\u{301}"] {
            let fits = unit.repeat(max / unit.chars().count());
            let name = format!("D4 {max} code points fit ({unit})");
            cases.extend(takes(&name, field, &fits, fits.clone()));
            let name = format!("D4 {} code points are too long, never cut ({unit})", max + 1);
            cases.extend(refuses(&name, field, &format!("{fits}x"), &max.to_string()));
        }
    }
    for field in ["name", "business_name"] {
        let fits = "x".repeat(200);
        cases.extend(takes("D4 trimmed before the length is counted", field, &format!("  {fits}\u{3000}"), fits));
    }
    let padded = format!(" {}", "x".repeat(100));
    cases.extend(refuses("D4 outer blanks of an untrimmed field count", "source", &padded, "100"));
    let padded = format!("{}\n", "x".repeat(10_000));
    cases.extend(refuses("D4 outer blanks of an untrimmed field count", "notes", &padded, "10000"));
    let digits = "1".repeat(50);
    cases.extend(takes("D4 50 characters fit", "phone", &digits, digits.clone()));
    cases.extend(refuses("D4 51 characters are too long", "phone", &format!("{digits}1"), "50"));
    cases.extend(takes("D4 trimmed before the length is counted", "phone", &format!(" {digits} "), digits));
    let longest = format!("{}@{}.de", "a".repeat(64), "b".repeat(186));
    cases.extend(takes("D4 254 characters fit", "email", &longest, longest.clone()));
    cases.extend(takes("D4 trimmed before the length is counted", "email", &format!("\t{longest}\n"), longest.clone()));
    cases.extend(refuses("D4 255 characters are too long", "email", &format!("{longest}e"), "254"));
    let wide = format!("{}@{}.de", "ä".repeat(64), "ö".repeat(186));
    cases.extend(takes("D4 254 code points fit", "email", &wide, wide.clone()));
    cases
}

fn trimming() -> Vec<Case> {
    // Every character of Unicode White_Space.
    let white: String = "\t\n\u{b}\u{c}\r \u{85}\u{a0}\u{1680}\u{2000}\u{2001}\u{2002}\u{2003}\u{2004}\u{2005}\u{2006}\
        \u{2007}\u{2008}\u{2009}\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}"
        .into();
    let around = |text: &str| format!("{white}{text}{white}");
    let mut cases = Vec::new();
    for (field, text) in [("name", "Ann  B"), ("business_name", "B & C"), ("email", "a@b.c"), ("phone", "1 2 3")] {
        cases.extend(takes("D4 trimmed means Unicode White_Space at both ends", field, &around(text), text));
    }
    for field in ["email", "phone", "source", "notes", "business_name", "pipeline_id", "stage_id"] {
        for blank in ["", " ", white.as_str()] {
            let name = format!("D4 blanks are null ({} of them)", blank.chars().count());
            cases.extend(takes(&name, field, blank, Value::Null));
        }
    }
    for blank in ["", " ", white.as_str()] {
        cases.extend(refuses("D4 blanks in what is required are 400", "name", blank, "name"));
    }
    // ZERO WIDTH SPACE and the byte order mark do not have the property White_Space.
    cases.extend(takes("D4 what is no White_Space stays", "name", "\u{200b}Ann\u{feff}", "\u{200b}Ann\u{feff}"));
    cases.extend(takes("D4 what is no White_Space is no blank", "source", "\u{200b}", "\u{200b}"));
    cases.extend(takes("D4 kept as sent", "source", "  Web Site ", "  Web Site "));
    cases.extend(takes(
        "D4 line breaks, tabs and outer blanks kept",
        "notes",
        " \n\ta\r\n\u{2028}b \n",
        " \n\ta\r\n\u{2028}b \n",
    ));
    cases
}

fn controls() -> Vec<Case> {
    let mut cases = Vec::new();
    for control in
        ['\0', '\u{1}', '\u{8}', '\u{b}', '\u{c}', '\u{1b}', '\u{1f}', '\u{7f}', '\u{80}', '\u{85}', '\u{9f}']
    {
        for field in FIELDS {
            let text = match field {
                "email" => format!("a{control}b@example.org"),
                "phone" => format!("123{control}456"),
                _ => format!("a{control}b"),
            };
            let name = format!("D4 control characters are 400: U+{:04X}", control as u32);
            cases.extend(refuses(&name, field, &text, "control"));
        }
    }
    for breaks in ['\n', '\r', '\t'] {
        for field in ["name", "business_name", "source", "phone"] {
            let text = format!("123{breaks}456");
            cases.extend(refuses("D4 line breaks and tabs are for notes only", field, &text, "control"));
        }
        cases.extend(refuses(
            "D4 a line break at the end of an untrimmed field",
            "source",
            &format!("web{breaks}"),
            "control",
        ));
        cases.extend(takes("D4 line breaks and tabs in notes", "notes", &format!("a{breaks}b"), format!("a{breaks}b")));
    }
    for field in ["client_id", "pipeline_id", "stage_id"] {
        cases.push(posted(&format!("D4 NUL is 400 in every text field: {field}"), field, "a\0b").is(400).blames(field));
    }
    for field in ["pipeline_id", "stage_id"] {
        cases
            .push(patched(&format!("D4 NUL is 400 in every text field: {field}"), field, "a\0b").is(400).blames(field));
    }
    cases
}

fn emails() -> Vec<Case> {
    let mut cases = Vec::new();
    let local = "a".repeat(64);
    for good in [
        "a@b.c",
        "o'brien+tag@mail.example.co.uk",
        "Пётр@пример.рф",
        "A.B@EXAMPLE.org",
        "a@1.2",
        "a\"b@c.de",
        &format!("{local}@b.c"),
    ] {
        cases.extend(takes(&format!("D4 an e-mail address, stored as sent, case kept ({good})"), "email", good, good));
    }
    let wide = format!("{}@b.c", "ü".repeat(64));
    cases.extend(takes("D4 64 code points before the @", "email", &wide, wide.clone()));
    let long = format!("{local}a@b.c");
    for bad in [
        "a",
        "@",
        "a@b",
        "@b.c",
        "a@.c",
        "a@b.",
        "a@b..c",
        "a@@b.c",
        "a@b@c.d",
        "a b@c.d",
        "a@b .c",
        "a@b.c d",
        "a\u{a0}@b.c",
        "a@",
        "b.c",
        &long,
    ] {
        cases.extend(refuses(&format!("D4 no e-mail address ({bad})"), "email", bad, "email"));
    }
    cases
}

fn phones() -> Vec<Case> {
    let mut cases = Vec::new();
    for good in ["112", "+33 1 99 00 14 20", "(030) 12/34", "٠١٢", "१२३", "１２３", "1a2b3", "call 555 ext."]
    {
        cases.extend(takes(
            &format!("D4 at least three digits of any script, stored as sent ({good})"),
            "phone",
            good,
            good,
        ));
    }
    for bad in ["1", "11", "1-1", "none", "+", "½½½", "ⅠⅡⅢ", "+-()/ "] {
        cases.extend(refuses(&format!("D4 fewer than three digits ({bad})"), "phone", bad, "digits"));
    }
    cases
}

fn kept() -> Vec<Case> {
    let mut cases = Vec::new();
    // There is no normalisation: composed and decomposed forms stay as they are. Right-to-left marks and similar
    // characters are not control characters.
    for text in [
        "é",
        "e\u{301}",
        "ﬁ",
        "Å",
        "\u{202e}abc",
        "𝒳",
        "👩‍👩‍👧",
        "\u{fffd}",
        "\u{e000}",
        "\u{10ffff}",
        "<b>&amp;\"'\\/",
        "'; DROP TABLE leads; --",
    ] {
        for field in ["name", "source", "notes", "business_name"] {
            cases.extend(takes(&format!("D4 no Unicode normalisation ({})", text.escape_unicode()), field, text, text));
        }
    }
    cases
}
