//! Text fields in POST and PATCH (contract D4).

use serde_json::{Value, json};

use super::both;
use crate::conformance::run::{CreatedLead, Run};

pub(super) async fn check(run: &Run<'_>) {
    // All patches change the same lead, so that each patch costs only one write.
    let lead = run.create_lead(&json!({})).await;
    lengths(run, &lead).await;
    white_space(run, &lead).await;
    control_characters(run, &lead).await;
    emails(run, &lead).await;
    phones(run, &lead).await;
    kept(run, &lead).await;
}

/// Sends the members `sent`, and expects the service to accept them and to return the members `kept`.
async fn accepts(run: &Run<'_>, lead: &CreatedLead, sentence: impl Into<String>, sent: &Value, kept: &Value) {
    run.check("D4", sentence, both::accepts(run, lead, sent, kept)).await;
}

/// Sends the members `sent`, and expects the service to reject them and to report `problems`.
async fn refuses(
    run: &Run<'_>,
    lead: &CreatedLead,
    sentence: impl Into<String>,
    sent: &Value,
    problems: &[(&str, &str)],
) {
    run.check("D4", sentence, both::refuses(run, lead, sent, problems)).await;
}

async fn lengths(run: &Run<'_>, lead: &CreatedLead) {
    // Lengths are counted in code points. The cases include ASCII, characters of two and four bytes, and a letter with
    // a combining mark, which counts as two.
    for unit in ["x", "ü", "😀", "e\u{301}"] {
        let of = |length: usize| unit.repeat(length / unit.chars().count());
        let longest = json!({"name": of(200), "business_name": of(200), "source": of(100), "notes": of(10_000)});
        accepts(run, lead, format!("text of the maximum length is accepted: {unit}"), &longest, &longest).await;
        let more = |length: usize| of(length) + "x";
        refuses(
            run,
            lead,
            format!("text longer than the maximum is 400 and is not truncated: {unit}"),
            &json!({"name": more(200), "business_name": more(200), "source": more(100), "notes": more(10_000)}),
            &[("name", "200"), ("business_name", "200"), ("source", "100"), ("notes", "10000")],
        )
        .await;
    }
    let (text, phone) = ("x".repeat(200), "1".repeat(50));
    let email = format!("{}@{}.de", "a".repeat(64), "b".repeat(186));
    accepts(
        run,
        lead,
        "text is trimmed before its length is counted",
        &json!({
            "name": format!("  {text}\u{3000}"), "business_name": format!("\u{3000}{text} "),
            "phone": format!(" {phone} "), "email": format!("\t{email}\n"),
        }),
        &json!({"name": text, "business_name": text, "phone": phone, "email": email}),
    )
    .await;
    refuses(
        run,
        lead,
        "leading and trailing whitespace counts towards the length of source and notes",
        &json!({"source": format!(" {}", "x".repeat(100)), "notes": format!("{}\n", "x".repeat(10_000))}),
        &[("source", "100"), ("notes", "10000")],
    )
    .await;
    let longest = json!({"phone": phone, "email": email});
    accepts(run, lead, "a phone may have 50 characters, and an email 254", &longest, &longest).await;
    let wide = json!({"email": format!("{}@{}.de", "ä".repeat(64), "ö".repeat(186))});
    accepts(run, lead, "an email may have 254 non-ASCII characters", &wide, &wide).await;
    refuses(
        run,
        lead,
        "a phone longer than 50 characters and an email longer than 254 are 400",
        &json!({"phone": format!("{phone}1"), "email": format!("{email}e")}),
        &[("phone", "50"), ("email", "254")],
    )
    .await;
}

async fn white_space(run: &Run<'_>, lead: &CreatedLead) {
    // Every character with the Unicode property White_Space.
    const WHITE: &str = "\t\n\u{b}\u{c}\r \u{85}\u{a0}\u{1680}\u{2000}\u{2001}\u{2002}\u{2003}\u{2004}\u{2005}\u{2006}\
        \u{2007}\u{2008}\u{2009}\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}";
    let around = |text: &str| format!("{WHITE}{text}{WHITE}");
    let trimmed = json!({"name": "Ann  B", "business_name": "B & C", "email": "a@b.c", "phone": "1 2 3"});
    let padded = json!({
        "name": around("Ann  B"), "business_name": around("B & C"), "email": around("a@b.c"), "phone": around("1 2 3"),
    });
    accepts(run, lead, "text is trimmed of Unicode White_Space at both ends", &padded, &trimmed).await;
    let null = json!({
        "email": null, "phone": null, "source": null, "notes": null, "pipeline_id": null, "stage_id": null,
        "business_name": null,
    });
    for (what, blank) in [("empty", ""), ("a space", " "), ("all of White_Space", WHITE)] {
        run.check("D4", format!("a blank optional field becomes null: {what}"), async {
            let full = json!({
                "email": "a@b.de", "phone": "112", "source": "ads", "notes": "n", "business_name": "B",
                "stage_id": run.target.pipeline().ok().map(|(_, first, _)| first),
            });
            run.patch(lead, &full).expect_status(200).await?.has_members(&full)?;
            let sent = json!({
                "email": blank, "phone": blank, "source": blank, "notes": blank, "pipeline_id": blank,
                "stage_id": blank, "business_name": blank,
            });
            both::accepts(run, lead, &sent, &null).await
        })
        .await;
        refuses(run, lead, format!("a blank name is 400: {what}"), &json!({"name": blank}), &[("name", "")]).await;
        run.check("D4", format!("a blank client_id in a new lead is 400: {what}"), async {
            run.post(&run.new_lead(&json!({"client_id": blank}))).expect_refusal(400, &["client_id"]).await
        })
        .await;
    }
    // ZERO WIDTH SPACE and the byte order mark do not have the property White_Space.
    let others = json!({"name": "\u{200b}Ann\u{feff}", "source": "\u{200b}"});
    accepts(run, lead, "other invisible characters are neither trimmed nor blank", &others, &others).await;
    let outer = json!({"source": "  Web Site ", "notes": " \n\ta\r\n\u{2028}b \n"});
    accepts(
        run,
        lead,
        "source is stored as sent, and notes keep line breaks, tabs and whitespace at both ends",
        &outer,
        &outer,
    )
    .await;
}

