//! Which methods each path takes (contract D2 and D7).

use leadapi_tests::{Case, Token, delete, get, head, request, run_table, secret};

const PATHS: [(&str, &str); 4] = [
    ("/leads", "GET, HEAD, POST"),
    ("/leads/a-lead-1", "GET, HEAD, PATCH, DELETE"),
    ("/pipelines", "GET, HEAD"),
    ("/clients", "GET, HEAD"),
];

#[tokio::test]
async fn each_path_accepts_only_its_methods() {
    run_table([refused(), head_and_overrides()].concat()).await;
}

fn refused() -> Vec<Case> {
    let mut cases = Vec::new();
    for (path, allow) in PATHS {
        for method in ["PUT", "OPTIONS", "TRACE", "POST", "PATCH", "DELETE", "BREW", "PROPFIND", "get"] {
            if allow.split(", ").any(|allowed| allowed == method) {
                continue;
            }
            let name = format!("D2 405 carries Allow and names the method: {method} {path}");
            cases.push(request(name, method, path).token(Token::None).is(405).has("allow", allow).says(method));
        }
    }
    cases.push(
        request("D2 405 names the first 16 characters of a long method", "X".repeat(40).as_str(), "/leads")
            .is(405)
            .says(format!("method {} is", "X".repeat(16))),
    );
    cases.push(
        request("D2 405 shows no token that was sent as the method", secret("m").as_str(), "/leads")
            .token(Token::None)
            .is(405)
            .says("method OTHER is"),
    );
    cases.push(
        request("D7 CORS is off: a preflight is 405", "OPTIONS", "/leads")
            .header("origin", "https://app.example")
            .header("access-control-request-method", "POST")
            .is(405)
            .lacks("access-control-allow-origin"),
    );
    cases.push(
        get("D7 CORS is off: no header for an origin", "/leads")
            .header("origin", "https://app.example")
            .lacks("access-control-allow-origin")
            .lacks("vary"),
    );
    cases
}

fn head_and_overrides() -> Vec<Case> {
    let mut cases: Vec<Case> =
        PATHS.iter().map(|(path, _)| head(format!("D7 HEAD on the GET paths: {path}"), *path)).collect();
    cases.extend([
        head("D7 HEAD of a lead that is not there", "/leads/nobody").is(404),
        head("D7 HEAD with a bad query", "/leads?limit=0").is(400),
        head("D7 HEAD of a foreign client", "/leads?client_id=b-client-1").is(403),
        get("D7 method override headers are ignored on GET", "/leads/a-lead-1")
            .header("x-http-method-override", "DELETE")
            .header("x-method-override", "DELETE")
            .header("x-http-method", "DELETE")
            .at("/id", "a-lead-1"),
        delete("D7 method override headers are ignored on DELETE", "a-lead-1").header("x-http-method-override", "GET"),
        get("D7 a method in the query is no override", "/leads?_method=DELETE").is(400).blames("_method"),
        get("D7 Accept is ignored: text/html", "/leads").header("accept", "text/html"),
        get("D7 Accept is ignored: nothing acceptable", "/leads").header("accept", "application/json;q=0"),
        get("D7 Accept is ignored: on errors", "/nothing").header("accept", "text/html").is(404),
        get("D7 Accept-Encoding is ignored", "/leads").header("accept-encoding", "gzip, br").lacks("content-encoding"),
        get("D2 a conditional GET is answered in full", "/leads").header("if-none-match", "*"),
        get("D2 a range is answered in full", "/leads").header("range", "bytes=0-1").lacks("content-range"),
    ]);
    cases
}
