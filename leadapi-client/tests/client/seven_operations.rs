//! Tests that the seven operations give the same results in process and over sockets, against the real service.

use leadapi_client::{
    Client,
    id::{LeadId, StageId},
    model::{Amount, IdempotencyKey, LeadPatch, LeadQuery, NewLead, Window},
};

use crate::support::{casa_verde, in_process};

async fn call_each_operation(client: &Client) {
    let clients = client.client_accounts().list(Window::default()).await.unwrap();
    let names: Vec<&str> = clients.data.iter().map(|account| account.name.as_str()).collect();
    assert_eq!(names, ["Casa Verde", "Villa Azul"]);

    let pipelines = client.pipelines().list(Window::new(1, 0).unwrap()).await.unwrap();
    let won = &pipelines.data[0].stages[1];
    assert_eq!((won.name.as_str(), won.position), ("Won", 2));
    assert!(client.pipelines().list(Window::new(1, 5).unwrap()).await.unwrap().data.is_empty());

    let new = NewLead::new(&casa_verde(), "Øyvind \"Håkonsen\"").email("o@example.no").value(59.5).stage(&won.id);
    let lead = client.leads().create(&new).await.unwrap();
    assert_eq!((lead.name.as_str(), lead.value.map(Amount::get)), ("Øyvind \"Håkonsen\"", Some(59.5)));
    assert_eq!(lead.pipeline_id.as_ref(), Some(&pipelines.data[0].id));
    assert_eq!(client.leads().get(&lead.id).await.unwrap(), lead);

    let patch = LeadPatch::new().notes("line one\nline two").clear_email();
    let changed = client.leads().update(&lead.id, &patch).await.unwrap();
    assert_eq!((changed.notes.as_deref(), changed.email), (Some("line one\nline two"), None));

    let key = IdempotencyKey::parse("a/b?c=\"d\"").unwrap();
    let first = client.leads().create(&new).idempotency_key(key.clone()).with_meta().await.unwrap();
    let replay = client.leads().create(&new).idempotency_key(key.clone()).with_meta().await.unwrap();
    assert_eq!((first.1.is_replayed(), replay.1.is_replayed()), (false, true));
    assert_eq!(first.0, replay.0);
    let other = NewLead::new(&casa_verde(), "Somebody else");
    let reused = client.leads().create(&other).idempotency_key(key.clone()).with_meta().await.unwrap_err();
    assert!(reused.is_invalid() && reused.message().contains("Idempotency-Key"));

    let query = LeadQuery::new().client(casa_verde()).stage(StageId::parse("won").unwrap());
    let page = client.leads().list(&query.clone().window(Window::new(1, 1).unwrap())).await.unwrap();
    assert_eq!((page.total, page.limit, page.offset, page.data.len()), (2, 1, 1, 1));
    assert_eq!(page.data[0].id, lead.id);
    assert_eq!(client.leads().list(&LeadQuery::new()).await.unwrap().total, 3);

    client.leads().delete(&lead.id).await.unwrap();
    assert!(client.leads().delete(&lead.id).await.unwrap_err().is_not_found());
    assert!(client.leads().get(&lead.id).await.unwrap_err().is_not_found());
    assert_eq!(client.leads().list(&query).await.unwrap().total, 1);

    let unusual_id = LeadId::parse("a/b?c#d%2Fe\\").unwrap();
    assert_eq!(client.leads().get(&unusual_id).await.unwrap_err().message(), "id: no such lead");
}

#[test]
fn all_operations_work_in_process_without_a_runtime() {
    futures_executor::block_on(call_each_operation(&in_process()));
}

#[cfg(feature = "reqwest")]
mod over_sockets {
    use bytes::Bytes;
    use http::Request;
    use http_body_util::{BodyExt, Full};
    use leadapi_core::http::LeadService;
    use tower_service::Service;
    use wiremock::{Mock, MockServer, Respond, ResponseTemplate, matchers::any};

    use super::*;
    use crate::support::service;

    /// A responder for a mock server that passes each request to the real service.
    struct Real(LeadService);

    impl Respond for Real {
        fn respond(&self, received: &wiremock::Request) -> ResponseTemplate {
            let mut request = Request::new(Full::new(Bytes::from(received.body.clone())));
            *request.method_mut() = received.method.clone();
            *request.uri_mut() = received.url.as_str().parse().unwrap();
            *request.headers_mut() = received.headers.clone();
            let (head, body) = futures_executor::block_on(self.0.clone().call(request)).unwrap().into_parts();
            let body = futures_executor::block_on(body.collect()).unwrap().to_bytes();
            let mut template = ResponseTemplate::new(head.status).set_body_bytes(body);
            for (name, value) in &head.headers {
                template = template.insert_header(name, value);
            }
            template
        }
    }

    #[tokio::test]
    async fn all_operations_work_over_sockets() {
        let (service, token) = service();
        let server = MockServer::start().await;
        Mock::given(any()).respond_with(Real(service)).mount(&server).await;
        call_each_operation(&Client::builder(format!("{}/v1/", server.uri()), token).build().unwrap()).await;
    }
}
