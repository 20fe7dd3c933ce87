//! Authorization (contract 5, 7 and D8).

use leadapi_core::auth::BearerToken;
use serde_json::json;

use crate::testkit::conformance::{
    report::Stop,
    run::Run,
    target::Role::{Both, Expired, Read, Revoked, Write},
};

const CHALLENGE: &str = "www-authenticate";
const NEEDS_READ: &str = r#"Bearer error="insufficient_scope", scope="read""#;
const NEEDS_WRITE: &str = r#"Bearer error="insufficient_scope", scope="write""#;

pub(super) async fn check(run: &Run<'_>) {
    refused(run).await;
    taken(run).await;
    scopes(run).await;
}

async fn refused(run: &Run<'_>) {
    run.check("5", "a missing token is 401", async {
        run.get("/clients").without_token().expect_status(401).await?.error_contains("missing token")
    })
    .await;
    for (what, header) in [
        ("another scheme", "Basic YTpi"),
        ("no token", "Bearer"),
        ("the prefix alone", "Bearer pak_"),
        ("another prefix", "Bearer sk_live_1"),
        ("the prefix in capitals", "Bearer PAK_0123"),
        ("two tokens", "Bearer pak_01, Bearer pak_02"),
    ] {
        run.check("5", format!("a malformed token is 401: {what}"), async {
            run.get("/clients").authorization(header).expect_status(401).await?.error_contains("malformed token")
        })
        .await;
    }
    run.check("D8", "an unknown token is 401", async {
        let nobodys = BearerToken::generate().map_err(|error| Stop::Skipped(error.to_string()))?;
        run.get("/clients")
            .authorization(format!("Bearer {}", nobodys.expose()))
            .expect_status(401)
            .await?
            .error_contains("invalid token")
    })
    .await;
    run.check("D8", "a token without its last character is 401", async {
        let mut token = run.token(Both)?.expose().to_owned();
        token.pop();
        run.get("/clients")
            .authorization(format!("Bearer {token}"))
            .expect_status(401)
            .await?
            .error_contains("invalid token")
    })
    .await;
    for (role, says) in [(Expired, "token expired"), (Revoked, "token revoked")] {
        run.check("5", format!("401: {says}"), async {
            run.get("/clients").with_token(role).expect_status(401).await?.error_contains(says)
        })
        .await;
        run.check("5", format!("401 on writes too: {says}"), async {
            run.post(&json!({})).with_token(role).expect_status(401).await?.error_contains(says)
        })
        .await;
    }
    for (what, name) in [("a header of another name", "x-api-key"), ("a cookie", "cookie")] {
        run.check("D8", format!("the token is taken from Authorization only: not from {what}"), async {
            let token = run.token(Both)?.expose().to_owned();
            run.get("/clients")
                .without_token()
                .header(name, token)
                .expect_status(401)
                .await?
                .error_contains("missing token")
        })
        .await;
    }
    run.check("D8", "the token is taken from Authorization only: not from the query", async {
        let path = format!("/clients?token={}", run.token(Both)?.expose());
        run.get(path).without_token().expect_status(401).await?.error_contains("missing token")
    })
    .await;
}

async fn taken(run: &Run<'_>) {
    for scheme in ["bearer", "BEARER"] {
        run.check("D8", format!("the scheme is case-insensitive: {scheme}"), async {
            run.get("/clients")
                .authorization(format!("{scheme} {}", run.token(Both)?.expose()))
                .expect_status(200)
                .await
        })
        .await;
    }
}

async fn scopes(run: &Run<'_>) {
    let absent_id = Ok(run.absent_id());
    for path in ["/leads", "/pipelines", "/clients"] {
        run.check("5", format!("read allows GET {path}"), run.get(path).with_token(Read).expect_status(200)).await;
        run.check("5", format!("write does not include read: GET {path} is 403 and says so"), async {
            run.get(path)
                .with_token(Write)
                .expect_status(403)
                .await?
                .error_contains("read")?
                .has_header(CHALLENGE, NEEDS_READ)
        })
        .await;
    }
    run.check("5", "write does not include read: GET /leads/{id} is 403", async {
        run.get_lead(&absent_id).with_token(Write).expect_status(403).await?.has_header(CHALLENGE, NEEDS_READ)
    })
    .await;
    run.check(
        "5",
        "write does not include read: HEAD /leads is 403",
        run.request("HEAD", "/leads").with_token(Write).expect_status(403),
    )
    .await;
    for (name, ask) in [
        ("POST /leads", run.post(&run.new_lead(&json!({})))),
        ("PATCH /leads/{id}", run.patch(&absent_id, &json!({"name": "Ann"}))),
        ("DELETE /leads/{id}", run.delete(&absent_id)),
    ] {
        run.check("5", format!("read does not include write: {name} is 403 and says so"), async {
            ask.with_token(Read).expect_status(403).await?.error_contains("write")?.has_header(CHALLENGE, NEEDS_WRITE)
        })
        .await;
    }
    run.check("5", "write allows POST, PATCH and DELETE", async {
        let made = run.post(&run.new_lead(&json!({}))).with_token(Write).expect_status(201).await?;
        let id = Ok(made.text("id").to_owned());
        run.patch(&id, &json!({"name": "Ann"})).with_token(Write).expect_status(200).await?;
        run.delete(&id).with_token(Write).expect_status(204).await
    })
    .await;
    run.check("D2", "a 403 of a client account carries no challenge", async {
        run.get(format!("/leads?client_id={}", run.absent_id())).expect_status(403).await?.lacks_header(CHALLENGE)
    })
    .await;
}
