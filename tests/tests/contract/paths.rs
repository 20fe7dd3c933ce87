//! The known paths (contract 1, 4, 9 and D7).

use leadapi_tests::{Case, Token, Via, World, delete, get, head, request, run_table};

#[tokio::test]
async fn only_the_documented_paths_exist() {
    run_table([unknown(), slashes(), leads()].concat()).await;
}

fn unknown() -> Vec<Case> {
    let mut cases = Vec::new();
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
    ] {
        cases.push(get(format!("1 any other path returns 404: {path}"), path).is(404).blames("path"));
    }
    for path in ["/health", "/healthz", "/livez", "/readyz", "/metrics", "/admin", "/openapi.json"] {
        cases.push(get(format!("D7 health, metrics and administration are never here: {path}"), path).is(404));
    }
    for path in [
        "/leads/a-lead-1/notes",
        "/pipelines/a-pipe-1",
        "/clients/a-client-1",
        "/pipelines/a-pipe-1/stages",
        "/lead",
        "/leadsx",
        "/leads.json",
        "/v2/leads",
        "/v1/v1/leads",
    ] {
        cases.push(get(format!("4 only the seven operations exist: {path}"), path).is(404).blames("path"));
    }
    for path in ["/Leads", "/LEADS", "/leadS/a-lead-1", "/Pipelines", "/CLIENTS"] {
        cases.push(get(format!("D7 other case is 404: {path}"), path).is(404).lacks("location"));
    }
    cases.push(head("D2 an unknown path is 404 on HEAD too", "/contacts").is(404));
    cases.push(get("7 an unknown path is 404 whatever the query", "/contacts?limit=0").is(404).silent_on("limit"));
    cases.push(request("7 an unknown path is 404 on every method", "DELETE", "/contacts").is(404));
    cases.push(request("7 an unknown path is 404 on OPTIONS", "OPTIONS", "/contacts").is(404).lacks("allow"));
    cases
}

/// Extra slashes cause no redirect. The message names the correct path as callers see it.
fn slashes() -> Vec<Case> {
    let table = [
        ("/leads/", "/leads"),
        ("//leads", "/leads"),
        ("/leads//", "/leads"),
        ("//leads//", "/leads"),
        ("/leads/a-lead-1/", "/leads/a-lead-1"),
        ("/leads//a-lead-1", "/leads/a-lead-1"),
        ("/pipelines/", "/pipelines"),
        ("/clients//", "/clients"),
        ("/leads/?limit=1", "/leads"),
    ];
    let mut cases = Vec::new();
    for (path, right) in table {
        for method in ["GET", "POST", "DELETE"] {
            let case = request(format!("D7 a slash too many: {method} {path}"), method, path).token(Token::None);
            let case = if path.starts_with("//") {
                case.except(Via::Axum, "axum's nest_service hands /crm//leads on as /leads")
            } else {
                case
            };
            cases.push(case.is(404).blames("path").says(format!("{{public}}{right}")).lacks("location"));
        }
    }
    cases.push(
        get("D7 a slash too many names a path only if there is one", "/forms/").is(404).silent_on("{public}/forms"),
    );
    cases
}

/// An id in a path is decoded once, and one that cannot exist is 404.
fn leads() -> Vec<Case> {
    let special = "a%2Fb%3Fc%25";
    let mut cases = vec![
        get("D4 an id with special characters", format!("/leads/{special}"))
            .at("/id", "a/b?c%")
            .at("/name", "Fay Canary-A"),
        get("D4 an id with special characters, lower case escapes", "/leads/a%2fb%3fc%25").at("/id", "a/b?c%"),
        delete("D4 an id with special characters is deleted", special),
        get("D4 an id with escapes that it does not need", "/leads/%61%2Dlead-1").at("/id", "a-lead-1"),
        get("D4 an id is decoded once only", "/leads/a%252Fb%253Fc%2525").is(404).says("no such lead"),
        get("D4 an id is not decoded as a form: + is no blank", "/leads/a+lead").is(404).says("no such lead"),
        get("D4 an id is compared with its case", "/leads/A-LEAD-1").is(404).says("no such lead"),
        get("D7 an absolute request URI", "/leads/a-lead-1").absolute().at("/id", "a-lead-1"),
        get("D7 an absolute request URI with a query", "/leads?limit=1").absolute().at("/limit", 1),
        get("4 an empty query is none", "/leads/a-lead-1?").at("/id", "a-lead-1"),
    ];
    let long = "x".repeat(65);
    for segment in [
        "%20",
        "%00",
        "%ff",
        "%C3%A9",
        "%",
        "%zz",
        "a%20b",
        "a-lead-1%20",
        "a-lead-1%00",
        "%2F",
        ".",
        "..",
        "%2e%2e",
        "*",
        &long,
    ] {
        for method in ["GET", "DELETE"] {
            let name = format!("D4 an id in a path that cannot exist is 404: {method} {segment}");
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
