//! The checks of the token and its rate limit as separate steps, for a server that limits lookups of unknown tokens or
//! has endpoints besides the operations.

use std::{error::Error, pin::pin, sync::Arc};

use http::{HeaderMap, Request, Response};

use super::{
    Inner, LeadService, RequestLog, ResponseBody,
    catch_panic::CatchPanic,
    encode::refuse,
    error::{ApiError, Kind, Unauthorized},
    route::route,
};
use crate::{
    BoxError,
    auth::{BearerToken, Caller, Scope},
    port::{Admission, InvalidToken, Verdict},
};

/// The response to a request that a check has rejected, and the log of the request.
type Refused = Box<(Response<ResponseBody>, RequestLog)>;

impl LeadService {
    /// Returns the request's token if [`answer`](Self::answer) would look it up and the verifier
    /// [does not know it](crate::port::TokenVerifier::needs_lookup). A server can then limit the lookup: it calls
    /// [`verify`](Self::verify) itself and passes the verdict to [`answer_verified`](Self::answer_verified).
    ///
    /// ```
    /// # use http::Request;
    /// # use leadapi_core::{auth::BearerToken, http::LeadService, memory::*, tokens::StoredTokens};
    /// let verifier = StoredTokens::new(MemoryTokens::default(), SystemClock).cached();
    /// let service = LeadService::builder(MemoryStore::default(), verifier).build()?;
    /// let authorization = format!("Bearer {}", BearerToken::generate()?.expose());
    /// let request = |path| Request::get(path).header("authorization", &authorization).body(());
    /// assert!(service.unknown_token(&request("/leads")?).is_some());
    /// assert!(service.unknown_token(&request("/nowhere")?).is_none());
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// ```
    pub fn unknown_token<B>(&self, request: &Request<B>) -> Option<BearerToken> {
        let token = BearerToken::from_headers(request.headers()).ok()?;
        let is_looked_up = self.inner.verifier.needs_lookup(&token)
            && route(&self.inner.mount, request.method(), request.uri().path()).is_ok();
        is_looked_up.then_some(token)
    }

    /// Verifies a token, as [`answer`](Self::answer) does.
    ///
    /// ```
    /// # use leadapi_core::{auth::BearerToken, http::LeadService, memory::*, port::Verdict, tokens::StoredTokens};
    /// # futures_executor::block_on(async {
    /// # let verifier = StoredTokens::new(MemoryTokens::default(), SystemClock);
    /// # let service = LeadService::builder(MemoryStore::default(), verifier).build()?;
    /// assert_eq!(service.verify(&BearerToken::generate()?).await?, Verdict::Unknown);
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the verifier's error.
    pub async fn verify(&self, token: &BearerToken) -> Result<Verdict, BoxError> {
        let verifying = async { self.inner.verifier.verify(token).await.map_err(ApiError::from) };
        let verdict = CatchPanic(pin!(verifying)).await;
        verdict.map_err(|error| error.into_cause().unwrap_or_else(|| "the token could not be verified".into()))
    }

    /// Returns the caller whose token these headers contain (contract D1, step 3). If `verdict` is given, it is the
    /// result of [`verify`](Self::verify) for this token.
    ///
    /// ```
    /// # use http::HeaderMap;
    /// # use leadapi_core::{http::LeadService, memory::*, tokens::StoredTokens};
    /// # futures_executor::block_on(async {
    /// # let verifier = StoredTokens::new(MemoryTokens::default(), SystemClock);
    /// # let service = LeadService::builder(MemoryStore::default(), verifier).build()?;
    /// let refused = service.authenticate(&HeaderMap::new(), None).await.unwrap_err();
    /// assert_eq!(refused.0.status(), 401);
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the response to a request without a valid token, or a 500 if the verifier failed.
    pub async fn authenticate(
        &self,
        headers: &HeaderMap,
        mut verdict: Option<Result<Verdict, BoxError>>,
    ) -> Result<Caller, Refused> {
        CatchPanic(pin!(self.inner.authenticate(headers, &mut verdict))).await.map_err(boxed)
    }

    /// Counts a request towards the rate limit of the caller's token (contract D1, step 4).
    ///
    /// ```
    /// # use leadapi_core::{auth::*, http::LeadService, id::*, memory::*, tokens::StoredTokens};
    /// # futures_executor::block_on(async {
    /// # let verifier = StoredTokens::new(MemoryTokens::default(), SystemClock);
    /// # let service = LeadService::builder(MemoryStore::default(), verifier).build()?;
    /// let caller = Caller::new(BusinessId::parse("b1")?, TokenId::parse("t1")?, Scopes::Read);
    /// assert!(service.admit(&caller, Scope::Read).await.is_ok());
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the response to a request above the limit, or a 500 if the rate limiter failed.
    pub async fn admit(&self, caller: &Caller, scope: Scope) -> Result<(), Refused> {
        let mut admitted = CatchPanic(pin!(self.inner.admit(caller, scope))).await.map_err(boxed);
        if let Err(refused) = &mut admitted {
            refused.1.caller = Some(caller.clone());
        }
        admitted
    }
}

impl Inner {
    /// Verifies the token. If `verdict` contains a result, takes that result instead.
    pub(super) async fn authenticate(
        &self,
        headers: &HeaderMap,
        verdict: &mut Option<Result<Verdict, BoxError>>,
    ) -> Result<Caller, ApiError> {
        let token = BearerToken::from_headers(headers).map_err(Unauthorized::Header)?;
        let verdict = match verdict.take() {
            Some(verdict) => verdict?,
            None => self.verifier.verify(&token).await?,
        };
        match verdict {
            Verdict::Good(caller) => Ok(caller),
            Verdict::Unknown => Err(InvalidToken::Unknown.into()),
            Verdict::Expired => Err(InvalidToken::Expired.into()),
            Verdict::Revoked => Err(InvalidToken::Revoked.into()),
        }
    }

    pub(super) async fn admit(&self, caller: &Caller, scope: Scope) -> Result<(), ApiError> {
        match self.limiter.admit(&caller.token, scope.into()).await? {
            Admission::Refused { retry_after } => Err(Kind::RateLimited { retry_after }.into()),
            Admission::Admitted => Ok(()),
        }
    }
}

/// Returns the response to a request that failed, and the cause of an internal error.
pub(super) fn refused(error: ApiError) -> (Response<ResponseBody>, Option<Arc<dyn Error + Send + Sync>>) {
    (refuse(&error), error.into_cause().map(Arc::from))
}

fn boxed(error: ApiError) -> Refused {
    let (response, cause) = refused(error);
    Box::new((response, RequestLog { cause, ..RequestLog::default() }))
}
