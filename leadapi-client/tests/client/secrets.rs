//! Tests that the token never appears in any output.

use std::{error::Error, fmt::Debug, iter::successors};

use bytes::Bytes;
use http::{Request, Response};
use leadapi_client::{
    Client, Credential, RetryPolicy,
    auth::BearerToken,
    model::NewLead,
    transport::{Reqwest, Transport, TransportError},
};
use wiremock::{Mock, MockServer, ResponseTemplate, matchers::any};

const TOKEN: &str = "pak_CANARYcanaryCANARYcanaryCANARYcanaryCANARY";

fn collect_debug(all: &mut Vec<String>, thing: &impl Debug) {
    all.extend([format!("{thing:?}"), format!("{thing:#?}")]);
}

fn collect_error(all: &mut Vec<String>, error: &(dyn Error + 'static)) {
    let chain = successors(Some(error), |error| (**error).source());
    all.extend(chain.flat_map(|error| [format!("{error:?}"), format!("{error:#?}"), error.to_string()]));
}

/// A careless transport whose errors contain the request.
struct LeakyTransport;

#[async_trait::async_trait]
impl Transport for LeakyTransport {
    async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, TransportError> {
        Err(TransportError::maybe_sent(format!("{request:?}")))
    }
}

async fn call(client: &Client, all: &mut Vec<String>) {
    collect_debug(all, client);
    let create = client.leads().create(&NewLead::new(&crate::support::casa_verde(), "Ann"));
    collect_debug(all, &create);
    let error = create.retry(RetryPolicy::none()).await.unwrap_err();
    all.push(error.message());
    all.extend(error.request_id().map(str::to_owned));
    collect_error(all, &error);
}

#[tokio::test]
async fn no_output_contains_the_token() {
    let mut all = Vec::new();
    collect_debug(&mut all, &Credential::from(TOKEN));
    collect_debug(&mut all, &Client::builder("http://nowhere/v1", TOKEN));
    collect_debug(&mut all, &Reqwest::new().unwrap());
    for (url, token) in [
        ("http://nowhere/v1", format!("{TOKEN} ")),
        ("http://nowhere/v1", format!("Bearer {TOKEN}")),
        ("http://user:CANARY@nowhere/v1", TOKEN.to_owned()),
        ("http://nowhere/v1?token=CANARY", TOKEN.to_owned()),
    ] {
        match Client::builder(url, token).build() {
            Ok(client) => collect_debug(&mut all, &client),
            Err(error) => collect_error(&mut all, &error),
        }
    }

    // Simulates a proxy that echoes the token in the body and the headers of its response.
    for (status, wrap) in [
        (400, "{\"error\": \"TOKEN\"}"),
        (502, "<pre>authorization: Bearer TOKEN</pre>"),
        (201, "{\"id\": \"TOKEN\", \"created_at\": \"TOKEN\"}"),
        (201, "\"TOKEN\""),
        (418, "TOKENTOKEN"),
    ] {
        let server = MockServer::start().await;
        let template = ResponseTemplate::new(status)
            .set_body_string(wrap.replace("TOKEN", TOKEN))
            .insert_header("x-request-id", TOKEN)
            .insert_header("location", TOKEN);
        Mock::given(any()).respond_with(template).mount(&server).await;
        call(&Client::builder(server.uri(), TOKEN).build().unwrap(), &mut all).await;
    }

    let token = BearerToken::parse(TOKEN).unwrap();
    call(&Client::builder("http://127.0.0.1:1", &token).build().unwrap(), &mut all).await;
    call(&Client::builder("http://nowhere", token).transport(LeakyTransport).build().unwrap(), &mut all).await;

    assert!(all.len() > 50);
    for text in all {
        assert!(!text.contains("CANARY") && !text.contains("canary"), "{text}");
    }
}
