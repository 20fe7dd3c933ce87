//! Query strings (contract D3): every parameter must be known, unique and non-empty.

use leadapi_tests::{Case, get, patch, post, request, run_table};
use serde_json::json;

const LIMIT: &str = "limit must be an integer from 1 to 200";

#[tokio::test]
async fn query_parameters_are_validated() {
    run_table([windows(), parameters(), filters()].concat()).await;
}

fn windows() -> Vec<Case> {
    let mut cases = Vec::new();
    for list in ["/leads", "/pipelines", "/clients"] {
        cases.extend([
            get(format!("8 default 50 {list}"), list).at("/limit", 50).at("/offset", 0),
            get(format!("D3 limit 1 {list}"), format!("{list}?limit=1")).at("/limit", 1),
            get(format!("D3 limit 200 {list}"), format!("{list}?limit=200")).at("/limit", 200),
            get(format!("D3 limit in digits only: zeros before it {list}"), format!("{list}?limit=007"))
                .at("/limit", 7),
            get(format!("D3 limit with escapes {list}"), format!("{list}?%6Cimit=%35")).at("/limit", 5),
            get(format!("D3 offset 2^53-1 {list}"), format!("{list}?offset=9007199254740991"))
                .at("/offset", 9_007_199_254_740_991_u64)
                .at("/data", json!([])),
            get(format!("D3 offset 2^53 {list}"), format!("{list}?offset=9007199254740992"))
                .is(400)
                .blames("offset")
                .says("9007199254740991"),
            get(format!("D3 both at fault {list}"), format!("{list}?offset=x&limit=x"))
                .is(400)
                .says(LIMIT)
                .says("; ")
                .says("offset must be"),
        ]);
        for bad in [
            "0",
            "201",
            "-1",
            "+1",
            "%2B1",
            "1.0",
            "1e1",
            "%201",
            "1%20",
            "x",
            "%D9%A3",
            "99999999999999999999",
            "0x10",
            "1_0",
            "1,0",
            "null",
        ] {
            cases.push(
                get(format!("D3 limit {bad} is 400 {list}"), format!("{list}?limit={bad}")).is(400).blames(LIMIT),
            );
        }
        for bad in ["-1", "-0", "%2B0", "1.0", "x", "%20", "18446744073709551616"] {
            cases.push(
                get(format!("D3 offset {bad} is 400 {list}"), format!("{list}?offset={bad}"))
                    .is(400)
                    .blames("offset must be an integer from 0 to"),
            );
        }
    }
    cases
}

