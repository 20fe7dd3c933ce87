//! The service, which processes each request in the steps of contract D1.

mod authenticate;
pub(crate) mod body;
pub(crate) mod builder;
mod catch_panic;
mod decode;
mod encode;
mod error;
mod json;
mod log;
mod query;
mod route;

use std::{
    convert::Infallible,
    fmt,
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use http::{HeaderValue, Method, Request, Response, header, request::Parts};
use http_body::Body;
use tower_service::Service;

use self::{
    authenticate::refused,
    catch_panic::CatchPanic,
    decode::{Call, decode},
    encode::{Reply, encode},
    error::{ApiError, Kind},
    route::{Mount, route},
};
pub use self::{
    builder::{InvalidPath, LeadServiceBuilder},
    log::RequestLog,
};
use super::{Operation, ResponseBody};
use crate::{
    BoxError,
    auth::{Caller, Scope},
    model::Timestamp,
    port::{
        Clock, Created, IdSource, Idempotency, Listed, RateLimiter, Store, TokenVerifier, Updated, VERIFIED_FOR,
        Verdict,
    },
    validate::{InvalidReference, NewLeadMeta},
};

/// The REST API as a [`tower_service::Service`], for any body type and any async runtime.
///
/// It works with axum's `nest_service` and `route_service`, with tower-http layers and with hyper-util's
/// `TowerToHyperService`. Tests can call it directly. It never returns an error, because every failure is a response.
///
/// ```
/// use http::Request;
/// use http_body_util::Empty;
/// use leadapi_core::{dataset::Dataset, http::LeadService, memory::*, tokens::StoredTokens};
/// use tower_service::Service;
///
/// # futures_executor::block_on(async {
/// let store = MemoryStore::new(Dataset::default());
/// let verifier = StoredTokens::new(MemoryTokens::default(), SystemClock);
/// let mut service = LeadService::builder(store, verifier).base_path("/v1").build()?;
///
/// let response = service.call(Request::get("/v1/leads").body(Empty::<bytes::Bytes>::new())?).await?;
/// assert_eq!(response.status(), 401);
/// # Ok::<(), leadapi_core::BoxError>(())
/// # }).unwrap();
/// ```
#[derive(Clone)]
pub struct LeadService {
    inner: Arc<Inner>,
}

struct Inner {
    store: Box<dyn Store>,
    verifier: Box<dyn TokenVerifier>,
    limiter: Box<dyn RateLimiter>,
    clock: Box<dyn Clock>,
    ids: Box<dyn IdSource>,
    mount: Mount,
}

impl LeadService {
    /// Returns a builder for a service with a lead store and a token verifier.
    pub fn builder(store: impl Store + 'static, verifier: impl TokenVerifier + 'static) -> LeadServiceBuilder {
        LeadServiceBuilder::new(store, verifier)
    }

    /// Handles a request and returns the response with its [`RequestLog`] (contract D2). Unlike
    /// [`call`](Service::call), it returns the log directly instead of in the response's extensions.
    ///
    /// ```
    /// # use http::Request;
    /// # use http_body_util::Empty;
    /// # use leadapi_core::{http::{LeadService, Operation}, memory::*, tokens::StoredTokens};
    /// # futures_executor::block_on(async {
    /// # let verifier = StoredTokens::new(MemoryTokens::default(), SystemClock);
    /// # let service = LeadService::builder(MemoryStore::default(), verifier).build()?;
    /// let (response, log) = service.answer(Request::get("/leads").body(Empty::<bytes::Bytes>::new())?).await;
    /// assert_eq!((response.status().as_u16(), log.operation), (401, Some(Operation::ListLeads)));
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// ```
    pub fn answer<B>(&self, request: Request<B>) -> Answered
    where
        B: Body + Send + 'static,
        B::Data: Send,
        B::Error: Into<BoxError>,
    {
        self.answer_verified(request, None)
    }

    /// Handles a request like [`answer`](Self::answer). If `verdict` is given, it is the result of
    /// [`verify`](Self::verify) for the request's [unknown token](Self::unknown_token). The service then does not
    /// verify the token.
    ///
    /// ```
    /// # use http::Request;
    /// # use http_body_util::Empty;
    /// # use leadapi_core::{http::LeadService, memory::*, port::Verdict, tokens::StoredTokens};
    /// # futures_executor::block_on(async {
    /// # let verifier = StoredTokens::new(MemoryTokens::default(), SystemClock);
    /// # let service = LeadService::builder(MemoryStore::default(), verifier).build()?;
    /// let request = Request::get("/leads").header("authorization", "Bearer pak_x").body(Empty::<bytes::Bytes>::new())?;
    /// let (response, _) = service.answer_verified(request, Some(Ok(Verdict::Expired))).await;
    /// assert_eq!(response.status(), 401);
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// ```
    pub fn answer_verified<B>(&self, request: Request<B>, mut verdict: Option<Result<Verdict, BoxError>>) -> Answered
    where
        B: Body + Send + 'static,
        B::Data: Send,
        B::Error: Into<BoxError>,
    {
        let inner = self.inner.clone();
        // A future has separate space for captured values and for local variables, so moving a captured value into a
        // variable reserves twice the size of the value. Each request allocates this future.
        let (head, body) = request.into_parts();
        Box::pin(async move {
            let mut log = RequestLog::default();
            let handled = CatchPanic(pin!(inner.handle(&head, pin!(body), &mut verdict, &mut log))).await;
            let mut response = handled.unwrap_or_else(|error| {
                let (response, cause) = refused(error);
                log.cause = cause;
                response
            });
            if head.method == Method::HEAD {
                without_body(&mut response);
            }
            (response, log)
        })
    }
}

type Answered = Pin<Box<dyn Future<Output = (Response<ResponseBody>, RequestLog)> + Send>>;

impl<B> Service<Request<B>> for LeadService
where
    B: Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<BoxError>,
{
    type Response = Response<ResponseBody>;
    type Error = Infallible;
    type Future = ResponseFuture;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> ResponseFuture {
        ResponseFuture(self.answer(request))
    }
}

/// The response future of [`LeadService`].
pub struct ResponseFuture(Answered);

impl Future for ResponseFuture {
    type Output = Result<Response<ResponseBody>, Infallible>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let (mut response, log) = ready!(self.0.as_mut().poll(cx));
        response.extensions_mut().insert(log);
        Poll::Ready(Ok(response))
    }
}

