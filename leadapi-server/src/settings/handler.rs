//! Handles a request for a page: checks the host, the path, the person and the form.

use std::{net::IpAddr, sync::Arc, time::Duration};

use bytes::Bytes;
use http::{
    HeaderValue, Method, Request, Response, StatusCode,
    header::{SET_COOKIE, STRICT_TRANSPORT_SECURITY},
};
use http_body_util::Full;
use leadapi_core::{auth::LoginToken, id::BusinessId};
use tokio::time::{Instant, timeout};

use super::{
    Settings, actions, error_page, pages,
    person::{Claims, Peer, Person},
    problem::Problem,
    route::{BusinessRoute, NoRoute, Route, path},
};
use crate::{
    listen::{Handler, NotRunnable, RequestBody},
    web::{self, Fields, Page, html, respond, see_other},
};

const AMBIGUOUS: Problem = Problem::BadRequest("A proxy might interpret the request differently than this server.");
/// The time limit for a request.
const TIMEOUT: Duration = Duration::from_secs(15);

/// Makes browsers use HTTPS for this host for a year, so that no request with the session cookie or a sign-in link can
/// be made to use plain HTTP.
const HTTPS_ONLY: HeaderValue = HeaderValue::from_static("max-age=31536000");

/// Handles the requests of one connection.
#[derive(Clone)]
pub(super) struct SettingsHandler {
    pub(super) settings: Arc<Settings>,
    pub(super) peer: Peer,
}

impl Handler for SettingsHandler {
    type ResponseBody = Full<Bytes>;

    fn for_peer(&self, peer: IpAddr) -> Self {
        Self { settings: self.settings.clone(), peer: Peer::Address(peer) }
    }

    async fn handle(
        self,
        request: Request<RequestBody>,
        _received: Instant,
        runnable: Result<(), NotRunnable>,
    ) -> Response<Full<Bytes>> {
        match runnable {
            Ok(()) => {}
            Err(NotRunnable::Ambiguous(_)) => return error_page::page(&AMBIGUOUS),
            Err(error @ NotRunnable::UnreadResponses(_)) => {
                return self.settings.stranger(&Problem::Failed(error.to_string()), self.peer);
            }
        }
        let page = timeout(TIMEOUT, self.settings.respond(request, self.peer)).await;
        page.unwrap_or_else(|_| self.settings.stranger(&Problem::Failed("the request timed out".to_owned()), self.peer))
    }
}

impl Settings {
    async fn respond(&self, request: Request<RequestBody>, peer: Peer) -> Page {
        let mut page = self.page(request, peer).await.unwrap_or_else(|problem| self.stranger(&problem, peer));
        if self.url.is_https() {
            page.headers_mut().insert(STRICT_TRANSPORT_SECURITY, HTTPS_ONLY);
        }
        page
    }

    /// Returns the error page for a request whose person is not known. Skips the log line of a failure if the peer has
    /// caused too many.
    fn stranger(&self, problem: &Problem, peer: Peer) -> Page {
        if !matches!(problem, Problem::Failed(_)) || self.log_budget.admits(peer.address()) {
            problem.log();
        } else {
            self.metrics.record_suppressed_line();
        }
        error_page::page(problem)
    }

    async fn page(&self, request: Request<RequestBody>, peer: Peer) -> Result<Page, Problem> {
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
        let claims = Claims::read(request.headers(), peer, self.cookie, self.proxy.as_ref())?;
        match route {
            Route::Style => Ok(respond(StatusCode::OK, web::CSS, web::STYLE.into())),
            Route::Icon => Ok(respond(StatusCode::OK, web::SVG, web::ICON.into())),
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

    async fn sign_in(&self, request: Request<RequestBody>, claims: &Claims) -> Result<Page, Problem> {
        let fields = Fields::read(request).await?;
        let sign_in = async {
            let link = LoginToken::parse(fields.get("secret")).map_err(|_| Problem::InvalidLink)?;
            Ok(self.sessions.sign_in(&link, claims.address).await?)
        };
        let (secret, signed_in) = self.attempts.sign_in(claims.address, sign_in).await?;
        let person = Person::new(signed_in, secret, true, claims.address);
        Ok(self.with_cookie(see_other(&path(person.business(), &["tokens"])), &person))
    }

    async fn of_business(
        &self,
        request: Request<RequestBody>,
        claims: &Claims,
        business: &BusinessId,
        route: BusinessRoute,
    ) -> Result<Page, Problem> {
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
            error_page::page(&problem)
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
