// The real service in memory, with one business. Shared by the tests and the documentation examples.

use leadapi_client::{
    Client, Error, RetryPolicy,
    model::NewLead,
    transport::{Transport, TransportError},
};
use leadapi_core::{
    BoxError,
    auth::{BearerToken, Caller, Scopes},
    dataset::Dataset,
    http::{LeadService, LeadServiceBuilder},
    id::{BusinessId, ClientId, TokenId},
    memory::MemoryStore,
    port::{TokenVerifier, Verdict},
};

const BUSINESS: &str = r#"{"businesses": [{
    "id": "business-1", "name": "Sol Marketing", "created_at": "2026-01-12T09:00:00.000Z",
    "clients": [
        {"id": "casa-verde", "name": "Casa Verde", "created_at": "2026-01-12T09:30:00.000Z"},
        {"id": "villa-azul", "name": "Villa Azul", "created_at": "2026-01-12T09:40:00.000Z"}
    ],
    "pipelines": [{"id": "sales", "name": "Sales", "created_at": "2026-01-12T10:00:00.000Z", "stages": [
        {"id": "new", "name": "New", "position": 1}, {"id": "won", "name": "Won", "position": 2}
    ]}],
    "leads": [{"id": "lead-1", "client_id": "casa-verde", "name": "Ann", "notes": "Call back in June", "value": 450,
        "stage_id": "new", "created_at": "2026-05-04T07:58:12.004Z"}]
}]}"#;

/// Returns the service under `/v1` and a token with both scopes.
pub(crate) fn service() -> (LeadService, BearerToken) {
    service_for(Scopes::Both)
}

/// Returns the service under `/v1` with a limiter, and a token with both scopes.
pub(crate) fn limited(limiter: leadapi_core::memory::SlidingWindow) -> (LeadService, BearerToken) {
    let (builder, token) = builder(Scopes::Both);
    (builder.limiter(limiter).build().unwrap(), token)
}

/// Returns the service under `/v1` and a token with the given scopes.
pub(crate) fn service_for(scopes: Scopes) -> (LeadService, BearerToken) {
    let (builder, token) = builder(scopes);
    (builder.build().unwrap(), token)
}

/// Returns the service's builder, for tests that replace one of its parts.
pub(crate) fn builder(scopes: Scopes) -> (LeadServiceBuilder, BearerToken) {
    let token = BearerToken::generate().unwrap();
    let (business, id) = (BusinessId::parse("business-1").unwrap(), TokenId::parse("token-1").unwrap());
    let caller = Caller::new(business, id, scopes);
    let store = MemoryStore::new(Dataset::parse(BUSINESS).unwrap());
    (LeadService::builder(store, OneToken(token.clone(), caller)).base_path("/v1"), token)
}

/// A verifier that accepts one token.
struct OneToken(BearerToken, Caller);

#[async_trait::async_trait]
impl TokenVerifier for OneToken {
    async fn verify(&self, token: &BearerToken) -> Result<Verdict, BoxError> {
        Ok(if *token == self.0 { Verdict::Good(self.1.clone()) } else { Verdict::Unknown })
    }
}

pub(crate) fn in_process() -> Client {
    let (service, token) = service();
    Client::builder("http://in-process/v1", token).in_process(service).build().unwrap()
}

/// Runs an example with a client.
pub(crate) fn run(example: impl AsyncFnOnce(Client) -> Result<(), BoxError>) {
    futures_executor::block_on(example(in_process())).unwrap();
}

/// Returns the error of a create that is answered with `status`.
pub(crate) fn answered(status: u16) -> Error {
    struct Always(u16);

    #[async_trait::async_trait]
    impl Transport for Always {
        async fn send(&self, _: http::Request<bytes::Bytes>) -> Result<http::Response<bytes::Bytes>, TransportError> {
            let response = http::Response::builder().status(self.0);
            let response = response.header("x-request-id", "0198-abc").header("retry-after", "7");
            Ok(response.body(r#"{"error": "the service's error message"}"#.into()).unwrap())
        }
    }

    let client = Client::builder("http://always", "pak_0123")
        .retry(RetryPolicy::none())
        .transport(Always(status))
        .build()
        .unwrap();
    wait(client.leads().create(&NewLead::new(&casa_verde(), "Ann"))).unwrap_err()
}

/// Runs a call to completion without a runtime.
pub(crate) fn wait<C: IntoFuture>(call: C) -> C::Output {
    futures_executor::block_on(call.into_future())
}

/// Returns the id of a client account of the business.
pub(crate) fn casa_verde() -> ClientId {
    ClientId::parse("casa-verde").unwrap()
}
