//! Field values, and how they are returned (contract D4).

use serde_json::{Value, json};

use crate::testkit::conformance::run::{CreatedLead, Run};

pub(super) async fn check(run: &Run<'_>) {
    // All changes use one lead, so each costs a single write.
    let lead = run.create_lead(&json!({})).await;
    numbers(run, &lead).await;
    lengths(run, &lead).await;
    texts(run, &lead).await;
    addresses(run, &lead).await;
    created(run).await;
}

/// Expects the value to be accepted and returned as `kept`.
async fn takes(run: &Run<'_>, lead: &CreatedLead, sentence: &str, field: &str, sent: &str, kept: Value) {
    run.check("D4", sentence, async {
        run.patch(lead, &json!({field: sent})).expect_status(200).await?.has_members(&json!({field: kept}))
    })
    .await;
}

/// Expects the value to be rejected with a message that names the field.
async fn refuses(run: &Run<'_>, lead: &CreatedLead, sentence: &str, field: &str, sent: &str, says: &str) {
    run.check("D4", sentence, async {
        run.patch(lead, &json!({field: sent})).expect_status(400).await?.error_starts_with(field)?.error_contains(says)
    })
    .await;
}

async fn numbers(run: &Run<'_>, lead: &CreatedLead) {
    let patch = |number: &str| run.request_lead("PATCH", lead).text(format!(r#"{{"value": {number}}}"#));
    for (sent, back) in [
        ("450", "450"),
        ("450.0", "450"),
        ("4.5e2", "450"),
        ("0", "0"),
        ("-12.50", "-12.5"),
        ("0.1", "0.1"),
        ("1234567.89", "1234567.89"),
        ("9007199254740992", "9007199254740992"),
    ] {
        run.check("D4", format!("value is returned as the same number: {sent} as {back}"), async {
            patch(sent).expect_status(200).await?.has_raw_member("value", back)
        })
        .await;
    }
    for (what, bad) in [
        ("an integer that a 64-bit float cannot represent", "9007199254740993"),
        ("a number beyond the range of a 64-bit float", "1e400"),
        ("a string", "\"450\""),
        ("a boolean", "true"),
    ] {
        run.check("D4", format!("value is 400: {what}"), async {
            patch(bad).expect_status(400).await?.error_starts_with("value")
        })
        .await;
    }
}

async fn lengths(run: &Run<'_>, lead: &CreatedLead) {
    for (field, most) in [("name", 200), ("business_name", 200), ("source", 100), ("notes", 10_000)] {
        let fits = "ü".repeat(most);
        takes(run, lead, &format!("{field} may have {most} characters"), field, &fits, json!(fits)).await;
        let long = "x".repeat(most + 1);
        refuses(
            run,
            lead,
            &format!("{field} of more than {most} characters is 400 and is not truncated"),
            field,
            &long,
            &most.to_string(),
        )
        .await;
    }
    refuses(run, lead, "phone of more than 50 characters is 400", "phone", &"1".repeat(51), "50").await;
    let long = format!("{}@{}.de", "a".repeat(64), "b".repeat(187));
    refuses(run, lead, "email of more than 254 characters is 400", "email", &long, "254").await;
    refuses(
        run,
        lead,
        "email with more than 64 characters before the @ is 400",
        "email",
        &format!("{}@b.de", "a".repeat(65)),
        "email",
    )
    .await;
}

async fn texts(run: &Run<'_>, lead: &CreatedLead) {
    for (field, text) in [("name", "Ann  B"), ("business_name", "B & C"), ("email", "a@b.de"), ("phone", "1 2 3")] {
        let padded = format!(" \u{a0}\u{3000}{text}\t\u{2003} ");
        takes(run, lead, &format!("{field} is trimmed of Unicode White_Space"), field, &padded, json!(text)).await;
    }
    takes(run, lead, "source is kept as sent", "source", "  Web Site ", json!("  Web Site ")).await;
    takes(
        run,
        lead,
        "notes keep line breaks, tabs and outer blanks",
        "notes",
        " \n\ta\r\nb \n",
        json!(" \n\ta\r\nb \n"),
    )
    .await;
    for field in ["email", "phone", "source", "notes", "business_name"] {
        takes(run, lead, &format!("a blank {field} is null"), field, " ", Value::Null).await;
    }
    refuses(run, lead, "a blank name is 400", "name", " \u{3000}", "name").await;
    for field in ["name", "business_name", "source", "notes"] {
        refuses(run, lead, &format!("NUL in {field} is 400"), field, "a\0b", "control").await;
    }
    refuses(run, lead, "a line break in a name is 400", "name", "a\nb", "control").await;
    refuses(run, lead, "other control characters in notes are 400", "notes", "a\u{1b}b", "control").await;
    run.check("D4", "a lone surrogate is 400", async {
        run.request_lead("PATCH", lead)
            .text(r#"{"name": "\ud800"}"#)
            .expect_status(400)
            .await?
            .error_starts_with("name")
    })
    .await;
    takes(run, lead, "text is not normalized: a decomposed é is kept", "name", "e\u{301}", json!("e\u{301}")).await;
    takes(run, lead, "a character outside the basic multilingual plane is kept", "name", "😀", json!("😀")).await;
}

async fn addresses(run: &Run<'_>, lead: &CreatedLead) {
    for good in ["Lea.O'Brien+tag@Mail.Example.org", "Пётр@пример.рф"] {
        takes(run, lead, &format!("email is stored as sent, case kept: {good}"), "email", good, json!(good)).await;
    }
    for bad in ["a", "a@b", "@b.de", "a@@b.de", "a@b..de", "a b@c.de"] {
        refuses(run, lead, &format!("email is 400: {bad}"), "email", bad, "email").await;
    }
    for good in ["112", "+33 1 99 00 14 20", "٠١٢"] {
        takes(run, lead, &format!("phone is stored as sent: {good}"), "phone", good, json!(good)).await;
    }
    refuses(run, lead, "phone with less than three digits is 400", "phone", "1-1", "digits").await;
}

async fn created(run: &Run<'_>) {
    run.check("D4", "blank optional fields of a new lead are null", async {
        let blank = json!({"email": "", "phone": " ", "source": "\t", "notes": "\n", "business_name": "", "pipeline_id": "", "stage_id": " "});
        let null = json!({"email": null, "phone": null, "source": null, "notes": null, "business_name": null, "pipeline_id": null, "stage_id": null});
        run.post(&run.new_lead(&blank)).expect_status(201).await?.has_members(&null)
    })
    .await;
    for field in ["name", "client_id"] {
        run.check("D4", format!("a blank {field} of a new lead is 400"), async {
            run.post(&run.new_lead(&json!({field: " "}))).expect_status(400).await?.error_starts_with(field)
        })
        .await;
    }
    run.check("D4", "the same person twice is two leads", async {
        let twin = run.new_lead(&json!({"email": "twin@example.org"}));
        let first = run.post(&twin).expect_status(201).await?;
        let second = run.post(&twin).expect_status(201).await?;
        let holds = first.text("id") != second.text("id");
        second.ensure(holds, format!("another id than {}", first.text("id")))
    })
    .await;
    run.check("D4", "a malformed client_id of a new lead is 403", async {
        run.post(&run.new_lead(&json!({"client_id": "a b"}))).expect_status(403).await?.error_starts_with("client_id")
    })
    .await;
    run.check("4", "a client_id of another business in a new lead is 403", async {
        let foreign = &run.target.other_business()?.client;
        run.post(&run.new_lead(&json!({"client_id": foreign}))).expect_status(403).await?.error_starts_with("client_id")
    })
    .await;
    run.check("4", "missing required fields are 400, and each is named", async {
        run.post(&json!({})).expect_status(400).await?.error_contains("client_id")?.error_contains("name")
    })
    .await;
    run.check("D2", "a refused request writes nothing", async {
        let total = run.get("/leads?limit=1").expect_status(200).await?.number("total");
        run.post(&run.new_lead(&json!({"email": "x"}))).expect_status(400).await?;
        run.get("/leads?limit=1").expect_status(200).await?.has_members(&json!({"total": total}))
    })
    .await;
}
