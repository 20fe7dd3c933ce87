//! The pages as a service, which checks the host, the path, the person and the form of each request.

use std::{
    convert::Infallible,
    fmt,
    net::IpAddr,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use http::{
    HeaderValue, Method, Request, StatusCode,
    header::{SET_COOKIE, STRICT_TRANSPORT_SECURITY},
};
use http_body::Body;
use leadapi_access::{Peer, SiteUrl};
use leadapi_core::{
    BoxError,
    auth::LoginToken,
    id::BusinessId,
    port::{Clock, SettingsStore},
};
use tokio::time::timeout;
use tower_service::Service;

use super::{
    Settings, SettingsBuilder, actions, error_page, pages,
    person::{Claims, Person},
    problem::Problem,
    route::{BusinessRoute, NoRoute, Route, path},
};
use crate::web::{self, Fields, Page, html, respond, see_other};

/// The time limit for a request.
const TIMEOUT: Duration = Duration::from_secs(15);

/// Makes browsers use HTTPS for this host for a year, so that nobody can make a browser send the session cookie or a
/// sign-in link over plain HTTP.
const HTTPS_ONLY: HeaderValue = HeaderValue::from_static("max-age=31536000");

/// The API settings as a [`tower_service::Service`], for a listener or an origin of its own. The paths of the pages
/// start at the root.
///
/// The pages find the address of a person in the [`Peer`] of the request, an extension that the host sets. A person
/// signs in with a [link](crate::sign_in_link). Alternatively, a [`TrustedProxy`](crate::TrustedProxy) or the host
/// ([`VerifiedPerson`](crate::VerifiedPerson)) verifies the person.
///
/// ```
/// use http::Request;
/// use leadapi_core::{dataset::Dataset, memory::{MemorySettings, SystemClock}};
/// use leadapi_pages::SettingsPages;
/// use tower::ServiceExt;
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// let store = MemorySettings::new(&Dataset::default());
/// let pages = SettingsPages::builder(store, SystemClock, "https://settings.example.com".parse()?).build();
/// let request = Request::get("/").header("host", "settings.example.com").body(String::new())?;
/// assert_eq!(pages.oneshot(request).await?.status(), 403);
/// # Ok::<(), leadapi_core::BoxError>(())
/// # }).unwrap();
/// ```
#[derive(Clone)]
pub struct SettingsPages(Arc<Settings>);

impl SettingsPages {
    /// Returns a builder for the pages of the businesses in a store, at this URL.
    pub fn builder(
        store: impl SettingsStore + Clone + 'static,
        clock: impl Clock + Clone + 'static,
        url: SiteUrl,
    ) -> SettingsBuilder {
        SettingsBuilder::new(store, clock, url)
    }

    pub(super) fn new(settings: Settings) -> Self {
        Self(Arc::new(settings))
    }
}

impl<B> Service<Request<B>> for SettingsPages
where
    B: Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<BoxError>,
{
    type Response = Page;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Page, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let Self(settings) = self.clone();
        Box::pin(async move {
            let peer = Peer::address_of(request.extensions());
            let page = timeout(TIMEOUT, settings.respond(request)).await;
            Ok(page.unwrap_or_else(|_| settings.stranger(&Problem::Failed("the request timed out".to_owned()), peer)))
        })
    }
}

impl fmt::Debug for SettingsPages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SettingsPages").field("url", &self.0.url).finish_non_exhaustive()
    }
}

impl Settings {
    async fn respond<B>(&self, request: Request<B>) -> Page
    where
        B: Body + Send,
        B::Data: Send,
        B::Error: Into<BoxError>,
    {
        let peer = Peer::address_of(request.extensions());
        let mut page = self.page(request).await.unwrap_or_else(|problem| self.stranger(&problem, peer));
        if self.url.is_https() {
            page.headers_mut().insert(STRICT_TRANSPORT_SECURITY, HTTPS_ONLY);
        }
        page
    }

    /// Returns the error page for a request whose person is not known. Skips the log line of a failure if the peer has
    /// caused too many.
    fn stranger(&self, problem: &Problem, peer: Option<IpAddr>) -> Page {
        if !matches!(problem, Problem::Failed(_)) || self.log_budget.admits(peer) {
            problem.log();
        }
        error_page::page(problem, &self.sign_in_with)
    }

