//! Query strings (contract D3): a parameter must be known, not repeated and not empty.

use serde_json::json;

use crate::conformance::{
    report::Stop,
    run::{CreatedLead, Run},
    sender::path_of,
};

const LIMIT: &str = "limit must be an integer from 1 to 200";
const OFFSET: &str = "offset must be an integer from 0 to 9007199254740991";

pub(super) async fn check(run: &Run<'_>) {
    for list in ["/leads", "/pipelines", "/clients"] {
        windows(run, list).await;
    }
    let lead = run.create_lead(&json!({})).await;
    parameters(run, &lead).await;
    together(run, &lead).await;
    references(run).await;
}

async fn windows(run: &Run<'_>, list: &str) {
    run.check("8", format!("limit defaults to 50 and offset to 0: {list}"), async {
        run.get(list).expect_status(200).await?.has_members(&json!({"limit": 50, "offset": 0}))
    })
    .await;
    for (query, limit) in [("limit=1", 1), ("limit=200", 200), ("limit=007", 7), ("%6Cimit=%35", 5)] {
        run.check("D3", format!("limit may be 1 to 200: {list}?{query}"), async {
            run.get(format!("{list}?{query}")).expect_status(200).await?.has_members(&json!({"limit": limit}))
        })
        .await;
    }
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
        let request = run.get(format!("{list}?limit={bad}"));
        let sentence = format!("any other limit is 400, and the message names the range: {list}?limit={bad}");
        run.check("D3", sentence, request.expect_refusal(400, &[LIMIT])).await;
    }
    run.check("D3", format!("offset may be 2^53-1: {list}"), async {
        let far = json!({"data": [], "offset": 9_007_199_254_740_991_u64});
        run.get(format!("{list}?offset=9007199254740991")).expect_status(200).await?.has_members(&far)
    })
    .await;
    for bad in ["9007199254740992", "-1", "-0", "%2B0", "1.0", "x", "%20", "18446744073709551616"] {
        let request = run.get(format!("{list}?offset={bad}"));
        let sentence = format!("any other offset is 400, and the message names the range: {list}?offset={bad}");
        run.check("D3", sentence, request.expect_refusal(400, &[OFFSET])).await;
    }
    let both = run.get(format!("{list}?offset=x&limit=x"));
    let sentence = format!("a bad limit and a bad offset are both reported: {list}");
    run.check("D3", sentence, both.expect_refusal(400, &["", LIMIT, "; ", OFFSET])).await;
}

async fn parameters(run: &Run<'_>, lead: &CreatedLead) {
    let lead = lead.as_ref().map_or_else(|_| path_of(&run.absent_id()), |id| path_of(id));
    for (path, name, allowed) in [
        ("/leads", "/leads", ["client_id", "stage_id", "limit", "offset"].as_slice()),
        ("/pipelines", "/pipelines", &["limit", "offset"]),
        ("/clients", "/clients", &["limit", "offset"]),
        (lead.as_str(), "/leads/{id}", &[]),
    ] {
        let says = |start| [&[start], allowed].concat();
        for (query, parameter) in [
            ("page=2", "page"),
            ("Limit=2", "Limit"),
            ("limit%20=2", "limit "),
            ("cursor", "cursor"),
            ("client_id%5B%5D=1", "client_id[]"),
        ] {
            let sentence = format!(
                "an unknown parameter is 400, and the message names it and the allowed parameters: GET {name}?{query}"
            );
            let request = run.get(format!("{path}?{query}"));
            run.check("D3", sentence, request.expect_refusal(400, &says(parameter))).await;
        }
        for parameter in allowed {
            let rule = match *parameter {
                "limit" => LIMIT,
                "offset" => OFFSET,
                other => other,
            };
            for query in [format!("{parameter}="), (*parameter).to_owned()] {
                let sentence = format!(
                    "an empty parameter is 400, and the message states its rule and the allowed parameters: GET {name}?{query}"
                );
                let request = run.get(format!("{path}?{query}"));
                run.check("D3", sentence, request.expect_refusal(400, &[&says(rule)[..], &["empty"]].concat())).await;
            }
            for query in
                [format!("{parameter}=1&{parameter}=1"), format!("{parameter}=1&limit=1&offset=1&{parameter}=2")]
            {
                let sentence = format!(
                    "a repeated parameter is 400, and the message names the allowed parameters: GET {name}?{query}"
                );
                let request = run.get(format!("{path}?{query}"));
                run.check("D3", sentence, request.expect_refusal(400, &[&says("")[..], &[parameter]].concat())).await;
            }
        }
    }
    run.check("D3", "an empty query is ignored", run.get(format!("{lead}?")).expect_status(200)).await;
    let new = run.new_lead(&json!({}));
    for (sentence, request, parameter) in [
        ("POST /leads", run.request("POST", "/leads?dry_run=1").json(&new), "dry_run"),
        ("POST /leads with a field name", run.request("POST", "/leads?client_id=1").json(&new), "client_id"),
        ("PATCH /leads/{id}", run.request("PATCH", format!("{lead}?x=1")).json(&json!({"name": "Ann"})), "x"),
        ("DELETE /leads/{id}", run.request("DELETE", format!("{lead}?force=true")), "force"),
    ] {
        let sentence = format!("an unknown parameter is 400: {sentence}");
        run.check("D3", sentence, request.expect_refusal(400, &[parameter])).await;
    }
}

