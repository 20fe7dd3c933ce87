//! HTTP methods (contract D2 and D7), and request headers that the service ignores.

use serde_json::json;

use crate::conformance::{report::Stop, run::Run, sender::path_of};

pub(super) async fn check(run: &Run<'_>) {
    let lead = run.create_lead(&json!({})).await.map_or_else(|_| path_of(&run.absent_id()), |id| path_of(&id));
    let paths = [
        (lead.as_str(), "/leads/{id}", "GET, HEAD, PATCH, DELETE"),
        ("/leads", "/leads", "GET, HEAD, POST"),
        ("/pipelines", "/pipelines", "GET, HEAD"),
        ("/clients", "/clients", "GET, HEAD"),
    ];
    for (path, name, allow) in paths {
        for method in ["PUT", "OPTIONS", "TRACE", "POST", "PATCH", "DELETE", "BREW", "PROPFIND", "get"] {
            if allow.split(", ").any(|allowed| allowed == method) {
                continue;
            }
            run.check(
                "D7",
                format!("{method} {name} is 405, the message names the method, and Allow is {allow}"),
                async {
                    let response = run.request(method, path).without_token().expect_refusal(405, &["", method]).await?;
                    response.has_header("allow", allow)
                },
            )
            .await;
        }
        run.check(
            "D7",
            format!("HEAD {name} is answered like GET, with the same Content-Length but without the body"),
            head(run, path),
        )
        .await;
    }
    for (what, path, status) in [
        ("of a lead that does not exist is 404", path_of(&run.absent_id()), 404),
        ("with an invalid query is 400", "/leads?limit=0".to_owned(), 400),
        ("with an unknown client_id is 403", format!("/leads?client_id={}", run.absent_id()), 403),
    ] {
        run.check("D7", format!("HEAD {what}"), run.request("HEAD", path).expect_status(status)).await;
    }
    overrides(run, &lead).await;
    negotiation(run).await;
    cors(run).await;
}

async fn head(run: &Run<'_>, path: &str) -> Result<(), Stop> {
    let get = run.get(path).expect_status(200).await?;
    let head = run.request("HEAD", path).expect_status(200).await?;
    head.has_header("content-length", &get.body.len().to_string())?;
    Ok(())
}

async fn overrides(run: &Run<'_>, lead: &str) {
    run.check("D7", "a method override header is ignored on GET", async {
        let mut get = run.get(lead);
        for name in ["x-http-method-override", "x-method-override", "x-http-method"] {
            get = get.header(name, "DELETE");
        }
        get.expect_status(200).await?;
        run.get(lead).expect_status(200).await
    })
    .await;
    run.check("D7", "a method override header is ignored on DELETE", async {
        let lead = run.create_lead(&json!({})).await;
        run.delete(&lead).header("x-http-method-override", "GET").expect_status(204).await?;
        run.get_lead(&lead).expect_status(404).await
    })
    .await;
    run.check("D7", "a method in the query is an unknown parameter", async {
        run.get("/leads?_method=DELETE").expect_refusal(400, &["_method"]).await
    })
    .await;
}

async fn negotiation(run: &Run<'_>) {
    run.check("D7", "Accept is ignored", run.get("/clients").header("accept", "text/html").expect_status(200)).await;
    let nothing = run.get("/clients").header("accept", "application/json;q=0");
    run.check("D7", "Accept is ignored even if it accepts nothing", nothing.expect_status(200)).await;
    let error = run.get("/contacts").header("accept", "text/html");
    run.check("D7", "Accept is ignored on errors", error.expect_status(404)).await;
    let conditional = run.get("/leads").header("if-none-match", "*");
    run.check("D7", "a conditional GET is answered in full", conditional.expect_status(200)).await;
    for (what, name, value, absent) in [
        ("Accept-Encoding is ignored", "accept-encoding", "gzip, br", "content-encoding"),
        ("a range is answered in full", "range", "bytes=0-1", "content-range"),
    ] {
        run.check("D7", what, async {
            run.get("/leads").header(name, value).expect_status(200).await?.lacks_header(absent)
        })
        .await;
    }
}

async fn cors(run: &Run<'_>) {
    run.check("D7", "a CORS preflight is 405", async {
        let preflight = run.request("OPTIONS", "/leads").header("origin", "https://app.example");
        preflight
            .header("access-control-request-method", "POST")
            .expect_status(405)
            .await?
            .lacks_header("access-control-allow-origin")
    })
    .await;
    run.check("D7", "the response to a request with Origin has no CORS header", async {
        let get = run.get("/leads").header("origin", "https://app.example").expect_status(200).await?;
        get.lacks_header("access-control-allow-origin")?.lacks_header("vary")
    })
    .await;
}
