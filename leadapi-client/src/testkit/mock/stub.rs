//! A stub: its expectation, its sequence of answers, and how often it gave each.

use std::{fmt, marker::PhantomData, panic::Location, sync::Arc, time::Duration};

use http::{HeaderName, HeaderValue};
use leadapi_core::{
    auth::BearerToken,
    http::{Operation, header::IDEMPOTENCY_REPLAYED},
    id::LeadId,
};

use super::{
    answer::Answer,
    asked::Asked,
    board::Board,
    condition::Condition,
    count::{self, Count},
    on::{Next, On},
    operation::{Create, Stubbed},
};
use crate::testkit::serve::{Cut, Reply};

/// A stub with at least one answer. Its methods configure the last answer.
///
/// It can be dropped: the mock keeps the stub.
pub struct Stub<O> {
    board: Arc<Board>,
    at: usize,
    operation: PhantomData<fn() -> O>,
}

#[expect(clippy::return_self_not_must_use, reason = "the stub stays with the mock when this is dropped")]
impl<O: Stubbed> Stub<O> {
    pub(super) const fn new(board: Arc<Board>, at: usize) -> Self {
        Self { board, at, operation: PhantomData }
    }

    /// Gives the last answer exactly `count` times. Later requests do not match it.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_client::{model::{Page, Window}, testkit::MockLeadApi};
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
        self.last(|act| act.count = Count::Exactly(count))
    }

    /// Gives the last answer any number of times, including zero.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_client::testkit::MockLeadApi;
    /// let api = MockLeadApi::start().await;
    /// api.on_clients().server_error().any_times();
    /// api.verify().await;
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn any_times(self) -> Self {
        self.last(|act| act.count = Count::Any)
    }

    /// Delays the last answer.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use std::time::Duration;
    /// # use leadapi_client::{RetryPolicy, model::Window, testkit::MockLeadApi};
    /// let api = MockLeadApi::start().await;
    /// api.on_clients().server_error().delayed(Duration::from_secs(600));
    /// let (client, patience) = (api.client(), Duration::from_millis(50));
    /// let call = client.client_accounts().list(Window::default()).attempt_timeout(patience);
    /// assert!(call.retry(RetryPolicy::none()).await.unwrap_err().is_timeout());
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn delayed(self, delay: Duration) -> Self {
        self.last(|act| act.answer.reply.delay = delay)
    }

    /// Closes the connection after half of the last answer's body, or after half of its head if it has no body.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_client::{model::{Page, Window}, testkit::MockLeadApi};
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
        self.last(|act| {
            act.answer.reply.cut = Some(Cut::Half);
            act.answer.says.push_str(" cut after half");
        })
    }

    /// Sets a header of the last answer and replaces one of the same name.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use http::{HeaderValue, header::HeaderName};
    /// # use leadapi_client::{model::Window, testkit::MockLeadApi};
    /// let (api, id) = (MockLeadApi::start().await, HeaderName::from_static("x-request-id"));
    /// api.on_clients().not_found().header(id, HeaderValue::from_static("0198-abc"));
    /// let error = api.client().client_accounts().list(Window::default()).await.unwrap_err();
    /// assert_eq!(error.request_id(), Some("0198-abc"));
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn header(self, name: HeaderName, value: HeaderValue) -> Self {
        self.last(|act| drop(act.answer.reply.response.headers_mut().insert(name, value)))
    }

    /// Adds an answer after the last one. The last one is given once, unless a count was set.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_client::{model::{Page, Window}, testkit::MockLeadApi};
    /// let api = MockLeadApi::start().await;
    /// api.on_clients().cut_connection().then().returns(Page::new(Vec::new(), 0, Window::default()));
    /// let (_, meta) = api.client().client_accounts().list(Window::default()).with_meta().await?;
    /// assert_eq!(meta.attempts.get(), 2);
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn then(self) -> On<O, Next> {
        let this = self.last(|act| {
            if act.count == Count::AtLeastOnce {
                act.count = Count::Exactly(1);
            }
        });
        On::next(this.board, this.at)
    }

    /// Returns how many requests the stub has answered, with all its answers.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_client::{model::Window, testkit::MockLeadApi};
    /// let api = MockLeadApi::start().await;
    /// let broken = api.on_clients().server_error();
    /// api.client().client_accounts().list(Window::default()).await.unwrap_err();
    /// assert_eq!(broken.met(), 5);
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn met(&self) -> u64 {
        let mut met = 0;
        self.board.change(self.at, |stub| met = stub.acts.iter().map(|act| act.met).sum());
        met
    }

    fn last(self, change: impl FnOnce(&mut Act)) -> Self {
        self.board.change(self.at, |stub| stub.acts.last_mut().map_or((), change));
        self
    }
}

