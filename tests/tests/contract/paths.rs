//! Tests of the documented paths (contract 1, 4, 9 and D7).

use leadapi_tests::{Case, Token, Via, World, delete, get, request, run_table};

#[tokio::test]
async fn only_the_documented_paths_exist() {
    run_table([slashes(), leads()].concat()).await;
}

/// Returns cases with extra leading slashes, which axum's `nest_service` removes.
fn slashes() -> Vec<Case> {
    let mut cases = Vec::new();
    for path in ["//leads", "//leads//"] {
        for method in ["GET", "POST", "DELETE"] {
            let case = request(format!("D7 an extra slash: {method} {path}"), method, path).token(Token::None);
            let case = case.except(Via::Axum, "axum's nest_service passes /crm//leads on as /leads");
            cases.push(case.is(404).blames("path").says("{public}/leads").lacks("location"));
        }
    }
    cases
}

/// Returns cases for an id with special characters, and request targets that no HTTP client sends.
fn leads() -> Vec<Case> {
    let special = "a%2Fb%3Fc%25";
    let mut cases = vec![
        get("D4 an id with special characters", format!("/leads/{special}"))
            .at("/id", "a/b?c%")
            .at("/name", "Fay Canary-A"),
        get("D4 an id with special characters in lower-case percent-encoding", "/leads/a%2fb%3fc%25")
            .at("/id", "a/b?c%"),
        delete("D4 an id with special characters is deleted", special),
        get("D4 an id is decoded only once", "/leads/a%252Fb%253Fc%2525").is(404).says("no such lead"),
        get("D4 an id is case-sensitive", "/leads/A-LEAD-1").is(404).says("no such lead"),
        get("D7 an absolute request URI", "/leads/a-lead-1").absolute().at("/id", "a-lead-1"),
        get("D7 an absolute request URI with a query", "/leads?limit=1").absolute().at("/limit", 1),
    ];
    for segment in [".", "..", "%2e%2e"] {
        for method in ["GET", "DELETE"] {
            let name = format!("D4 a malformed id in a path is 404: {method} {segment}");
            cases.push(request(name, method, format!("/leads/{segment}")).is(404).says("no such lead"));
        }
    }
    cases
}

#[tokio::test]
async fn the_version_is_part_of_the_base_path() {
    let live = Via::Tcp.open(World::new().await).await;
    for (path, status) in
        [("/v1/leads", 200), ("/leads", 404), ("/v2/leads", 404), ("/V1/leads", 404), ("/v1", 404), ("/", 404)]
    {
        let sentence = "9 the version is v1 and is part of the base path";
        let mut request = live.request(&get(sentence, ""));
        *request.uri_mut() = path.parse().unwrap();
        assert_eq!(live.raw(request).await.status, status, "{sentence}: {path}");
    }
}
