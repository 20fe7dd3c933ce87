//! The methods that add an answer to a stub.

use std::time::Duration;

use http::StatusCode;

use super::{AnswerState, On};
use crate::{
    mock::{
        operation::Stubbed,
        stub::Stub,
        stub_answer::{Forbidden, StubAnswer},
    },
    serve::error_response,
};

#[expect(private_bounds, reason = "there are two states, and callers cannot add another")]
impl<O: Stubbed, P: AnswerState> On<O, P> {
    /// Answers with the operation's success response: its status, its headers and this value. For a DELETE, pass `()`.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_client::model::{Lead, NewLead};
    /// # use leadapi_testkit::MockLeadApi;
    /// let api = MockLeadApi::start().await;
    /// let ann = Lead::new("lead-1".parse()?, "c1".parse()?, "Ann", "2026-05-04T12:00:00Z".parse()?);
    /// api.on_create().returns(ann.clone());
    ///
    /// let (lead, meta) = api.client().leads().create(&NewLead::new(&ann.client_id, "Ann")).with_meta().await?;
    /// assert_eq!(lead, ann);
    /// assert_eq!(meta.headers["location"], "/v1/leads/lead-1");
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[expect(clippy::needless_pass_by_value, reason = "a stub is one line, and its value is often a temporary")]
    pub fn returns(self, answer: O::Answer) -> Stub<O> {
        self.answer(StubAnswer::plain(O::write(&answer)))
    }

    /// Answers 400 with this error message.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_client::model::Window;
    /// # use leadapi_testkit::MockLeadApi;
    /// let api = MockLeadApi::start().await;
    /// api.on_clients().invalid("limit must be an integer from 1 to 200");
    /// assert!(api.client().client_accounts().list(Window::default()).await.unwrap_err().is_invalid());
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn invalid(self, message: &str) -> Stub<O> {
        self.answer(StubAnswer::plain(error_response::error(StatusCode::BAD_REQUEST, message)))
    }

    /// Answers 401, as the service does for an unknown token. The stub matches requests with any token, or without a
    /// token.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_client::model::Window;
    /// # use leadapi_testkit::MockLeadApi;
    /// let api = MockLeadApi::start().await;
    /// api.on_clients().unauthorized();
    /// assert!(api.client().client_accounts().list(Window::default()).await.unwrap_err().is_unauthorized());
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn unauthorized(self) -> Stub<O> {
        self.answer(StubAnswer::plain(error_response::unauthorized()))
    }

    /// Answers 403 with the service's error message for this reason.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_client::model::Window;
    /// # use leadapi_testkit::{MockLeadApi, mock::Forbidden};
    /// let api = MockLeadApi::start().await;
    /// api.on_clients().forbidden(Forbidden::Scope);
    /// assert!(api.client().client_accounts().list(Window::default()).await.unwrap_err().lacks_scope());
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn forbidden(self, reason: Forbidden) -> Stub<O> {
        self.answer(StubAnswer::plain(match reason {
            Forbidden::Scope => error_response::lacks_scope(O::OPERATION.endpoint().scope),
            Forbidden::Client => error_response::foreign_client(),
        }))
    }

    /// Answers 404. The message says that the lead does not exist or, for operations without a lead id, that the path
    /// does not exist.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_client::id::LeadId;
    /// # use leadapi_testkit::MockLeadApi;
    /// # let id = LeadId::parse("lead-1")?;
    /// let api = MockLeadApi::start().await;
    /// api.on_delete(&id).not_found();
    /// assert_eq!(api.client().leads().delete(&id).await.unwrap_err().message(), "id: no such lead");
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn not_found(self) -> Stub<O> {
        let names_a_lead = O::OPERATION.endpoint().path.ends_with("{id}");
        self.answer(StubAnswer::plain(if names_a_lead {
            error_response::no_such_lead()
        } else {
            error_response::no_such_path()
        }))
    }

    /// Answers 429 with this `Retry-After`, rounded up to whole seconds and clamped to the range 1 to 60.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use std::time::Duration;
    /// # use leadapi_client::model::{Page, Window};
    /// # use leadapi_testkit::MockLeadApi;
    /// let api = MockLeadApi::start().await;
    /// let page = Page::new(Vec::new(), 0, Window::default());
    /// api.on_clients().rate_limited(Duration::from_secs(60)).then().returns(page);
    /// // The one-minute wait takes no real time.
    /// api.client().client_accounts().list(Window::default()).await?;
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn rate_limited(self, after: Duration) -> Stub<O> {
        self.answer(StubAnswer::plain(error_response::rate_limited(after)))
    }

    /// Answers 500 with the service's generic error message.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_client::model::Window;
    /// # use leadapi_testkit::MockLeadApi;
    /// let api = MockLeadApi::start().await;
    /// api.on_clients().server_error();
    /// let error = api.client().client_accounts().list(Window::default()).await.unwrap_err();
    /// assert_eq!((error.message().as_str(), error.attempts()), ("internal error", 5));
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn server_error(self) -> Stub<O> {
        self.answer(StubAnswer::plain(error_response::server_error()))
    }

    /// Closes the connection without sending any part of a response.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_client::{Outcome, RetryPolicy, model::Window};
    /// # use leadapi_testkit::MockLeadApi;
    /// let api = MockLeadApi::start().await;
    /// api.on_clients().cut_connection();
    /// let error = api.client().client_accounts().list(Window::default()).retry(RetryPolicy::none()).await.unwrap_err();
    /// assert_eq!(error.outcome(), Outcome::Unknown);
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn cut_connection(self) -> Stub<O> {
        self.answer(StubAnswer::cut())
    }

    /// Answers with the success status and an HTML page, as a proxy between client and service might.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_client::{RetryPolicy, model::Window};
    /// # use leadapi_testkit::MockLeadApi;
    /// let api = MockLeadApi::start().await;
    /// api.on_clients().not_json();
    /// let error = api.client().client_accounts().list(Window::default()).retry(RetryPolicy::none()).await.unwrap_err();
    /// assert!(error.message().starts_with("the body is not JSON: <html>"));
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn not_json(self) -> Stub<O> {
        self.answer(StubAnswer::not_json(O::OPERATION.endpoint().success))
    }

    /// Answers with this status and body, valid or not. The content type (JSON, HTML or text) is detected from the
    /// body.
    ///
    /// # Panics
    ///
    /// Panics if the status is not in the range 200 to 999.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_client::model::Window;
    /// # use leadapi_testkit::MockLeadApi;
    /// let api = MockLeadApi::start().await;
    /// api.on_clients().answers(418, r#"{"error": "a teapot"}"#);
    /// let error = api.client().client_accounts().list(Window::default()).await.unwrap_err();
    /// assert_eq!(error.message(), "a teapot");
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[expect(clippy::expect_used, reason = "an invalid status is a mistake in the test")]
    pub fn answers(self, status: u16, body: &str) -> Stub<O> {
        let status = StatusCode::from_u16(status).ok().filter(|status| !status.is_informational());
        self.answer(StubAnswer::raw(status.expect("a status from 200 to 999"), body))
    }

    fn answer(self, answer: StubAnswer) -> Stub<O> {
        let at = self.state.answer(&self.registry, answer);
        Stub::new(self.registry, at)
    }
}
