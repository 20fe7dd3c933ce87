//! Tests of requests and settings that the client rejects without sending anything.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use bytes::Bytes;
use futures_executor::block_on;
use http::{Request, Response};
use leadapi_client::{
    Client, ConfigError, Outcome, RetryPolicy,
    id::LeadId,
    model::{LeadPatch, NewLead},
    transport::{Transport, TransportError},
};

use crate::support::{casa_verde, wait};

struct CountingTransport(Arc<AtomicU64>);

#[async_trait::async_trait]
impl Transport for CountingTransport {
    async fn send(&self, _: Request<Bytes>) -> Result<Response<Bytes>, TransportError> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Err(TransportError::maybe_sent("counted"))
    }
}

#[test]
fn an_invalid_request_is_not_sent() {
    let sent = Arc::new(AtomicU64::new(0));
    let client = Client::builder("http://nowhere/v1", "pak_0123")
        .retry(RetryPolicy::none())
        .transport(CountingTransport(sent.clone()))
        .build()
        .unwrap();
    let (id, dots) = (LeadId::parse("lead-1").unwrap(), LeadId::parse("..").unwrap());
    let rename = LeadPatch::new().name("Ann");
    let errors = [
        wait(client.leads().create(&NewLead::new(&casa_verde(), " ").email("x"))).unwrap_err(),
        wait(client.leads().update(&id, &LeadPatch::new())).unwrap_err(),
        wait(client.leads().get(&dots)).unwrap_err(),
        wait(client.leads().update(&dots, &rename)).unwrap_err(),
        wait(client.leads().delete(&dots)).unwrap_err(),
    ];
    for error in &errors {
        assert!(error.is_invalid() && !error.is_connect() && !error.is_timeout());
        assert_eq!((error.outcome(), error.status()), (Outcome::NotSent, None));
    }
    let [create, update, get, ..] = &errors;
    assert!(create.message().starts_with("name is required; email must be"), "{create}");
    assert_eq!(update.to_string(), "PATCH /leads/{id}: not sent: body has no field to change");
    assert_eq!(get.message(), "id must not be . or .., which URL parsers remove from a path");
    assert_eq!(sent.load(Ordering::Relaxed), 0);

    assert_eq!(wait(client.leads().delete(&id)).unwrap_err().outcome(), Outcome::Unknown);
    assert_eq!(sent.load(Ordering::Relaxed), 1);
}

#[test]
fn the_client_and_the_service_report_the_same_message() {
    use http_body_util::{BodyExt, Full};
    use tower_service::Service;

    let (mut service, token) = crate::support::service();
    let request = Request::post("/v1/leads").header("authorization", format!("Bearer {}", token.expose()));
    let nobody = NewLead::new(&casa_verde(), "").phone("1");
    let request = request.body(Full::new(Bytes::from(serde_json::to_vec(&nobody).unwrap()))).unwrap();
    let body = block_on(block_on(service.call(request)).unwrap().into_body().collect()).unwrap().to_bytes();
    let ours = wait(crate::support::in_process().leads().create(&nobody)).unwrap_err().message();
    assert_eq!(body, serde_json::json!({ "error": ours }).to_string());
}

#[test]
fn invalid_settings_are_errors() {
    let build =
        |url: &str, token: &str| Client::builder(url, token).transport(CountingTransport(Arc::default())).build();
    assert!(matches!(build("nowhere", "pak_0123"), Err(ConfigError::BaseUrl { .. })));
    assert!(matches!(build("http://nowhere", "sk_0123"), Err(ConfigError::Token(_))));
    assert!(matches!(build("http://nowhere", "pak_01 23"), Err(ConfigError::Token(_))));
    assert!(build("http://nowhere", " pak_0123\r\n").is_ok());
}

#[test]
fn a_client_without_a_transport_needs_the_reqwest_feature() {
    let built = Client::builder("http://nowhere", "pak_0123").build();
    let has_no_transport = matches!(built, Err(ConfigError::NoTransport));
    assert_eq!(has_no_transport, cfg!(not(feature = "reqwest")), "{built:?}");
}

#[test]
fn a_call_is_at_most_256_bytes() {
    let client = crate::support::in_process();
    let (new, id, patch) = (NewLead::default(), LeadId::parse("lead-1").unwrap(), LeadPatch::new());
    for size in [size_of_val(&client.leads().create(&new)), size_of_val(&client.leads().update(&id, &patch))] {
        assert!(size <= 256, "{size}");
    }
}

#[test]
fn clients_calls_and_errors_are_send() {
    fn is_clone_send_sync<T: Clone + Send + Sync + 'static>(_: &T) {}
    fn is_send(_: impl Send) {}
    fn is_error<T: std::error::Error + Send + Sync + 'static>() {}

    let client = crate::support::in_process();
    is_clone_send_sync(&client);
    is_send(client.leads().create(&NewLead::default()));
    is_send(client.leads().create(&NewLead::default()).into_future());
    is_error::<leadapi_client::Error>();
}
