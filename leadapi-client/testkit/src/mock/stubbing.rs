//! The methods that start a stub, one per operation.

use leadapi_core::id::LeadId;

use super::{
    MockLeadApi,
    on::On,
    operation::{Clients, Create, Delete, Get, List, Pipelines, Update},
};

impl MockLeadApi {
    /// Starts a stub for creating a lead (`POST /leads`).
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_client::model::NewLead;
    /// # use leadapi_testkit::MockLeadApi;
    /// let api = MockLeadApi::start().await;
    /// api.on_create().invalid("email must have one @");
    /// let error = api.client().leads().create(&NewLead::new(&"c1".parse()?, "Ann")).await.unwrap_err();
    /// assert_eq!(error.message(), "email must have one @");
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[track_caller]
    pub fn on_create(&self) -> On<Create> {
        On::new(&self.registry, None)
    }

    /// Starts a stub for getting this lead (`GET /leads/{id}`).
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_client::id::LeadId;
    /// # use leadapi_testkit::MockLeadApi;
    /// # let id = LeadId::parse("lead-1")?;
    /// let api = MockLeadApi::start().await;
    /// api.on_get(&id).not_found();
    /// assert!(api.client().leads().get(&id).await.unwrap_err().is_not_found());
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[track_caller]
    pub fn on_get(&self, id: &LeadId) -> On<Get> {
        On::new(&self.registry, Some(id))
    }

    /// Starts a stub for updating this lead (`PATCH /leads/{id}`).
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_client::{id::LeadId, model::LeadPatch};
    /// # use leadapi_testkit::MockLeadApi;
    /// # let id = LeadId::parse("lead-1")?;
    /// let api = MockLeadApi::start().await;
    /// api.on_update(&id).not_found();
    /// assert!(api.client().leads().update(&id, &LeadPatch::new().name("Ann")).await.unwrap_err().is_not_found());
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[track_caller]
    pub fn on_update(&self, id: &LeadId) -> On<Update> {
        On::new(&self.registry, Some(id))
    }

    /// Starts a stub for deleting this lead (`DELETE /leads/{id}`).
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_client::id::LeadId;
    /// # use leadapi_testkit::MockLeadApi;
    /// # let id = LeadId::parse("lead-1")?;
    /// let api = MockLeadApi::start().await;
    /// api.on_delete(&id).returns(());
    /// api.client().leads().delete(&id).await?;
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[track_caller]
    pub fn on_delete(&self, id: &LeadId) -> On<Delete> {
        On::new(&self.registry, Some(id))
    }

    /// Starts a stub for listing leads (`GET /leads`).
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_client::model::{LeadQuery, Page, Window};
    /// # use leadapi_testkit::MockLeadApi;
    /// let api = MockLeadApi::start().await;
    /// api.on_list().returns(Page::new(Vec::new(), 7, Window::default()));
    /// assert_eq!(api.client().leads().list(&LeadQuery::new()).await?.total, 7);
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[track_caller]
    pub fn on_list(&self) -> On<List> {
        On::new(&self.registry, None)
    }

    /// Starts a stub for listing pipelines (`GET /pipelines`).
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_client::model::{Page, Window};
    /// # use leadapi_testkit::MockLeadApi;
    /// let api = MockLeadApi::start().await;
    /// api.on_pipelines().returns(Page::new(Vec::new(), 0, Window::default()));
    /// assert!(api.client().pipelines().list(Window::default()).await?.data.is_empty());
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[track_caller]
    pub fn on_pipelines(&self) -> On<Pipelines> {
        On::new(&self.registry, None)
    }

    /// Starts a stub for listing client accounts (`GET /clients`).
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_client::model::{Page, Window};
    /// # use leadapi_testkit::MockLeadApi;
    /// let api = MockLeadApi::start().await;
    /// api.on_clients().returns(Page::new(Vec::new(), 0, Window::default()));
    /// assert!(api.client().client_accounts().list(Window::default()).await?.data.is_empty());
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[track_caller]
    pub fn on_clients(&self) -> On<Clients> {
        On::new(&self.registry, None)
    }
}
