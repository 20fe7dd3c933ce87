//! Tests each error status that has a predicate. Every operation receives the status, over a custom transport and over
//! sockets.

use std::time::Duration;

use leadapi_client::{
    Client, Error, Operation, Outcome, RetryPolicy,
    id::LeadId,
    model::{LeadPatch, LeadQuery, NewLead, Window},
};

use crate::{
    scripted::{Act, Script},
    support::{casa_verde, wait},
};

type Predicate = fn(&Error) -> bool;

const PREDICATES: [(u16, Predicate); 6] = [
    (400, Error::is_invalid),
    (401, Error::is_unauthorized),
    (403, Error::is_forbidden),
    (404, Error::is_configuration),
    (429, Error::is_rate_limited),
    (500, Error::is_server_error),
];

const OPERATIONS: [Operation; 7] = [
    Operation::ListLeads,
    Operation::CreateLead,
    Operation::GetLead,
    Operation::UpdateLead,
    Operation::DeleteLead,
    Operation::ListPipelines,
    Operation::ListClients,
];

/// Returns the error of an operation that is attempted only once.
async fn fail(client: &Client, operation: Operation) -> Error {
    let (id, once) = (LeadId::parse("l1").unwrap(), RetryPolicy::none());
    match operation {
        Operation::ListLeads => client.leads().list(&LeadQuery::new()).retry(once).await.map(drop),
        Operation::CreateLead => client.leads().create(&NewLead::new(&casa_verde(), "Ann")).retry(once).await.map(drop),
        Operation::GetLead => client.leads().get(&id).retry(once).await.map(drop),
        Operation::UpdateLead => client.leads().update(&id, &LeadPatch::new().name("Ann")).retry(once).await.map(drop),
        Operation::DeleteLead => client.leads().delete(&id).retry(once).await,
        Operation::ListPipelines => client.pipelines().list(Window::default()).retry(once).await.map(drop),
        Operation::ListClients => client.client_accounts().list(Window::default()).retry(once).await.map(drop),
    }
    .unwrap_err()
}

fn response(status: u16) -> Act {
    Act::status(status).with("x-request-id", &"0198-abc").with("retry-after", &17)
}

/// Checks the accessors of an error caused by this status.
fn assert_error(error: &Error, operation: Operation, status: u16) {
    let what = format!("{operation:?} {status}");
    for (other, predicate) in PREDICATES {
        assert_eq!(predicate(error), other == status, "{what}: the predicate for {other}");
    }
    assert!(!error.is_connect() && !error.is_timeout(), "{what}");
    assert_eq!((error.operation(), error.attempts()), (operation, 1), "{what}");
    assert_eq!(error.status().map(|status| status.as_u16()), Some(status), "{what}");
    assert_eq!((error.message().as_str(), error.request_id()), ("scripted", Some("0198-abc")), "{what}");
    assert_eq!(error.retry_after(), Some(Duration::from_secs(17)), "{what}");
    assert_eq!(error.is_retryable(), [429, 500].contains(&status), "{what}");
    assert_eq!(error.outcome(), if status == 500 { Outcome::Unknown } else { Outcome::Refused }, "{what}");
    assert_eq!(error.idempotency_key().is_some(), operation == Operation::CreateLead, "{what}");
}

#[test]
fn each_status_maps_to_its_error_over_a_custom_transport() {
    for operation in OPERATIONS {
        for (status, _) in PREDICATES {
            let (client, _) = Script::client([response(status)]);
            assert_error(&wait(fail(&client, operation)), operation, status);
        }
    }
}

#[cfg(feature = "reqwest")]
#[tokio::test]
async fn each_status_maps_to_its_error_over_sockets() {
    use wiremock::{Mock, MockServer, ResponseTemplate, matchers::any};

    for (status, _) in PREDICATES {
        let server = MockServer::start().await;
        let Act::Response(_, headers, body) = response(status) else { return };
        let mut template = ResponseTemplate::new(status).set_body_string(body);
        for (name, value) in headers {
            template = template.insert_header(name, value);
        }
        Mock::given(any()).respond_with(template).mount(&server).await;
        for operation in OPERATIONS {
            // Each call uses a new client, because after a 429, a client would wait before its next call.
            let client = Client::builder(server.uri(), "pak_0123").build().unwrap();
            assert_error(&fail(&client, operation).await, operation, status);
        }
    }
}
