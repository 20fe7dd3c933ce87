//! The first half of a stub: the requests that it matches, and the methods that add an answer.

use std::{fmt, marker::PhantomData, panic::Location, sync::Arc, time::Duration};

use http::StatusCode;
use leadapi_core::{
    id::{ClientId, LeadId, StageId},
    model::{IdempotencyKey, LeadPatch, NewLead, Window},
};

use super::{
    answer::{Answer, Forbidden},
    board::Board,
    condition::Condition,
    operation::{Clients, Create, List, Pipelines, Stubbed, Update},
    stub::{Expectation, Stub},
};
use crate::testkit::serve::refusal;

/// The requests that a stub matches. It takes effect once it has an answer.
///
/// All narrowing conditions must hold.
#[must_use = "it answers nothing until it is told what"]
pub struct On<O, P = First> {
    board: Arc<Board>,
    place: P,
    operation: PhantomData<fn() -> O>,
}

/// The state before the first answer, in which the requests can be narrowed.
#[derive(Debug)]
pub struct First(Expectation);

/// The state before a further answer.
#[derive(Debug)]
pub struct Next {
    stub: usize,
}

impl<O: Stubbed> On<O> {
    #[track_caller]
    pub(super) fn new(board: &Arc<Board>, id: Option<&LeadId>) -> Self {
        let expectation = Expectation::new(O::OPERATION, id, Location::caller());
        Self { board: board.clone(), place: First(expectation), operation: PhantomData }
    }

    fn narrowed(mut self, condition: Condition) -> Self {
        self.place.0.conditions.push(condition);
        self
    }
}

impl<O: Stubbed> On<O, Next> {
    pub(super) const fn next(board: Arc<Board>, stub: usize) -> Self {
        Self { board, place: Next { stub }, operation: PhantomData }
    }
}

impl On<Create> {
    /// Matches requests whose body has this name.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_client::{model::NewLead, testkit::MockLeadApi};
    /// let api = MockLeadApi::start().await;
    /// api.on_create().with_name("Bob").invalid("no Bobs");
    /// let bob = NewLead::new(&"c1".parse()?, "Bob");
    /// assert_eq!(api.client().leads().create(&bob).await.unwrap_err().message(), "no Bobs");
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn with_name(self, name: &str) -> Self {
        self.narrowed(Condition::is("name", name, |asked| serde_json::from_slice::<NewLead>(&asked.body).ok()?.name))
    }

    /// Matches requests for this client account.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_client::{id::ClientId, model::NewLead, testkit::{MockLeadApi, mock::Forbidden}};
    /// let (api, foreign) = (MockLeadApi::start().await, ClientId::parse("foreign")?);
    /// api.on_create().for_client(&foreign).forbidden(Forbidden::Client);
    /// assert!(api.client().leads().create(&NewLead::new(&foreign, "Ann")).await.unwrap_err().is_forbidden());
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn for_client(self, client: &ClientId) -> Self {
        let read = |body: &[u8]| serde_json::from_slice::<NewLead>(body).ok()?.client_id;
        self.narrowed(Condition::is("client_id", client.as_str(), move |asked| read(&asked.body)))
    }

    /// Matches requests whose body satisfies the predicate.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_client::{model::NewLead, testkit::MockLeadApi};
    /// let api = MockLeadApi::start().await;
    /// api.on_create().matching(|new: &NewLead| new.value > Some(1e6)).invalid("too dear");
    /// let dear = NewLead::new(&"c1".parse()?, "Ann").value(2_000_000);
    /// assert_eq!(api.client().leads().create(&dear).await.unwrap_err().message(), "too dear");
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn matching(self, holds: impl Fn(&NewLead) -> bool + Send + Sync + 'static) -> Self {
        self.narrowed(Condition::body("with a body that the test says yes to", holds))
    }

    /// Matches requests with this idempotency key.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_client::{model::{IdempotencyKey, Lead, NewLead}, testkit::MockLeadApi};
    /// let (api, key) = (MockLeadApi::start().await, IdempotencyKey::parse("row-12")?);
    /// let ann = Lead::new("lead-1".parse()?, "c1".parse()?, "Ann", "2026-05-04T12:00:00Z".parse()?);
    /// api.on_create().with_key(&key).returns(ann.clone()).replayed();
    ///
    /// let create = NewLead::new(&ann.client_id, "Ann");
    /// let (_, meta) = api.client().leads().create(&create).idempotency_key(key).with_meta().await?;
    /// assert!(meta.is_replayed());
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn with_key(self, key: &IdempotencyKey) -> Self {
        self.narrowed(Condition::is("Idempotency-Key", key.as_str(), |asked| asked.key.clone()))
    }
}