#[expect(clippy::return_self_not_must_use, reason = "the stub stays with the mock when this is dropped")]
impl Stub<Create> {
    /// Marks the last answer as a replay of an earlier create with the same idempotency key.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_client::{model::{Lead, NewLead}, testkit::MockLeadApi};
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

/// The requests that a stub matches, and its location in the test.
#[derive(Debug)]
pub(super) struct Expectation {
    operation: Operation,
    id: Option<String>,
    pub(super) conditions: Vec<Condition>,
    location: &'static Location<'static>,
}

impl Expectation {
    pub(super) fn new(operation: Operation, id: Option<&LeadId>, location: &'static Location<'static>) -> Self {
        Self { operation, id: id.map(ToString::to_string), conditions: Vec::new(), location }
    }

    /// Returns why a request is for another operation or another lead.
    fn why_elsewhere(&self, asked: &Asked) -> Option<String> {
        let Some((line, id)) = &asked.endpoint else { return Some("it is none of the seven operations".to_owned()) };
        if line.operation != self.operation {
            return Some(format!("it is a {} {}", line.method, line.path));
        }
        self.id.as_ref().filter(|wanted| *wanted != id).map(|_| format!("its id is {id:?}"))
    }
}

/// Formats such as `POST /leads with the name "Ann"`.
impl fmt::Display for Expectation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = self.operation.endpoint();
        let path = self.id.as_ref().map_or(line.path.to_owned(), |id| line.path.replace("{id}", id));
        write!(f, "{} {path}", line.method)?;
        for (at, condition) in self.conditions.iter().enumerate() {
            write!(f, "{}{}", if at == 0 { " " } else { " and " }, condition.says)?;
        }
        Ok(())
    }
}

/// A stub as stored in the mock.
#[derive(Debug)]
pub(super) struct Held {
    expectation: Expectation,
    acts: Vec<Act>,
}

/// One answer of a stub.
#[derive(Debug)]
struct Act {
    answer: Answer,
    count: Count,
    met: u64,
}

impl Held {
    pub(super) fn new(expectation: Expectation, answer: Answer) -> Self {
        let mut held = Self { expectation, acts: Vec::new() };
        held.add(answer);
        held
    }

    pub(super) fn add(&mut self, answer: Answer) {
        self.acts.push(Act { answer, count: Count::AtLeastOnce, met: 0 });
    }

    /// Returns the answer to the request, or why the stub does not match.
    pub(super) fn answer(&mut self, asked: &Asked, token: &BearerToken) -> Result<Reply, Miss> {
        if let Some(why) = self.expectation.why_elsewhere(asked) {
            return Err(Miss { nearness: usize::from(why.starts_with("its id")), why });
        }
        let whys: Vec<String> = self.expectation.conditions.iter().filter_map(|it| it.why_not(asked)).collect();
        if !whys.is_empty() {
            let held = self.expectation.conditions.len() - whys.len();
            return Err(Miss { nearness: 2 + held, why: whys.join(" and ") });
        }
        let miss = |why: String| Miss { nearness: usize::MAX, why };
        let Some(act) = self.acts.iter_mut().find(|act| act.count.has_room(act.met)) else {
            return Err(miss("it has no answer left".to_owned()));
        };
        if asked.token.as_ref() != Some(token) && !act.answer.is_for_any_token() {
            return Err(miss("the request does not have the mock's token".to_owned()));
        }
        act.met += 1;
        Ok(act.answer.reply.clone())
    }

    pub(super) fn is_met(&self) -> bool {
        self.acts.iter().all(|act| act.count.is_met(act.met))
    }

    /// Lists each answer with its expected and actual count.
    pub(super) fn report(&self) -> String {
        let acts: Vec<String> = self.acts.iter().map(|act| format!("{act}: {}", count::met(act.met))).collect();
        format!("{}: {} ({})", self.expectation, acts.join("; then "), self.expectation.location)
    }
}

impl fmt::Display for Act {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}", self.answer.says, self.count)
    }
}

/// Formats the stub's name: the expectation and the answers.
impl fmt::Display for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let acts: Vec<String> = self.acts.iter().map(ToString::to_string).collect();
        write!(f, "{}: {}", self.expectation, acts.join("; then "))
    }
}

/// Why a stub does not match a request, and how close it came.
#[derive(Debug)]
pub(super) struct Miss {
    pub(super) nearness: usize,
    pub(super) why: String,
}
