//! Authentication and authorization (contract 5, 7 and D8).

use leadapi_tests::{Case, Token, delete, get, head, patch, post, request, run_table, secret};
use serde_json::json;

const CHALLENGE: &str = "www-authenticate";

#[tokio::test]
async fn tokens_and_scopes_decide_access() {
    run_table([headers(), verdicts(), scopes()].concat()).await;
}

fn refused(name: &str, header: &[u8], says: &str) -> Case {
    get(name, "/leads").token(Token::None).header("authorization", header).is(401).says(says)
}

fn bearing(name: &str, header: String) -> Case {
    get(name, "/leads").token(Token::None).header("authorization", header)
}

/// The format of the `Authorization` header.
fn headers() -> Vec<Case> {
    let good = Token::Both.secret().unwrap();
    let mistyped = good.replacen("Both", "Bath", 1);
    let (truncated, longer) = (&good[..52], format!("{good}0"));
    let b = Token::B.secret().unwrap();
    vec![
        get("5.7 a missing token is 401", "/leads").token(Token::None).is(401).says("missing token"),
        request("5.7 a missing token is 401 on every method", "POST", "/leads")
            .token(Token::None)
            .is(401)
            .says("missing token"),
        refused("D2 malformed token: another scheme", format!("Basic {good}").as_bytes(), "malformed token"),
        refused("D2 malformed token: no scheme", good.as_bytes(), "malformed token"),
        refused("D2 malformed token: no token", b"Bearer", "malformed token"),
        refused("D2 malformed token: only a blank", b"Bearer ", "malformed token"),
        refused("D2 malformed token: the prefix alone", b"Bearer pak_", "malformed token"),
        refused("5.1 malformed token: another prefix", b"Bearer sk_live_1", "malformed token"),
        refused("5.1 malformed token: the prefix in capitals", b"Bearer PAK_x", "malformed token"),
        refused("D2 malformed token: a blank in it", b"Bearer pak_a b", "malformed token"),
        refused("D2 malformed token: not ASCII", "Bearer pak_é".as_bytes(), "malformed token"),
        refused("D2 malformed token: not UTF-8", b"Bearer pak_\xff", "malformed token"),
        refused(
            "D2 malformed token: two in one header",
            format!("Bearer {good}, Bearer {good}").as_bytes(),
            "malformed token",
        ),
        get("D2 malformed token: the header is given twice, both good", "/leads")
            .header("authorization", format!("Bearer {good}"))
            .is(401)
            .says("malformed token"),
        get("D2 malformed token: the header is given twice, of two businesses", "/leads")
            .header("authorization", format!("Bearer {b}"))
            .is(401)
            .says("malformed token"),
        refused("D8 invalid token: one character mistyped", format!("Bearer {mistyped}").as_bytes(), "invalid token"),
        refused("D8 invalid token: truncated", format!("Bearer {truncated}").as_bytes(), "invalid token"),
        refused("D8 invalid token: one character more", format!("Bearer {longer}").as_bytes(), "invalid token"),
        refused("D8 invalid token: short", b"Bearer pak_x", "invalid token"),
        bearing("D8 the scheme is matched without case: lower", format!("bearer {good}")),
        bearing("D8 the scheme is matched without case: upper", format!("BEARER {good}")),
        bearing("D8 the scheme is matched without case: mixed", format!("bEaReR {good}")),
        get("D8 the token is taken from the header only: not the query", format!("/leads?token={good}"))
            .token(Token::None)
            .is(401)
            .says("missing token"),
        get("D8 the token is taken from the header only: not access_token", format!("/leads?access_token={good}"))
            .token(Token::None)
            .is(401)
            .says("missing token"),
        get("D8 the token is taken from the header only: not a cookie", "/leads")
            .token(Token::None)
            .header("cookie", format!("token={good}"))
            .is(401)
            .says("missing token"),
        get("D8 the token is taken from the header only: not another header", "/leads")
            .token(Token::None)
            .header("x-api-key", good.clone())
            .header("proxy-authorization", format!("Bearer {good}"))
            .is(401)
            .says("missing token"),
    ]
}

/// Well-formed tokens that are unknown, expired or revoked.
fn verdicts() -> Vec<Case> {
    let revoked = secret("Revoked");
    let half = format!("{}000000", &revoked[..47]);
    vec![
        get("D2 invalid token: unknown", "/leads").token(Token::Unknown).is(401).says("invalid token"),
        get("D2 token expired: at that very moment", "/leads").token(Token::Expired).is(401).says("token expired"),
        get("5.5 a token that is yet to expire is good", "/leads").token(Token::Expiring),
        get("D2 token revoked", "/leads").token(Token::Revoked).is(401).says("token revoked"),
        post("D2 token revoked: on writes", json!({})).token(Token::Revoked).is(401).says("token revoked"),
        refused(
            "D8 only the holder of the full secret learns that it is revoked",
            format!("Bearer {half}").as_bytes(),
            "invalid token",
        )
        .silent_on("revoked"),
        head("5.7 HEAD without a token is 401", "/clients").token(Token::None).is(401),
        get("D2 a 401 says nothing of a lead", "/leads/a-lead-1").token(Token::None).is(401).silent_on("lead"),
    ]
}

/// The scope read allows all GET requests, write allows POST, PATCH and DELETE, and neither includes the other
/// (contract 5.4).
fn scopes() -> Vec<Case> {
    let write = r#"Bearer error="insufficient_scope", scope="write""#;
    let read = r#"Bearer error="insufficient_scope", scope="read""#;
    let new = json!({"client_id": "a-client-1", "name": "Ann"});
    let mut cases = vec![
        post("5.4 write allows POST", new.clone()).token(Token::Write),
        patch("5.4 write allows PATCH", "a-lead-1", json!({"name": "Ann"})).token(Token::Write),
        delete("5.4 write allows DELETE", "a-lead-1").token(Token::Write),
        post("5.7 a token that lacks the scope: POST", new)
            .token(Token::Read)
            .is(403)
            .says("write")
            .has(CHALLENGE, write),
        patch("5.7 a token that lacks the scope: PATCH", "a-lead-1", json!({"name": "Ann"}))
            .token(Token::Read)
            .is(403)
            .says("write")
            .has(CHALLENGE, write),
        delete("5.7 a token that lacks the scope: DELETE", "a-lead-1")
            .token(Token::Read)
            .is(403)
            .says("write")
            .has(CHALLENGE, write),
    ];
    for path in ["/leads", "/leads/a-lead-1", "/pipelines", "/clients"] {
        cases.push(get(format!("5.4 read allows GET {path}"), path).token(Token::Read));
        let name = format!("D8 write does not include read: GET {path}");
        cases.push(get(name, path).token(Token::Write).is(403).says("read").has(CHALLENGE, read));
        let name = format!("D8 write does not include read: HEAD {path}");
        cases.push(head(name, path).token(Token::Write).is(403).has(CHALLENGE, read));
    }
    cases.push(
        get("D2 a 403 of a foreign client has no challenge", "/leads?client_id=b-client-1").is(403).lacks(CHALLENGE),
    );
    cases
}