impl On<Update> {
    /// Matches requests whose body satisfies the predicate.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_client::{id::LeadId, model::{Change, LeadPatch}, testkit::MockLeadApi};
    /// # let id = LeadId::parse("lead-1")?;
    /// let api = MockLeadApi::start().await;
    /// api.on_update(&id).matching(|patch: &LeadPatch| patch.email == Change::Clear).not_found();
    /// let error = api.client().leads().update(&id, &LeadPatch::new().clear_email()).await.unwrap_err();
    /// assert!(error.is_not_found());
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn matching(self, holds: impl Fn(&LeadPatch) -> bool + Send + Sync + 'static) -> Self {
        self.narrowed(Condition::body("with a body that the test says yes to", holds))
    }
}

impl On<List> {
    /// Matches requests that filter by this client account.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_client::{id::ClientId, model::LeadQuery, testkit::{MockLeadApi, mock::Forbidden}};
    /// let (api, foreign) = (MockLeadApi::start().await, ClientId::parse("foreign")?);
    /// api.on_list().for_client(&foreign).forbidden(Forbidden::Client);
    /// assert!(api.client().leads().list(&LeadQuery::new().client(foreign)).await.unwrap_err().is_forbidden());
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn for_client(self, client: &ClientId) -> Self {
        self.narrowed(Condition::is("client_id", client.as_str(), |asked| asked.parameter("client_id")))
    }

    /// Matches requests that filter by this stage.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_client::{id::StageId, model::LeadQuery, testkit::MockLeadApi};
    /// let (api, gone) = (MockLeadApi::start().await, StageId::parse("gone")?);
    /// api.on_list().at_stage(&gone).invalid("stage_id: no such stage");
    /// assert!(api.client().leads().list(&LeadQuery::new().stage(gone)).await.unwrap_err().is_invalid());
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn at_stage(self, stage: &StageId) -> Self {
        self.narrowed(Condition::is("stage_id", stage.as_str(), |asked| asked.parameter("stage_id")))
    }
}

macro_rules! in_window {
    ($($operation:ident, $list:expr;)*) => {$(
        impl On<$operation> {
            /// Matches requests for this window. Parameters missing from a request have the contract's defaults.
            ///
            /// ```
            /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
            /// # use leadapi_client::{Client, model::{LeadQuery, Page, Window}, testkit::MockLeadApi};
            /// let (api, second) = (MockLeadApi::start().await, Window::new(10, 10)?);
            #[doc = concat!("api.", $list, "().in_window(second).returns(Page::new(Vec::new(), 7, second));")]
            /// # let leads = api.on_list().returns(Page::new(Vec::new(), 7, second)).any_times();
            /// # let pipelines = api.on_pipelines().returns(Page::new(Vec::new(), 7, second)).any_times();
            /// # let clients = api.on_clients().returns(Page::new(Vec::new(), 7, second)).any_times();
            /// # let (client, query) = (api.client(), LeadQuery::new().window(second));
            /// # client.leads().list(&query).await?;
            /// # client.pipelines().list(second).await?;
            /// # client.client_accounts().list(second).await?;
            /// # assert_eq!(leads.met() + pipelines.met() + clients.met(), 2);
            /// # Ok::<(), leadapi_core::BoxError>(())
            /// # }).unwrap();
            /// # Ok::<(), std::io::Error>(())
            /// ```
            pub fn in_window(self, window: Window) -> Self {
                self.narrowed(Condition::window(window))
            }
        }
    )*};
}

in_window! {
    List, "on_list";
    Pipelines, "on_pipelines";
    Clients, "on_clients";
}

/// The position of an answer: the first of a new stub, or the next of an existing one.
trait Place {
    /// Adds the answer to the board and returns the index of its stub.
    fn answer(self, board: &Board, answer: Answer) -> usize;
}

impl Place for First {
    fn answer(self, board: &Board, answer: Answer) -> usize {
        board.add(self.0, answer)
    }
}

impl Place for Next {
    fn answer(self, board: &Board, answer: Answer) -> usize {
        board.change(self.stub, |stub| stub.add(answer));
        self.stub
    }
}

#[expect(private_bounds, reason = "there are two places, and nobody adds a third")]
impl<O: Stubbed, P: Place> On<O, P> {
    /// Answers with the operation's success, with the status and headers of the contract. A DELETE takes `()`.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_client::{model::{Lead, NewLead}, testkit::MockLeadApi};
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
    #[expect(clippy::needless_pass_by_value, reason = "a stub is said in one line, with what is made in it")]
    pub fn returns(self, answer: O::Answer) -> Stub<O> {
        self.answer(Answer::plain(O::write(&answer)))
    }

    /// Answers 400 with this message.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_client::{model::Window, testkit::MockLeadApi};
    /// let api = MockLeadApi::start().await;
    /// api.on_clients().invalid("limit must be an integer from 1 to 200");
    /// assert!(api.client().client_accounts().list(Window::default()).await.unwrap_err().is_invalid());
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn invalid(self, message: &str) -> Stub<O> {
        self.answer(Answer::plain(refusal::refuse(StatusCode::BAD_REQUEST, message)))
    }

