//! Field values, and how they are returned (contract D4).

use serde_json::{Value, json};

use crate::testkit::conformance::run::{Made, Run};

pub(super) async fn check(run: &Run<'_>) {
    // All changes use the same lead, so that each costs one write.
    let lead = run.made(&json!({})).await;
    numbers(run, &lead).await;
    lengths(run, &lead).await;
    texts(run, &lead).await;
    addresses(run, &lead).await;
    created(run).await;
}

/// Expects that the value is accepted and returned like this.
async fn takes(run: &Run<'_>, lead: &Made, sentence: &str, field: &str, sent: &str, kept: Value) {
    run.check("D4", sentence, async {
        run.patch(lead, &json!({field: sent})).answers(200).await?.shows(&json!({field: kept}))
    })
    .await;
}

/// Expects that the value is refused with a message that names the field.
async fn refuses(run: &Run<'_>, lead: &Made, sentence: &str, field: &str, sent: &str, says: &str) {
    run.check("D4", sentence, async {
        run.patch(lead, &json!({field: sent})).answers(400).await?.blames(field)?.says(says)
    })
    .await;
}

async fn numbers(run: &Run<'_>, lead: &Made) {
    let patch = |number: &str| run.about("PATCH", lead).text(format!(r#"{{"value": {number}}}"#));
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
        run.check("D4", format!("value is a number that comes back as the same: {sent} as {back}"), async {
            patch(sent).answers(200).await?.writes("value", back)
        })
        .await;
    }
    for (what, bad) in [
        ("a whole number that a double cannot hold", "9007199254740993"),
        ("a number beyond a double", "1e400"),
        ("a string", "\"450\""),
        ("a boolean", "true"),
    ] {
        run.check("D4", format!("value is 400: {what}"), async { patch(bad).answers(400).await?.blames("value") })
            .await;
    }
}

async fn lengths(run: &Run<'_>, lead: &Made) {
    for (field, most) in [("name", 200), ("business_name", 200), ("source", 100), ("notes", 10_000)] {
        let fits = "ü".repeat(most);
        takes(run, lead, &format!("{field} may have {most} characters"), field, &fits, json!(fits)).await;
        let long = "x".repeat(most + 1);
        refuses(
            run,
            lead,
            &format!("{field} of more than {most} characters is 400 and never cut"),
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

async fn texts(run: &Run<'_>, lead: &Made) {
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
        takes(run, lead, &format!("blanks in {field} are null"), field, " ", Value::Null).await;
    }
    refuses(run, lead, "a blank name is 400", "name", " \u{3000}", "name").await;
    for field in ["name", "business_name", "source", "notes"] {
        refuses(run, lead, &format!("NUL in {field} is 400"), field, "a\0b", "control").await;
    }
    refuses(run, lead, "a line break in a name is 400", "name", "a\nb", "control").await;
    refuses(run, lead, "other control characters in notes are 400", "notes", "a\u{1b}b", "control").await;
    run.check("D4", "a lone surrogate is 400", async {
        run.about("PATCH", lead).text(r#"{"name": "\ud800"}"#).answers(400).await?.blames("name")
    })
    .await;
    takes(run, lead, "nothing is normalised: a decomposed é stays one", "name", "e\u{301}", json!("e\u{301}")).await;
    takes(run, lead, "a character outside of the first plane is kept", "name", "😀", json!("😀")).await;
}

async fn addresses(run: &Run<'_>, lead: &Made) {
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
    run.check("D4", "blanks in optional fields of a new lead are null", async {
        let blank = json!({"email": "", "phone": " ", "source": "\t", "notes": "\n", "business_name": "", "pipeline_id": "", "stage_id": " "});
        let null = json!({"email": null, "phone": null, "source": null, "notes": null, "business_name": null, "pipeline_id": null, "stage_id": null});
        run.post(&run.new_lead(&blank)).answers(201).await?.shows(&null)
    })
    .await;
    for field in ["name", "client_id"] {
        run.check("D4", format!("a blank {field} of a new lead is 400"), async {
            run.post(&run.new_lead(&json!({field: " "}))).answers(400).await?.blames(field)
        })
        .await;
    }
    run.check("D4", "the same person twice is two leads", async {
        let twin = run.new_lead(&json!({"email": "twin@example.org"}));
        let first = run.post(&twin).answers(201).await?;
        let second = run.post(&twin).answers(201).await?;
        let is_so = first.text("id") != second.text("id");
        second.must(is_so, format!("another id than {}", first.text("id")))
    })
    .await;
    run.check("D4", "a client_id of a new lead that cannot exist is 403", async {
        run.post(&run.new_lead(&json!({"client_id": "a b"}))).answers(403).await?.blames("client_id")
    })
    .await;
    run.check("4", "a client_id of a new lead that is another business's is 403", async {
        let foreign = &run.target.other_business()?.client;
        run.post(&run.new_lead(&json!({"client_id": foreign}))).answers(403).await?.blames("client_id")
    })
    .await;
    run.check("4", "missing required fields are 400, and each is named", async {
        run.post(&json!({})).answers(400).await?.says("client_id")?.says("name")
    })
    .await;
    run.check("D2", "what is refused is not written", async {
        let total = run.get("/leads?limit=1").answers(200).await?.number("total");
        run.post(&run.new_lead(&json!({"email": "x"}))).answers(400).await?;
        run.get("/leads?limit=1").answers(200).await?.shows(&json!({"total": total}))
    })
    .await;
}