    async fn page<B>(&self, request: Request<B>) -> Result<Page, Problem>
    where
        B: Body + Send,
        B::Data: Send,
        B::Error: Into<BoxError>,
    {
        if !self.url.is_host_of(&request) {
            return Err(Problem::BadRequest("The request names a different host than this site."));
        }
        let route = Route::find(request.method(), request.uri().path()).map_err(|none| match none {
            NoRoute::NotFound => Problem::NotFound,
            NoRoute::Allow(methods) => Problem::MethodNotAllowed(methods),
        })?;
        if *request.method() == Method::POST && !self.url.is_same_origin(&request) {
            return Err(Problem::Forged);
        }
        let claims = Claims::read(&request, self.cookie, self.proxy.as_ref())?;
        match route {
            Route::Style => Ok(respond(StatusCode::OK, web::CSS, web::STYLE)),
            Route::Icon => Ok(respond(StatusCode::OK, web::SVG, web::ICON)),
            Route::Home => self.home(&claims).await,
            Route::SignInLink(secret) => {
                let secret = LoginToken::parse(&secret).map_err(|_| Problem::InvalidLink)?;
                Ok(html(StatusCode::OK, pages::sign_in::button(&secret)))
            }
            Route::SignIn => self.sign_in(request, &claims).await,
            Route::OfBusiness(business, route) => self.of_business(request, &claims, &business, route).await,
        }
    }

    async fn home(&self, claims: &Claims) -> Result<Page, Problem> {
        if let Some(email) = claims.verified() {
            let memberships = self.sessions.memberships(email).await?;
            return Ok(html(StatusCode::OK, pages::sign_in::businesses(email, &memberships)));
        }
        let person = claims.find(&self.sessions, &self.attempts).await?.ok_or(Problem::SignedOut)?;
        Ok(see_other(&path(person.business(), &["tokens"])))
    }

    async fn sign_in<B>(&self, request: Request<B>, claims: &Claims) -> Result<Page, Problem>
    where
        B: Body + Send,
        B::Data: Send,
        B::Error: Into<BoxError>,
    {
        let fields = Fields::read(request).await?;
        let sign_in = async {
            let link = LoginToken::parse(fields.get("secret")).map_err(|_| Problem::InvalidLink)?;
            Ok(self.sessions.sign_in(&link, claims.address).await?)
        };
        let (secret, signed_in) = self.attempts.sign_in(claims.address, sign_in).await?;
        let person = Person::new(signed_in, secret, true, claims.address);
        Ok(self.with_cookie(see_other(&path(person.business(), &["tokens"])), &person))
    }

    async fn of_business<B>(
        &self,
        request: Request<B>,
        claims: &Claims,
        business: &BusinessId,
        route: BusinessRoute,
    ) -> Result<Page, Problem>
    where
        B: Body + Send,
        B::Data: Send,
        B::Error: Into<BoxError>,
    {
        if claims.is_anonymous() {
            return Err(Problem::SignedOut);
        }
        let (path, query) = (request.uri().path().to_owned(), Fields::of_query(request.uri()));
        // The form is read before the person is found, because a slow form could outlast the person's rights.
        let form = if *request.method() == Method::POST { Some(Fields::read(request).await?) } else { None };
        let person = claims.find_in(&self.sessions, &self.attempts, business).await?;
        let page = match form {
            Some(form) if !form.has_token(&person.secret, &path) => Err(Problem::Forged),
            form => self.for_person(&person, route, &query, &form.unwrap_or_default()).await,
        };
        let page = page.unwrap_or_else(|problem| {
            problem.log();
            error_page::page(&problem, &self.sign_in_with)
        });
        Ok(if person.is_new { self.with_cookie(page, &person) } else { page })
    }

    async fn for_person(
        &self,
        person: &Person,
        route: BusinessRoute,
        query: &Fields,
        form: &Fields,
    ) -> Result<Page, Problem> {
        match route {
            BusinessRoute::Tokens => actions::list(self, person, query).await,
            BusinessRoute::NewToken => Ok(actions::new(person)),
            BusinessRoute::CreateToken => actions::create(self, person, form).await,
            BusinessRoute::Confirm(change, id) => actions::confirm(self, person, change, &id).await,
            BusinessRoute::Change(change, id) => actions::change(self, person, change, &id, form).await,
            BusinessRoute::Audit => actions::audit(self, person, query).await,
            BusinessRoute::AuditJson => actions::audit_json(self, person, query).await,
            BusinessRoute::Sessions => actions::sessions(self, person).await,
            BusinessRoute::EndSession(id) => actions::end_session(self, person, &id).await,
            BusinessRoute::SignOut => {
                let mut page = actions::sign_out(self, person).await?;
                page.headers_mut().extend(self.cookie.clear().map(|cookie| (SET_COOKIE, cookie)));
                Ok(page)
            }
        }
    }

    fn with_cookie(&self, mut page: Page, person: &Person) -> Page {
        page.headers_mut().extend(self.cookie.set(&person.secret).map(|cookie| (SET_COOKIE, cookie)));
        page
    }
}