    /// Answers 401 as for an unknown token. Matches requests with any token, or none.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_client::{model::Window, testkit::MockLeadApi};
    /// let api = MockLeadApi::start().await;
    /// api.on_clients().unauthorized();
    /// assert!(api.client().client_accounts().list(Window::default()).await.unwrap_err().is_unauthorized());
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn unauthorized(self) -> Stub<O> {
        self.answer(Answer::plain(refusal::unauthorized()))
    }

    /// Answers 403 for this reason.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_client::{model::Window, testkit::{MockLeadApi, mock::Forbidden}};
    /// let api = MockLeadApi::start().await;
    /// api.on_clients().forbidden(Forbidden::Scope);
    /// assert!(api.client().client_accounts().list(Window::default()).await.unwrap_err().lacks_scope());
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn forbidden(self, reason: Forbidden) -> Stub<O> {
        self.answer(Answer::plain(match reason {
            Forbidden::Scope => refusal::lacks_scope(O::OPERATION.endpoint().scope),
            Forbidden::Client => refusal::foreign_client(),
        }))
    }

    /// Answers 404: no such lead or, if the operation names no lead, no such path.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_client::{id::LeadId, testkit::MockLeadApi};
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
        self.answer(Answer::plain(if names_a_lead { refusal::no_such_lead() } else { refusal::no_such_path() }))
    }

    /// Answers 429 with this `Retry-After`, in whole seconds, rounded up, 1 to 60.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use std::time::Duration;
    /// # use leadapi_client::{model::{Page, Window}, testkit::MockLeadApi};
    /// let api = MockLeadApi::start().await;
    /// let page = Page::new(Vec::new(), 0, Window::default());
    /// api.on_clients().rate_limited(Duration::from_secs(60)).then().returns(page);
    /// // A wait of a minute, which takes no time.
    /// api.client().client_accounts().list(Window::default()).await?;
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn rate_limited(self, after: Duration) -> Stub<O> {
        self.answer(Answer::plain(refusal::rate_limited(after)))
    }

    /// Answers 500, without its cause.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_client::{model::Window, testkit::MockLeadApi};
    /// let api = MockLeadApi::start().await;
    /// api.on_clients().server_error();
    /// let error = api.client().client_accounts().list(Window::default()).await.unwrap_err();
    /// assert_eq!((error.message().as_str(), error.attempts()), ("internal error", 5));
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn server_error(self) -> Stub<O> {
        self.answer(Answer::plain(refusal::server_error()))
    }

    /// Closes the connection before any part of the answer.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_client::{Outcome, RetryPolicy, model::Window, testkit::MockLeadApi};
    /// let api = MockLeadApi::start().await;
    /// api.on_clients().cut_connection();
    /// let error = api.client().client_accounts().list(Window::default()).retry(RetryPolicy::none()).await.unwrap_err();
    /// assert_eq!(error.outcome(), Outcome::Unknown);
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn cut_connection(self) -> Stub<O> {
        self.answer(Answer::cut())
    }

    /// Answers the success status with an HTML page, as a proxy between client and service might.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_client::{RetryPolicy, model::Window, testkit::MockLeadApi};
    /// let api = MockLeadApi::start().await;
    /// api.on_clients().not_json();
    /// let error = api.client().client_accounts().list(Window::default()).retry(RetryPolicy::none()).await.unwrap_err();
    /// assert!(error.message().starts_with("the body is not JSON: <html>"));
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn not_json(self) -> Stub<O> {
        self.answer(Answer::not_json(O::OPERATION.endpoint().success))
    }

    /// Answers with this status and body, valid or not. The Content-Type (JSON, HTML or text) is detected from the
    /// body.
    ///
    /// # Panics
    ///
    /// If the status is not from 200 to 999.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_client::{model::Window, testkit::MockLeadApi};
    /// let api = MockLeadApi::start().await;
    /// api.on_clients().answers(418, r#"{"error": "a teapot"}"#);
    /// let error = api.client().client_accounts().list(Window::default()).await.unwrap_err();
    /// assert_eq!(error.message(), "a teapot");
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[expect(clippy::expect_used, reason = "a slip of the test is told where it stands")]
    pub fn answers(self, status: u16, body: &str) -> Stub<O> {
        let status = StatusCode::from_u16(status).ok().filter(|status| !status.is_informational());
        self.answer(Answer::raw(status.expect("a status from 200 to 999"), body))
    }

    fn answer(self, answer: Answer) -> Stub<O> {
        let at = self.place.answer(&self.board, answer);
        Stub::new(self.board, at)
    }
}

impl<O: Stubbed, P: fmt::Debug> fmt::Debug for On<O, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("On").field("operation", &O::OPERATION).field("place", &self.place).finish_non_exhaustive()
    }
}
