//! Methods that restrict the requests that a stub matches.

use leadapi_core::{
    id::{ClientId, StageId},
    model::{IdempotencyKey, LeadPatch, NewLead, Window},
};

use super::On;
use crate::mock::{
    condition::Condition,
    operation::{Clients, Create, List, Pipelines, Stubbed, Update},
};

impl<O: Stubbed> On<O> {
    fn narrowed(mut self, condition: Condition) -> Self {
        self.state.0.conditions.push(condition);
        self
    }
}

impl On<Create> {
    /// Matches requests with this `name` in the body.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_client::model::NewLead;
    /// # use leadapi_testkit::MockLeadApi;
    /// let api = MockLeadApi::start().await;
    /// api.on_create().with_name("Bob").invalid("no Bobs");
    /// let bob = NewLead::new(&"c1".parse()?, "Bob");
    /// assert_eq!(api.client().leads().create(&bob).await.unwrap_err().message(), "no Bobs");
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn with_name(self, name: &str) -> Self {
        self.narrowed(Condition::is("name", name, |request| {
            serde_json::from_slice::<NewLead>(&request.body).ok()?.name
        }))
    }

    /// Matches requests for this client account.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_client::{id::ClientId, model::NewLead};
    /// # use leadapi_testkit::{MockLeadApi, mock::Forbidden};
    /// let (api, foreign) = (MockLeadApi::start().await, ClientId::parse("foreign")?);
    /// api.on_create().for_client(&foreign).forbidden(Forbidden::Client);
    /// assert!(api.client().leads().create(&NewLead::new(&foreign, "Ann")).await.unwrap_err().is_forbidden());
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn for_client(self, client: &ClientId) -> Self {
        let read = |body: &[u8]| serde_json::from_slice::<NewLead>(body).ok()?.client_id;
        self.narrowed(Condition::is("client_id", client.as_str(), move |request| read(&request.body)))
    }

    /// Matches requests whose body satisfies the predicate.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_client::model::NewLead;
    /// # use leadapi_testkit::MockLeadApi;
    /// let api = MockLeadApi::start().await;
    /// api.on_create().matching(|new: &NewLead| new.value > Some(1e6)).invalid("too expensive");
    /// let expensive = NewLead::new(&"c1".parse()?, "Ann").value(2_000_000);
    /// assert_eq!(api.client().leads().create(&expensive).await.unwrap_err().message(), "too expensive");
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn matching(self, holds: impl Fn(&NewLead) -> bool + Send + Sync + 'static) -> Self {
        self.narrowed(Condition::body("with a body that satisfies the predicate", holds))
    }

    /// Matches requests with this idempotency key.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_client::model::{IdempotencyKey, Lead, NewLead};
    /// # use leadapi_testkit::MockLeadApi;
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
        self.narrowed(Condition::is("Idempotency-Key", key.as_str(), |request| request.key.clone()))
    }
}

impl On<Update> {
    /// Matches requests whose body satisfies the predicate.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_client::{id::LeadId, model::{Change, LeadPatch}};
    /// # use leadapi_testkit::MockLeadApi;
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
        self.narrowed(Condition::body("with a body that satisfies the predicate", holds))
    }
}

impl On<List> {
    /// Matches requests that filter by this client account.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_client::{id::ClientId, model::LeadQuery};
    /// # use leadapi_testkit::{MockLeadApi, mock::Forbidden};
    /// let (api, foreign) = (MockLeadApi::start().await, ClientId::parse("foreign")?);
    /// api.on_list().for_client(&foreign).forbidden(Forbidden::Client);
    /// assert!(api.client().leads().list(&LeadQuery::new().client(foreign)).await.unwrap_err().is_forbidden());
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn for_client(self, client: &ClientId) -> Self {
        self.narrowed(Condition::is("client_id", client.as_str(), |request| request.parameter("client_id")))
    }

    /// Matches requests that filter by this stage.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_client::{id::StageId, model::LeadQuery};
    /// # use leadapi_testkit::MockLeadApi;
    /// let (api, gone) = (MockLeadApi::start().await, StageId::parse("gone")?);
    /// api.on_list().at_stage(&gone).invalid("stage_id: no such stage");
    /// assert!(api.client().leads().list(&LeadQuery::new().stage(gone)).await.unwrap_err().is_invalid());
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn at_stage(self, stage: &StageId) -> Self {
        self.narrowed(Condition::is("stage_id", stage.as_str(), |request| request.parameter("stage_id")))
    }
}

macro_rules! in_window {
    ($($operation:ident, $list:expr;)*) => {$(
        impl On<$operation> {
            /// Matches requests for this window. If a request omits a parameter, the contract's default applies.
            ///
            /// ```
            /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
            /// # use leadapi_client::{Client, model::{LeadQuery, Page, Window}};
            /// # use leadapi_testkit::MockLeadApi;
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