/// Checks that one message reports several problems.
async fn together(run: &Run<'_>, lead: &CreatedLead) {
    let query = run.get("/leads?page=1&limit=0&offset=&sort=name");
    let says = ["", "page", LIMIT, "offset", "sort", "; "];
    run.check("D2", "one message reports several problems of a query", query.expect_refusal(400, &says)).await;
    let patch = run.patch(lead, &json!({"name": "", "phone": "1", "value": "1"}));
    let says = ["", "name", "; phone", "value"];
    run.check("D2", "one message reports several problems of a patch", patch.expect_refusal(400, &says)).await;
    let create = run.request("POST", "/leads?x=1").json(&json!({"client_id": run.target.client_id, "nmae": "Ann"}));
    let says = ["x", "; nmae", "; name"];
    run.check(
        "D2",
        "problems of the query are reported before problems of the body",
        create.expect_refusal(400, &says),
    )
    .await;
}

async fn references(run: &Run<'_>) {
    let (absent_id, own) = (run.absent_id(), &run.target.client_id);
    let refused = |status, name, query: String| {
        let request = run.get(format!("/leads?{query}"));
        async move { request.expect_refusal(status, &[name]).await }
    };
    let long = "x".repeat(65);
    for (what, id) in
        [("unknown", absent_id.as_str()), ("a space", "a%20b"), ("not ASCII", "%C3%A9"), ("too long", &long)]
    {
        let sentence = format!("a client_id filter with a nonexistent id is 403: {what}");
        run.check("D3", sentence, refused(403, "client_id", format!("client_id={id}"))).await;
    }
    run.check("4", "a client_id filter with an id of another business is 403", async {
        let foreign = &run.target.other_business()?.client;
        refused(403, "client_id", format!("client_id={foreign}")).await
    })
    .await;
    run.check("D3", "a client_id filter is case-sensitive", async {
        let other = own.to_ascii_uppercase();
        if other == *own {
            return Err(Stop::Skipped("the id of the client account has no lower-case letters".to_owned()));
        }
        refused(403, "client_id", format!("client_id={other}")).await
    })
    .await;
    for (what, id) in [("unknown", absent_id.as_str()), ("malformed", "a%20b")] {
        let sentence = format!("a stage_id filter with a nonexistent id is 400: {what}");
        run.check("D3", sentence, refused(400, "stage_id", format!("stage_id={id}"))).await;
        let sentence = format!("a stage_id filter with a nonexistent id is 400 even with a client_id: {what}");
        run.check("D3", sentence, refused(400, "stage_id", format!("client_id={own}&stage_id={id}"))).await;
    }
    run.check("D3", "a stage_id filter with an id of another business is 400", async {
        let foreign = &run.target.other_business()?.stage;
        refused(400, "stage_id", format!("stage_id={foreign}")).await
    })
    .await;
    run.check("D3", "a stage_id filter with the id of a pipeline is 400", async {
        let (pipeline, ..) = run.target.pipeline()?;
        refused(400, "stage_id", format!("stage_id={pipeline}")).await
    })
    .await;
    for (client, stage) in [(absent_id.as_str(), "a%20b"), ("a%20b", absent_id.as_str())] {
        let sentence = format!("the client_id filter is checked before the stage_id filter: {client}, {stage}");
        let query = format!("stage_id={stage}&client_id={client}");
        let sentence = sentence.replace(&absent_id, "unknown");
        run.check("D3", sentence, refused(403, "client_id", query)).await;
    }
}