/// D3: on all seven operations an unknown, repeated or empty query parameter is 400 naming it and the allowed ones.
fn parameters() -> Vec<Case> {
    let mut cases = Vec::new();
    for (path, allowed) in [
        ("/leads", vec!["client_id", "stage_id", "limit", "offset"]),
        ("/pipelines", vec!["limit", "offset"]),
        ("/clients", vec!["limit", "offset"]),
        ("/leads/a-lead-1", vec![]),
    ] {
        let all = |case: Case| allowed.iter().fold(case, |case, name| case.says(*name));
        for (query, name) in [
            ("page=2", "page"),
            ("Limit=2", "Limit"),
            ("limit%20=2", "limit "),
            ("cursor", "cursor"),
            ("client_id%5B%5D=a-client-1", "client_id[]"),
        ] {
            cases.push(all(get(format!("D3 an unknown parameter: {path}?{query}"), format!("{path}?{query}"))
                .is(400)
                .blames(name)));
        }
        for name in &allowed {
            let rule = match *name {
                "limit" => LIMIT.to_owned(),
                "offset" => "offset must be an integer from 0 to 9007199254740991".to_owned(),
                id => format!("{id} must be the id of a "),
            };
            for query in [format!("{name}="), (*name).to_owned()] {
                cases.push(all(get(format!("D3 an empty parameter: {path}?{query}"), format!("{path}?{query}"))
                    .is(400)
                    .blames(&rule)
                    .says("empty")));
            }
            for query in [format!("{name}=1&{name}=1"), format!("{name}=1&limit=1&offset=1&{name}=2")] {
                cases.push(all(get(format!("D3 a repeated parameter: {path}?{query}"), format!("{path}?{query}"))
                    .is(400)
                    .says(*name)));
            }
        }
    }
    let new = json!({"client_id": "a-client-1", "name": "Ann"});
    cases.extend([
        request("D3 an unknown parameter on POST", "POST", "/leads?client_id=a-client-1")
            .json(new.clone())
            .is(400)
            .blames("client_id"),
        request("D3 an unknown parameter on POST, although the body is good", "POST", "/leads?dry_run=1")
            .json(new)
            .is(400)
            .blames("dry_run"),
        request("D3 an unknown parameter on PATCH", "PATCH", "/leads/a-lead-1?x=1")
            .json(json!({"name": "Ann"}))
            .is(400)
            .blames("x"),
        request("D3 an unknown parameter on DELETE", "DELETE", "/leads/a-lead-1?force=true").is(400).blames("force"),
        request("D2 query faults first, then those of the body", "POST", "/leads?x=1")
            .json(json!({"client_id": "a-client-1", "nmae": "Ann"}))
            .is(400)
            .blames("x")
            .says("; nmae")
            .says("; name"),
        request("D2 query faults first, then those of headers and body", "POST", "/leads?x=1&y=2")
            .json(json!({"email": "x"}))
            .header("idempotency-key", "a b")
            .is(400)
            .blames("x")
            .says("; y")
            .says("; Idempotency-Key")
            .says("; client_id")
            .says("; name")
            .says("; email"),
        get("D2 several faults are joined", "/leads?page=1&limit=0&offset=&sort=name")
            .is(400)
            .says("page")
            .says(LIMIT)
            .says("offset")
            .says("sort"),
        patch("D2 several faults are joined on PATCH", "a-lead-1", json!({"name": "", "phone": "1", "value": "1"}))
            .is(400)
            .says("name")
            .says("; phone")
            .says("value"),
        post(
            "D2 several faults are joined on POST",
            json!({"source": 1, "notes": false, "value": [], "business_name": {}}),
        )
        .is(400)
        .says("source")
        .says("notes")
        .says("value")
        .says("business_name")
        .says("client_id")
        .says("; name"),
    ]);
    cases
}

fn filters() -> Vec<Case> {
    vec![
        get("4 a client_id of another business is 403", "/leads?client_id=b-client-1").is(403).blames("client_id"),
        get("D3 a client_id that is unknown is 403", "/leads?client_id=nobody").is(403).blames("client_id"),
        get("D4 a client_id that cannot exist is 403", "/leads?client_id=a%20b").is(403).blames("client_id"),
        get("D4 a client_id that cannot exist is 403: not ASCII", "/leads?client_id=%C3%A9")
            .is(403)
            .blames("client_id"),
        get("D4 a client_id that cannot exist is 403: too long", format!("/leads?client_id={}", "x".repeat(65)))
            .is(403)
            .blames("client_id"),
        get("D3 a client_id is compared as it is", "/leads?client_id=A-CLIENT-1").is(403).blames("client_id"),
        get("D3 a stage_id of another business is 400", "/leads?stage_id=b-stage-1").is(400).blames("stage_id"),
        get("D3 a stage_id that is unknown is 400", "/leads?stage_id=nobody").is(400).blames("stage_id"),
        get("D3 a stage_id that cannot exist is 400", "/leads?stage_id=a%20b").is(400).blames("stage_id"),
        get("D3 a client_id is checked before a stage_id that cannot exist", "/leads?client_id=nobody&stage_id=a%20b")
            .is(403)
            .blames("client_id"),
        get("D3 a client_id that cannot exist is checked before a stage_id", "/leads?client_id=a%20b&stage_id=nobody")
            .is(403)
            .blames("client_id"),
        get("D3 a stage_id that cannot exist, with a good client_id", "/leads?client_id=a-client-1&stage_id=a%20b")
            .is(400)
            .blames("stage_id"),
        get("D3 a stage_id that is a pipeline is 400", "/leads?stage_id=a-pipe-1").is(400).blames("stage_id"),
    ]
}
