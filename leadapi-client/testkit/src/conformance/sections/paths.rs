//! Paths (contract 1, 4 and D7): unknown paths, extra slashes, and ids in paths.

use serde_json::json;

use crate::conformance::{run::Run, sender::path_of};

pub(super) async fn check(run: &Run<'_>) {
    let lead = run.create_lead(&json!({})).await.map_or_else(|_| path_of(&run.absent_id()), |id| path_of(&id));
    unknown(run, &lead).await;
    slashes(run, &lead).await;
    ids(run, &lead).await;
}

async fn unknown(run: &Run<'_>, lead: &str) {
    for path in [
        "/contacts",
        "/deals",
        "/conversations",
        "/messages",
        "/calendar",
        "/automations",
        "/webhooks",
        "/forms",
        "/forms/5f0c1a3e-9d1b-4c52-8e0f-2f6f3d5b7a11",
        "/stages",
        "/tokens",
        "/businesses",
        "/mcp",
        "/pipelines/1",
        "/pipelines/1/stages",
        "/clients/1",
        "/lead",
        "/leadsx",
        "/leads.json",
        "/v2/leads",
        "/v1/v1/leads",
        "/health",
        "/healthz",
        "/livez",
        "/readyz",
        "/metrics",
        "/admin",
        "/openapi.json",
    ] {
        run.check("1", format!("any other path is 404: {path}"), run.get(path).expect_refusal(404, &["path"])).await;
    }
    let below = run.get(format!("{lead}/notes"));
    run.check("1", "any other path is 404: /leads/{id}/notes", below.expect_refusal(404, &["path"])).await;
    for path in ["/Leads", "/LEADS", "/leadS/1", "/Pipelines", "/CLIENTS"] {
        run.check("D7", format!("a path in a different case is a different path: {path}"), async {
            run.get(path).expect_status(404).await?.lacks_header("location")
        })
        .await;
    }
    for method in ["HEAD", "POST", "DELETE", "OPTIONS"] {
        run.check("7", format!("an unknown path is 404 for every method: {method}"), async {
            run.request(method, "/contacts").expect_status(404).await?.lacks_header("allow")
        })
        .await;
    }
    run.check("7", "an unknown path is 404 whatever the query", async {
        run.get("/contacts?limit=0").expect_status(404).await?.body_omits("limit")
    })
    .await;
}

/// Expects a 404 for an extra slash, without a redirect, and a message that names the correct path.
async fn slashes(run: &Run<'_>, lead: &str) {
    let (trailing, double) = (format!("{lead}/"), lead.replacen("/leads/", "/leads//", 1));
    for (path, name, right) in [
        ("/leads/", "/leads/", "/leads"),
        ("/leads//", "/leads//", "/leads"),
        ("/pipelines/", "/pipelines/", "/pipelines"),
        ("/clients//", "/clients//", "/clients"),
        ("/leads/?limit=1", "/leads/?limit=1", "/leads"),
        (&trailing, "/leads/{id}/", lead),
        (&double, "/leads//{id}", lead),
    ] {
        for method in ["GET", "POST", "DELETE"] {
            let right = format!("{}{right}", run.base_path());
            let sentence = format!(
                "an extra slash is 404 without a redirect, and the message names the correct path: {method} {name}"
            );
            run.check("D7", sentence, async {
                let response = run.request(method, path).without_token().expect_refusal(404, &["path", &right]).await?;
                response.lacks_header("location")
            })
            .await;
        }
    }
    run.check("D7", "the message for an extra slash never suggests a nonexistent path", async {
        let forms = format!("{}/forms", run.base_path());
        run.get("/forms/").expect_status(404).await?.body_omits(&forms)
    })
    .await;
}

/// Expects an id in a path to be decoded once, and a 404 for a malformed id.
async fn ids(run: &Run<'_>, lead: &str) {
    let long = "x".repeat(65);
    for (name, segment) in [
        ("a space", "%20"),
        ("NUL", "%00"),
        ("not UTF-8", "%ff"),
        ("not ASCII", "%C3%A9"),
        ("half an escape", "%"),
        ("an invalid escape", "%zz"),
        ("a space inside", "a%20b"),
        ("a slash", "%2F"),
        ("an asterisk", "*"),
        ("a plus", "a+lead"),
        ("too long", &long),
    ] {
        for method in ["GET", "DELETE"] {
            let request = run.request(method, format!("/leads/{segment}"));
            let sentence = format!("a nonexistent id in a path is 404: {method}, {name}");
            run.check("D4", sentence, request.expect_refusal(404, &["", "no such lead"])).await;
        }
    }
    for (name, end) in [("a space", "%20"), ("NUL", "%00")] {
        let request = run.get(format!("{lead}{end}"));
        let sentence = format!("every character of an id in a path is compared: {name} at the end");
        run.check("D4", sentence, request.expect_refusal(404, &["", "no such lead"])).await;
    }
    run.check("D4", "an id in a path may contain unnecessary escapes", async {
        let id = lead.strip_prefix("/leads/").unwrap_or_default();
        let first = id.bytes().next().unwrap_or_default();
        let plain = run.get(lead).expect_status(200).await?;
        let path = format!("/leads/%{first:02X}{}", id.get(1..).unwrap_or_default());
        run.get(path).expect_status(200).await?.has_json(&plain.json)
    })
    .await;
}
