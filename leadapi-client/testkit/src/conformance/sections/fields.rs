//! The fields of a body (contract 4, D4 and D5): which fields exist, and their types.

use serde_json::{Value, json};

use super::both;
use crate::conformance::run::{CreatedLead, Run};

/// The text fields that POST and PATCH both take.
const TEXTS: [&str; 8] = ["name", "email", "phone", "source", "notes", "pipeline_id", "stage_id", "business_name"];

pub(super) async fn check(run: &Run<'_>) {
    let lead = run.create_lead(&json!({"notes": "kept", "email": "ann@example.org"})).await;
    created(run).await;
    required(run).await;
    unknown(run, &lead).await;
    set_by_the_server(run, &lead).await;
    types(run, &lead).await;
    given_twice(run, &lead).await;
    surrogates(run, &lead).await;
}

async fn created(run: &Run<'_>) {
    let null = json!({
        "email": null, "phone": null, "source": null, "notes": null, "value": null, "pipeline_id": null,
        "stage_id": null, "business_name": null,
    });
    run.check("D5", "null in a new lead counts as an absent field", async {
        run.post(&run.new_lead(&null)).expect_status(201).await?.has_members(&null)
    })
    .await;
    for (what, body) in [
        ("whitespace around the object", " \r\n\t{\"name\":\"Ann\",\"client_id\":CLIENT}\n "),
        ("escapes in names and values", r#"{"n\u0061me":"\u0041nn","client_id":CLIENT}"#),
    ] {
        run.check("D5", format!("a body may contain {what}"), async {
            let body = body.replace("CLIENT", &json!(run.target.client_id).to_string());
            let made = run.request("POST", "/leads").text(body).expect_status(201).await?;
            made.has_members(&null)?.has_members(&json!({"name": "Ann", "client_id": run.target.client_id}))
        })
        .await;
    }
    run.check("D4", "a surrogate pair is one character", async {
        let body = format!(r#"{{"client_id":{},"name":"\ud83d\ude00"}}"#, json!(run.target.client_id));
        run.request("POST", "/leads").text(body).expect_status(201).await?.has_members(&json!({"name": "😀"}))
    })
    .await;
    run.check("2.1", "a new lead may belong to any client account of the business", async {
        let second = json!({"client_id": run.target.second_client()?});
        run.post(&run.new_lead(&second)).expect_status(201).await?.has_members(&second)
    })
    .await;
    run.check("D4", "two creates for the same person create two leads", async {
        let twin = run.new_lead(&json!({"email": "twin@example.org", "phone": "+49 30 1234"}));
        let first = run.post(&twin).expect_status(201).await?;
        let second = run.post(&twin).expect_status(201).await?.lacks_header("idempotency-replayed")?;
        let holds = first.text("id") != second.text("id");
        second.ensure(holds, format!("an id other than {}", first.text("id")))
    })
    .await;
}

async fn required(run: &Run<'_>) {
    run.check("4", "missing required fields are 400, and each is named", async {
        run.post(&json!({})).expect_refusal(400, &["client_id", "; name"]).await
    })
    .await;
    for (missing, body) in
        [("name", json!({"client_id": run.target.client_id})), ("client_id", json!({"name": "Contract check"}))]
    {
        run.check("4", format!("a missing {missing} is 400"), run.post(&body).expect_refusal(400, &[missing])).await;
        run.check("D5", format!("null for {missing} in a new lead is 400"), async {
            run.post(&run.new_lead(&json!({missing: null}))).expect_refusal(400, &[missing]).await
        })
        .await;
    }
    for (what, id) in [("a space", "a client".to_owned()), ("65 characters", "x".repeat(65)), ("not ASCII", "é".into())]
    {
        run.check("D4", format!("a malformed client_id in a new lead is 403: {what}"), async {
            run.post(&run.new_lead(&json!({"client_id": id}))).expect_refusal(403, &["client_id"]).await
        })
        .await;
    }
    run.check("4", "a client_id of another business in a new lead is 403", async {
        let foreign = &run.target.other_business()?.client;
        run.post(&run.new_lead(&json!({"client_id": foreign}))).expect_refusal(403, &["client_id"]).await
    })
    .await;
    run.check("D2", "a refused request writes nothing", async {
        let total = run.get("/leads?limit=1").expect_status(200).await?.number("total");
        run.post(&run.new_lead(&json!({"email": "x"}))).expect_status(400).await?;
        run.get("/leads?limit=1").expect_status(200).await?.has_members(&json!({"total": total}))
    })
    .await;
}

async fn unknown(run: &Run<'_>, lead: &CreatedLead) {
    for (wrong, known) in [
        ("nmae", "name"),
        ("Name", "name"),
        ("e_mail", "email"),
        ("emial", "email"),
        ("Phone", "phone"),
        ("stageid", "stage_id"),
        ("pipeline", "pipeline_id"),
        ("clientId", "client_id"),
        ("business", "business_name"),
        ("vlaue", "value"),
        ("note", "notes"),
        ("soruce", "source"),
    ] {
        let sentence =
            format!("an unknown field is 400, and the message names it and the nearest known field: {wrong}");
        run.check("D5", sentence, async {
            run.post(&run.new_lead(&json!({wrong: "x"}))).expect_refusal(400, &[wrong, known]).await
        })
        .await;
    }
    run.check(
        "D5",
        "an unknown field in a patch is 400, and the message names it and the nearest known field",
        async {
            let patch = json!({"name": "Not written", "emial": "bo@example.org"});
            run.patch(lead, &patch).expect_refusal(400, &["emial", "email"]).await
        },
    )
    .await;
    run.check("D5", "a field name in a different case is unknown", async {
        run.patch(lead, &json!({"Name": "x"})).expect_refusal(400, &["Name"]).await
    })
    .await;
    for field in ["", " ", "name ", "NAME", "__proto__", "constructor", "na\u{200b}me", "name\0"] {
        let sentence = format!("an unknown field is 400: {field:?}");
        run.check("D5", sentence, both::refuses(run, lead, &json!({"name": "Ann", field: "x"}), &[])).await;
    }
}

async fn set_by_the_server(run: &Run<'_>, lead: &CreatedLead) {
    for field in ["id", "created_at"] {
        for value in [json!("2026-05-01T00:00:00.000Z"), Value::Null] {
            run.check("D5", format!("{field} is 400, because the server sets it: {value}"), async {
                both::refuses(run, lead, &json!({field: value}), &[(field, "server")]).await
            })
            .await;
        }
    }
    run.check("D5", "a patch with a complete lead is 400, and the message names the read-only fields", async {
        let whole = run.get_lead(lead).expect_status(200).await?.json;
        let says = ["", "client_id cannot be changed", "created_at is set", "id is set", "; "];
        run.patch(lead, &whole).expect_refusal(400, &says).await
    })
    .await;
}

async fn types(run: &Run<'_>, lead: &CreatedLead) {
    for wrong in [json!(1), json!(true), json!(["x"]), json!({"x": 1})] {
        let sent: Value =
            TEXTS.iter().map(|field| ((*field).to_owned(), wrong.clone())).collect::<serde_json::Map<_, _>>().into();
        let sentence = format!("a wrong type is 400, and the message names each field and the type: {wrong}");
        run.check("D5", sentence, both::refuses(run, lead, &sent, &TEXTS.map(|field| (field, "string")))).await;
        run.check("D5", format!("a client_id of a wrong type is 400: {wrong}"), async {
            run.post(&run.new_lead(&json!({"client_id": wrong}))).expect_refusal(400, &["client_id", "string"]).await
        })
        .await;
    }
    run.check("D5", "a valid field next to an invalid one is not written", async {
        run.patch(lead, &json!({"name": "Not written", "phone": "1"})).expect_status(400).await?;
        run.get_lead(lead).expect_status(200).await?.body_omits("Not written")
    })
    .await;
}

async fn given_twice(run: &Run<'_>, lead: &CreatedLead) {
    for twice in [
        r#""email":"a@b.de","email":"c@d.de""#,
        r#""email":"a@b.de","email":"a@b.de""#,
        r#""email":"a@b.de","em\u0061il":"c@d.de""#,
        r#""email":null,"email":"a@b.de""#,
    ] {
        run.check("D5", format!("a field given twice is 400, and the message names it: {twice}"), async {
            for request in both::texts(run, lead, twice) {
                request.expect_refusal(400, &["email"]).await?;
            }
            Ok(())
        })
        .await;
    }
    run.check("D5", "a required field given twice is 400", async {
        run.request("POST", "/leads").text(run.new_lead_text(r#""name":"Bo""#)).expect_refusal(400, &["name"]).await
    })
    .await;
    run.check("D5", "an unknown field given twice is 400, and the message names it", async {
        for request in both::texts(run, lead, r#""x":1,"x":2"#) {
            request.expect_refusal(400, &["x"]).await?;
        }
        Ok(())
    })
    .await;
}

async fn surrogates(run: &Run<'_>, lead: &CreatedLead) {
    for (field, lone) in [
        ("name", r"\ud800"),
        ("name", r"a\udc00b"),
        ("name", r"\ud83d"),
        ("name", r"\ude00\ud83d"),
        ("email", r"a\ud800@b.c"),
        ("phone", r"123\ud800"),
        ("source", r"\udfff"),
        ("notes", r"x\ud800\u0041"),
        ("business_name", r"\uDBFF"),
        ("client_id", r"\ud800"),
        ("pipeline_id", r"\ud800"),
        ("stage_id", r"\ud800"),
    ] {
        run.check("D4", format!("a lone surrogate is 400: {field} {lone}"), async {
            let body = format!(r#"{{"{field}":"{lone}"}}"#);
            for request in [run.request("POST", "/leads"), run.request_lead("PATCH", lead)] {
                request.text(body.clone()).expect_status(400).await?.has_problem(field, "")?;
            }
            Ok(())
        })
        .await;
    }
    run.check("D4", "a lone surrogate in a field name is 400", async {
        both::refuses_body(run, lead, r#"{"\ud800":1}"#, &[]).await
    })
    .await;
    run.check(
        "D4",
        "an escaped NUL is 400",
        both::refuses_body(run, lead, r#"{"name":"a\u0000b"}"#, &["", "name", "control"]),
    )
    .await;
    run.check(
        "D5",
        "a NUL byte in a string is 400",
        both::refuses_body(run, lead, "{\"name\":\"a\0b\"}", &["body", "JSON"]),
    )
    .await;
}