async fn control_characters(run: &Run<'_>, lead: &CreatedLead) {
    const FIELDS: [&str; 6] = ["name", "email", "phone", "source", "notes", "business_name"];
    for control in
        ['\0', '\u{1}', '\u{8}', '\u{b}', '\u{c}', '\u{1b}', '\u{1f}', '\u{7f}', '\u{80}', '\u{85}', '\u{9f}']
    {
        let text = format!("a{control}b");
        let sent = json!({
            "name": text, "email": format!("{text}@example.org"), "phone": format!("123{control}456"), "source": text,
            "notes": text, "business_name": text,
        });
        let sentence = format!("a control character in a text field is 400: U+{:04X}", u32::from(control));
        refuses(run, lead, sentence, &sent, &FIELDS.map(|field| (field, "control"))).await;
    }
    for (what, control) in [("a line feed", '\n'), ("a carriage return", '\r'), ("a tab", '\t')] {
        let text = format!("123{control}456");
        let sent = json!({"name": text, "business_name": text, "source": text, "phone": text});
        let problems = ["name", "business_name", "source", "phone"].map(|field| (field, "control"));
        refuses(run, lead, format!("{what} is allowed only in notes"), &sent, &problems).await;
        let sent = json!({"source": format!("web{control}")});
        refuses(run, lead, format!("{what} at the end of source is 400"), &sent, &[("source", "control")]).await;
        let notes = json!({"notes": format!("a{control}b")});
        accepts(run, lead, format!("{what} in notes is kept"), &notes, &notes).await;
    }
    let ids = json!({"pipeline_id": "a\0b", "stage_id": "a\0b"});
    refuses(run, lead, "NUL in an id is 400", &ids, &[("pipeline_id", ""), ("stage_id", "")]).await;
    run.check("D4", "NUL in client_id is 400", async {
        run.post(&run.new_lead(&json!({"client_id": "a\0b"}))).expect_refusal(400, &["client_id"]).await
    })
    .await;
}

async fn emails(run: &Run<'_>, lead: &CreatedLead) {
    let (local, wide) = (format!("{}@b.c", "a".repeat(64)), format!("{}@b.c", "ü".repeat(64)));
    for good in [
        "a@b.c",
        "Lea.O'Brien+tag@Mail.Example.co.uk",
        "Пётр@пример.рф",
        "A.B@EXAMPLE.org",
        "a@1.2",
        "a\"b@c.de",
        &local,
        &wide,
    ] {
        let email = json!({"email": good});
        accepts(run, lead, format!("email is stored as sent, with its case preserved: {good}"), &email, &email).await;
    }
    let long = format!("a{local}");
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
        refuses(run, lead, format!("an invalid email is 400: {bad}"), &json!({"email": bad}), &[("email", "")]).await;
    }
}

async fn phones(run: &Run<'_>, lead: &CreatedLead) {
    for good in ["112", "+33 1 99 00 14 20", "(030) 12/34", "٠١٢", "१२३", "１２３", "1a2b3", "call 555 ext."]
    {
        let phone = json!({"phone": good});
        accepts(
            run,
            lead,
            format!("a phone with three digits of any script is stored as sent: {good}"),
            &phone,
            &phone,
        )
        .await;
    }
    for bad in ["1", "11", "1-1", "none", "+", "½½½", "ⅠⅡⅢ", "+-()/ "] {
        let sentence = format!("a phone with fewer than three digits is 400: {bad}");
        refuses(run, lead, sentence, &json!({"phone": bad}), &[("phone", "digits")]).await;
    }
}

async fn kept(run: &Run<'_>, lead: &CreatedLead) {
    // Composed and decomposed forms stay unchanged. Right-to-left marks and similar characters are not control
    // characters.
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
        let fields = json!({"name": text, "source": text, "notes": text, "business_name": text});
        let sentence = format!("text is neither normalized nor escaped: {}", text.escape_unicode());
        accepts(run, lead, sentence, &fields, &fields).await;
    }
}
