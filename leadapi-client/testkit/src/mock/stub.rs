//! A stub with at least one answer, and the methods that configure its answers.

use std::{fmt, marker::PhantomData, sync::Arc, time::Duration};

use http::{HeaderName, HeaderValue};
use leadapi_core::http::header::IDEMPOTENCY_REPLAYED;

use super::{
    count::Count,
    expectation::AnswerStep,
    operation::{Create, Stubbed},
    registry::StubRegistry,
};
use crate::serve::Cut;

/// A stub with at least one answer. Most methods configure the most recently added answer.
///
/// Dropping this handle does not remove the stub from the mock.
pub struct Stub<O> {
    pub(super) registry: Arc<StubRegistry>,
    pub(super) at: usize,
    operation: PhantomData<fn() -> O>,
}

#[expect(clippy::return_self_not_must_use, reason = "the stub stays with the mock when this handle is dropped")]
impl<O: Stubbed> Stub<O> {
    pub(super) const fn new(registry: Arc<StubRegistry>, at: usize) -> Self {
        Self { registry, at, operation: PhantomData }
    }

    /// Gives the last answer at most `count` times. Verification fails if it was given fewer than `count` times.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_client::model::{Page, Window};
    /// # use leadapi_testkit::MockLeadApi;
    /// let api = MockLeadApi::start().await;
    /// let page = Page::new(Vec::new(), 0, Window::default());
    /// api.on_clients().server_error().times(2).then().returns(page).times(1);
    /// let (_, meta) = api.client().client_accounts().list(Window::default()).with_meta().await?;
    /// assert_eq!(meta.attempts.get(), 3);
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn times(self, count: u64) -> Self {
        self.last(|step| step.count = Count::Exactly(count))
    }

    /// Gives the last answer any number of times, including zero.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_testkit::MockLeadApi;
    /// let api = MockLeadApi::start().await;
    /// api.on_clients().server_error().any_times();
    /// api.verify().await;
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn any_times(self) -> Self {
        self.last(|step| step.count = Count::Any)
    }

    /// Delays the last answer by `delay`, in real time.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use std::time::Duration;
    /// # use leadapi_client::{RetryPolicy, model::Window};
    /// # use leadapi_testkit::MockLeadApi;
    /// let api = MockLeadApi::start().await;
    /// api.on_clients().server_error().delayed(Duration::from_secs(600));
    /// let (client, patience) = (api.client(), Duration::from_millis(50));
    /// let call = client.client_accounts().list(Window::default()).attempt_timeout(patience);
    /// assert!(call.retry(RetryPolicy::none()).await.unwrap_err().is_timeout());
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn delayed(self, delay: Duration) -> Self {
        self.last(|step| step.answer.reply.delay = delay)
    }

    /// Closes the connection after half of the last answer's body, or after half of its headers if it has no body.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_client::model::{Page, Window};
    /// # use leadapi_testkit::MockLeadApi;
    /// let api = MockLeadApi::start().await;
    /// let page = || Page::new(Vec::new(), 0, Window::default());
    /// api.on_clients().returns(page()).cut_after_half().then().returns(page());
    /// let (_, meta) = api.client().client_accounts().list(Window::default()).with_meta().await?;
    /// assert_eq!(meta.attempts.get(), 2);
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn cut_after_half(self) -> Self {
        self.last(|step| {
            step.answer.reply.cut = Some(Cut::Half);
            step.answer.label.push_str(" cut after half");
        })
    }

    /// Sets a header of the last answer, replacing any existing header with the same name.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use http::{HeaderValue, header::HeaderName};
    /// # use leadapi_client::model::Window;
    /// # use leadapi_testkit::MockLeadApi;
    /// let (api, id) = (MockLeadApi::start().await, HeaderName::from_static("x-request-id"));
    /// api.on_clients().not_found().header(id, HeaderValue::from_static("0198-abc"));
    /// let error = api.client().client_accounts().list(Window::default()).await.unwrap_err();
    /// assert_eq!(error.request_id(), Some("0198-abc"));
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn header(self, name: HeaderName, value: HeaderValue) -> Self {
        self.last(|step| drop(step.answer.reply.response.headers_mut().insert(name, value)))
    }

    /// Returns how many requests the stub has answered, across all its answers.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_client::model::Window;
    /// # use leadapi_testkit::MockLeadApi;
    /// let api = MockLeadApi::start().await;
    /// let broken = api.on_clients().server_error();
    /// api.client().client_accounts().list(Window::default()).await.unwrap_err();
    /// assert_eq!(broken.met(), 5);
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn met(&self) -> u64 {
        let mut met = 0;
        self.registry.change(self.at, |stub| met = stub.steps.iter().map(|step| step.met).sum());
        met
    }

    /// Changes the most recently added answer.
    pub(super) fn last(self, change: impl FnOnce(&mut AnswerStep)) -> Self {
        self.registry.change(self.at, |stub| stub.steps.last_mut().map_or((), change));
        self
    }
}

#[expect(clippy::return_self_not_must_use, reason = "the stub stays with the mock when this handle is dropped")]
impl Stub<Create> {
    /// Adds the header that marks the last answer as a replay of an earlier create with the same idempotency key.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_client::model::{Lead, NewLead};
    /// # use leadapi_testkit::MockLeadApi;
    /// let api = MockLeadApi::start().await;
    /// let ann = Lead::new("lead-1".parse()?, "c1".parse()?, "Ann", "2026-05-04T12:00:00Z".parse()?);
    /// api.on_create().returns(ann.clone()).replayed();
    /// let (_, meta) = api.client().leads().create(&NewLead::new(&ann.client_id, "Ann")).with_meta().await?;
    /// assert!(meta.is_replayed());
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn replayed(self) -> Self {
        self.header(IDEMPOTENCY_REPLAYED, HeaderValue::from_static("true"))
    }
}

impl<O: Stubbed> fmt::Debug for Stub<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stub").field("operation", &O::OPERATION).finish_non_exhaustive()
    }
}