impl Inner {
    /// Runs the steps of contract D1 in order. The first step that fails determines the response.
    async fn handle<B>(
        &self,
        head: &Parts,
        body: Pin<&mut B>,
        verdict: &mut Option<Result<Verdict, BoxError>>,
        log: &mut RequestLog,
    ) -> Result<Response<ResponseBody>, ApiError>
    where
        B: Body,
        B::Error: Into<BoxError>,
    {
        let route = route(&self.mount, &head.method, head.uri.path())?;
        let operation = route.operation;
        log.operation = Some(operation);
        let scope = operation.endpoint().scope;
        let verified_at = (scope == Scope::Write).then(|| self.clock.now());
        let caller = &*log.caller.insert(self.authenticate(&head.headers, verdict).await?);
        self.admit(caller, scope).await?;
        if !caller.scopes.allow(scope) {
            return Err(Kind::MissingScope(scope).into());
        }
        let body = match operation {
            Operation::CreateLead | Operation::UpdateLead => body::read(body).await,
            // The other operations ignore any body (contract D5), so it is not read.
            _ => Ok(Bytes::new()),
        };
        // This check does not count towards the rate limit, because the limiter has already counted the request.
        if verified_at.is_some_and(|at| is_outdated(at, self.clock.now())) {
            self.authenticate(&head.headers, &mut None).await?;
        }
        let call = decode(route, head.uri.query(), &head.headers, body)?;
        let reply = self.run(caller, call).await?;
        Ok(encode(operation, reply, &self.mount.public)?)
    }

    async fn run(&self, caller: &Caller, call: Call) -> Result<Reply, ApiError> {
        let (store, business, author) = (&self.store, &caller.business, &caller.author);
        match call {
            Call::ListLeads(_, Some(reference @ InvalidReference::Client)) => Err(reference.into()),
            // An unknown client account takes precedence over an invalid stage, so the store must be queried even if
            // the stage is invalid.
            Call::ListLeads(query, invalid) => match (store.list(business, &query).await?, invalid) {
                (Listed::Refused(reference), _) | (Listed::Page(_), Some(reference)) => Err(reference.into()),
                (Listed::Page(page), None) => Ok(Reply::Leads(page)),
            },
            Call::CreateLead(draft, key) => {
                let at = self.clock.now();
                let meta = NewLeadMeta::new(self.ids.lead_id(at), at);
                let idempotency = key.map(|key| Idempotency { key, fingerprint: draft.fingerprint() });
                match store.create(business, author, meta, draft, idempotency.as_ref()).await? {
                    Created::New(lead) => Ok(Reply::Created { lead, replayed: false }),
                    Created::Replayed(lead) => Ok(Reply::Created { lead, replayed: true }),
                    Created::KeyReused => Err(Kind::KeyReused.into()),
                    Created::Refused(reference) => Err(reference.into()),
                }
            }
            Call::GetLead(None) | Call::UpdateLead(None, _) | Call::DeleteLead(None) => Err(Kind::NoSuchLead.into()),
            Call::GetLead(Some(id)) => match store.get(business, &id).await? {
                Some(lead) => Ok(Reply::Lead(lead)),
                None => Err(Kind::NoSuchLead.into()),
            },
            Call::UpdateLead(Some(id), edit) => match store.update(business, author, &id, &edit).await? {
                Updated::Changed(lead) => Ok(Reply::Lead(lead)),
                Updated::Missing => Err(Kind::NoSuchLead.into()),
                Updated::Refused(reference) => Err(reference.into()),
            },
            Call::DeleteLead(Some(id)) => {
                if store.delete(business, author, &id).await? {
                    Ok(Reply::Deleted)
                } else {
                    Err(Kind::NoSuchLead.into())
                }
            }
            Call::ListPipelines(window) => Ok(Reply::Pipelines(store.pipelines(business, window).await?)),
            Call::ListClients(window) => Ok(Reply::Clients(store.clients(business, window).await?)),
        }
    }
}

/// Returns whether a token must be verified again. The clock may step backwards, so a time before the verification
/// proves nothing.
fn is_outdated(verified_at: Timestamp, now: Timestamp) -> bool {
    now < verified_at || now.saturating_duration_since(verified_at) >= VERIFIED_FOR
}

/// Removes the body from the response to a HEAD request, and sets the Content-Length to the length of the GET
/// response's body (contract D2).
fn without_body(response: &mut Response<ResponseBody>) {
    let length = response.body().size_hint().lower();
    response.headers_mut().insert(header::CONTENT_LENGTH, HeaderValue::from(length));
    *response.body_mut() = ResponseBody::default();
}

impl fmt::Debug for LeadService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LeadService").field("mount", &self.inner.mount).finish_non_exhaustive()
    }
}

impl fmt::Debug for ResponseFuture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResponseFuture").finish_non_exhaustive()
    }
}
