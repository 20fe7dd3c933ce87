//! Tokens and scopes (contract 5, 7 and D8).

use leadapi_core::auth::BearerToken;
use serde_json::json;

use crate::conformance::{
    report::Stop,
    run::Run,
    sender::path_of,
    target::Role::{Both, Expired, OtherBusiness, Read, Revoked, Write},
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
    for method in ["GET", "POST"] {
        let request = run.request(method, "/leads").without_token();
        run.check(
            "5",
            format!("a missing token is 401: {method}"),
            request.expect_refusal(401, &["", "missing token"]),
        )
        .await;
    }
    run.check("5", "a missing token is 401: HEAD", run.request("HEAD", "/clients").without_token().expect_status(401))
        .await;
    for (what, header) in [
        ("a different scheme", "Basic YTpi"),
        ("a different scheme with a valid token", "Basic TOKEN"),
        ("no scheme", "TOKEN"),
        ("no token", "Bearer"),
        ("only a space", "Bearer "),
        ("the prefix alone", "Bearer pak_"),
        ("a different prefix", "Bearer sk_live_1"),
        ("the prefix in capitals", "Bearer PAK_0123"),
        ("a space in the token", "Bearer pak_a b"),
        ("not ASCII", "Bearer pak_é"),
        ("not UTF-8", "Bearer pak_LATIN1"),
        ("two invalid tokens", "Bearer pak_01, Bearer pak_02"),
        ("two valid tokens", "Bearer TOKEN, Bearer TOKEN"),
    ] {
        run.check("5", format!("a malformed token is 401: {what}"), async {
            let mut header = header.replace("TOKEN", run.token(Both)?.expose()).into_bytes();
            if header.ends_with(b"LATIN1") {
                header.truncate(header.len() - 6);
                header.push(0xff);
            }
            let request = run.get("/clients").without_token().header("authorization", header);
            request.expect_refusal(401, &["", "malformed token"]).await
        })
        .await;
    }
    run.check("5", "two Authorization headers are 401 even if each is valid", async {
        let second = format!("Bearer {}", run.token(Both)?.expose());
        run.get("/clients").header("authorization", second).expect_refusal(401, &["", "malformed token"]).await
    })
    .await;
    run.check("5", "two Authorization headers with tokens of two businesses are 401", async {
        let second = format!("Bearer {}", run.token(OtherBusiness)?.expose());
        run.get("/clients").header("authorization", second).expect_refusal(401, &["", "malformed token"]).await
    })
    .await;
    invalid(run).await;
    for (what, role, says) in [("an expired", Expired, "token expired"), ("a revoked", Revoked, "token revoked")] {
        run.check("5", format!("{what} token is 401"), async {
            run.get("/clients").with_token(role).expect_status(401).await?.error_contains(says)
        })
        .await;
        run.check("5", format!("{what} token is 401 on writes too"), async {
            run.post(&json!({})).with_token(role).expect_status(401).await?.error_contains(says)
        })
        .await;
    }
    for (what, name, prefix) in [
        ("a different header", "x-api-key", ""),
        ("a proxy's header", "proxy-authorization", "Bearer "),
        ("a cookie", "cookie", "token="),
    ] {
        run.check("D8", format!("the token is read only from Authorization, not from {what}"), async {
            let token = format!("{prefix}{}", run.token(Both)?.expose());
            run.get("/clients").without_token().header(name, token).expect_refusal(401, &["", "missing token"]).await
        })
        .await;
    }
    for parameter in ["token", "access_token"] {
        run.check(
            "D8",
            format!("the token is read only from Authorization, not from the query parameter {parameter}"),
            async {
                let path = format!("/clients?{parameter}={}", run.token(Both)?.expose());
                run.get(path).without_token().expect_refusal(401, &["", "missing token"]).await
            },
        )
        .await;
    }
}

/// Checks well-formed tokens that are not in the store.
async fn invalid(run: &Run<'_>) {
    let refused = async |token: String| {
        run.get("/clients").authorization(format!("Bearer {token}")).expect_refusal(401, &["", "invalid token"]).await
    };
    run.check("D8", "an unknown token is 401", async {
        let nobodys = BearerToken::generate().map_err(|error| Stop::Skipped(error.to_string()))?;
        refused(nobodys.expose().to_owned()).await
    })
    .await;
    run.check("D8", "a token without its last character is 401", async {
        let mut token = run.token(Both)?.expose().to_owned();
        token.pop();
        refused(token).await
    })
    .await;
    run.check("D8", "a token with one more character is 401", async {
        refused(format!("{}0", run.token(Both)?.expose())).await
    })
    .await;
    run.check("D8", "a token with a mistyped character is 401", async {
        let token = run.token(Both)?.expose();
        let (prefix, rest) = token.split_at_checked(4).unwrap_or((token, ""));
        let other = if rest.starts_with('x') { "y" } else { "x" };
        refused(format!("{prefix}{other}{}", rest.get(1..).unwrap_or_default())).await
    })
    .await;
    run.check("D8", "a short token is 401", refused("pak_x".to_owned())).await;
    run.check(
        "D8",
        "a revoked token with a wrong checksum is invalid: only its holder learns that it is revoked",
        async {
            let token = run.token(Revoked)?.expose();
            let random = token.get(..47).unwrap_or(token);
            refused(format!("{random}000000")).await?.body_omits("revoked")
        },
    )
    .await;
}

async fn taken(run: &Run<'_>) {
    for scheme in ["bearer", "BEARER", "bEaReR"] {
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
    let lead = run.create_lead(&json!({})).await.map_or_else(|_| path_of(&run.absent_id()), |id| path_of(&id));
    for (path, name) in
        [("/leads", "/leads"), (lead.as_str(), "/leads/{id}"), ("/pipelines", "/pipelines"), ("/clients", "/clients")]
    {
        run.check("5", format!("read allows GET {name}"), run.get(path).with_token(Read).expect_status(200)).await;
        for method in ["GET", "HEAD"] {
            run.check(
                "5",
                format!("write does not include read: {method} {name} is 403, and the error names the missing scope"),
                async {
                    let response = run.request(method, path).with_token(Write).expect_status(403).await?;
                    let response = if method == "GET" { response.error_contains("read")? } else { response };
                    response.has_header(CHALLENGE, NEEDS_READ)
                },
            )
            .await;
        }
    }
    for (name, ask) in [
        ("POST /leads", run.post(&run.new_lead(&json!({})))),
        ("PATCH /leads/{id}", run.patch(&absent_id, &json!({"name": "Ann"}))),
        ("DELETE /leads/{id}", run.delete(&absent_id)),
    ] {
        run.check(
            "5",
            format!("read does not include write: {name} is 403, and the message names the missing scope"),
            async {
                ask.with_token(Read)
                    .expect_status(403)
                    .await?
                    .error_contains("write")?
                    .has_header(CHALLENGE, NEEDS_WRITE)
            },
        )
        .await;
    }
    run.check("5", "write allows POST, PATCH and DELETE", async {
        let made = run.post(&run.new_lead(&json!({}))).with_token(Write).expect_status(201).await?;
        let id = Ok(made.text("id").to_owned());
        run.patch(&id, &json!({"name": "Ann"})).with_token(Write).expect_status(200).await?;
        run.delete(&id).with_token(Write).expect_status(204).await
    })
    .await;
    run.check("D2", "a 403 for a client account carries no challenge", async {
        run.get(format!("/leads?client_id={}", run.absent_id())).expect_status(403).await?.lacks_header(CHALLENGE)
    })
    .await;
}
