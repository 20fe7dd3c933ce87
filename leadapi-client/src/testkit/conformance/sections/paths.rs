//! Paths and methods (contract 1, 4 and D7).

use crate::testkit::conformance::{report::Stop, run::Run, sender::path_of};

pub(super) async fn check(run: &Run<'_>) {
    for path in ["/contacts", "/deals", "/automations", "/forms", "/stages", "/tokens", "/pipelines/1", "/clients/1"] {
        let ask = run.get(path);
        run.check("1", format!("any other path is 404: {path}"), async {
            ask.expect_status(404).await?.error_starts_with("path")
        })
        .await;
    }
    for path in ["/health", "/metrics", "/admin"] {
        run.check(
            "D7",
            format!("a path for operators is not part of the API: {path}"),
            run.get(path).expect_status(404),
        )
        .await;
    }
    run.check("D7", "another case is another path: /Leads", run.get("/Leads").expect_status(404)).await;
    for (path, right) in
        [("/leads/", "/leads"), ("/leads//", "/leads"), ("/pipelines/", "/pipelines"), ("/clients/", "/clients")]
    {
        run.check(
            "D7",
            format!("a trailing slash is 404 without a redirect, and its message names {right}: {path}"),
            async {
                run.get(path)
                    .expect_status(404)
                    .await?
                    .lacks_header("location")?
                    .error_contains(&format!("{}{right}", run.base_path()))
            },
        )
        .await;
    }
    methods(run).await;
}

async fn methods(run: &Run<'_>) {
    let lead = path_of(&run.absent_id());
    for (path, name, allow) in [
        ("/leads", "/leads", "GET, HEAD, POST"),
        (lead.as_str(), "/leads/{id}", "GET, HEAD, PATCH, DELETE"),
        ("/pipelines", "/pipelines", "GET, HEAD"),
        ("/clients", "/clients", "GET, HEAD"),
    ] {
        for method in ["PUT", "OPTIONS", "BREW"] {
            run.check("D7", format!("{method} {name} is 405, names the method, and Allow is {allow}"), async {
                run.request(method, path)
                    .without_token()
                    .expect_status(405)
                    .await?
                    .has_header("allow", allow)?
                    .error_contains(method)
            })
            .await;
        }
    }
    for (method, path) in [("POST", "/pipelines"), ("DELETE", "/clients"), ("PATCH", "/leads"), ("POST", lead.as_str())]
    {
        let name = if path == lead { "/leads/{id}" } else { path };
        run.check(
            "D2",
            format!("a method that is not listed on its path is 405: {method} {name}"),
            run.request(method, path).expect_status(405),
        )
        .await;
    }
    for path in ["/leads", "/pipelines", "/clients"] {
        run.check("D7", format!("HEAD {path} is its GET without the body, with its Content-Length"), head(run, path))
            .await;
    }
    run.check("D7", "HEAD of a lead that does not exist is 404", run.request("HEAD", lead.as_str()).expect_status(404))
        .await;
    run.check("D7", "a method override header is ignored", async {
        run.get("/clients").header("x-http-method-override", "DELETE").expect_status(200).await
    })
    .await;
    run.check("D7", "Accept is ignored", run.get("/clients").header("accept", "text/html").expect_status(200)).await;
    run.check("D7", "a preflight of CORS is 405", async {
        let preflight = run.request("OPTIONS", "/leads").header("origin", "https://app.example");
        preflight
            .header("access-control-request-method", "POST")
            .expect_status(405)
            .await?
            .lacks_header("access-control-allow-origin")
    })
    .await;
}

async fn head(run: &Run<'_>, path: &str) -> Result<(), Stop> {
    let get = run.get(path).expect_status(200).await?;
    let head = run.request("HEAD", path).expect_status(200).await?;
    head.has_header("content-length", &get.body.len().to_string())?;
    Ok(())
}
