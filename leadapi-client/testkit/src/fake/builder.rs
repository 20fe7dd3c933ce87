//! The builder for a fake.

use std::sync::{Arc, Mutex};

use leadapi_core::{
    auth::Scopes,
    dataset::Dataset,
    http::LeadService,
    id::BusinessId,
    memory::{Limits, ManualClock, MemoryStore, MemoryTokens, Uuids},
    model::Timestamp,
    port::{Clock, IdSource},
    tokens::{self, StoredTokens},
};

use super::{
    FakeLeadApi,
    faults::Faults,
    faulty_service::{FaultyService, poll_once},
    ids::SeededIds,
    limiter::Limiter,
    state::issue_token,
};
use crate::serve::{BASE, Server};

const SMALL: &str = r#"{"businesses": [{
    "id": "sol", "name": "Sol Marketing", "created_at": "2026-01-12T09:00:00.000Z",
    "clients": [
        {"id": "casa-verde", "name": "Casa Verde", "created_at": "2026-01-12T09:30:00.000Z"},
        {"id": "villa-azul", "name": "Villa Azul", "created_at": "2026-01-12T09:40:00.000Z"}
    ],
    "pipelines": [{"id": "sales", "name": "Sales", "created_at": "2026-01-12T10:00:00.000Z", "stages": [
        {"id": "new", "name": "New", "position": 1}, {"id": "won", "name": "Won", "position": 2}
    ]}],
    "leads": [
        {"id": "lead-1", "client_id": "casa-verde", "name": "Ann", "email": "ann@example.com", "value": 450,
            "notes": "Call back in June", "stage_id": "new", "created_at": "2026-05-04T07:58:12.004Z"},
        {"id": "lead-2", "client_id": "casa-verde", "name": "Øyvind", "created_at": "2026-05-04T08:12:45.120Z"},
        {"id": "lead-3", "client_id": "villa-azul", "name": "Élodie Martin", "phone": "+33 6 12 34 56 78",
            "stage_id": "won", "created_at": "2026-05-04T09:30:00.000Z"}
    ]
}]}"#;

/// A builder for a [`FakeLeadApi`]. Every setting has a default.
#[derive(Debug)]
#[must_use = "a builder does nothing until it is started"]
pub struct FakeBuilder {
    data: Dataset,
    at: Timestamp,
    seed: Option<u64>,
    limits: Limits,
}

#[expect(clippy::expect_used, reason = "the data is part of the crate, and a test parses it")]
impl Default for FakeBuilder {
    fn default() -> Self {
        Self {
            data: Dataset::parse(SMALL).expect("valid data"),
            at: "2026-05-04T12:00:00Z".parse().expect("a timestamp"),
            seed: None,
            limits: Limits::default(),
        }
    }
}

impl FakeBuilder {
    /// Replaces the built-in data set. To use a token from the data set, a test must know the token's secret.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// use leadapi_client::model::Window;
    /// use leadapi_testkit::FakeLeadApi;
    /// use leadapi_core::dataset::Dataset;
    ///
    /// let data = Dataset::parse(r#"{"businesses": [{"id": "b1", "name": "B", "created_at": "2026-01-12T09:00:00Z",
    ///     "clients": [{"id": "c1", "name": "Casa Verde", "created_at": "2026-01-12T09:30:00Z"}]}]}"#)?;
    /// let api = FakeLeadApi::builder().data(data).start().await;
    /// assert_eq!(api.client().client_accounts().list(Window::default()).await?.total, 1);
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn data(mut self, data: Dataset) -> Self {
        self.data = data;
        self
    }

    /// Sets the initial time of the fake's clock.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_testkit::FakeLeadApi;
    /// let api = FakeLeadApi::builder().at("2027-01-01T00:00:00Z".parse()?).start().await;
    /// assert_eq!(api.now().to_string(), "2027-01-01T00:00:00.000Z");
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub const fn at(mut self, at: Timestamp) -> Self {
        self.at = at;
        self
    }

    /// Makes the ids of new leads reproducible: they depend only on this seed, the order of creation and the fake's
    /// clock. Without a seed, ids are random.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_client::model::NewLead;
    /// # use leadapi_testkit::FakeLeadApi;
    /// # let ann = NewLead::new(&"casa-verde".parse()?, "Ann");
    /// let api = FakeLeadApi::builder().seed(7).start().await;
    /// let again = FakeLeadApi::builder().seed(7).start().await;
    /// assert_eq!(api.client().leads().create(&ann).await?.id, again.client().leads().create(&ann).await?.id);
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub const fn seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// Sets the rate limits for each token. The defaults are the contract's limits.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use std::num::NonZeroU32;
    /// # use leadapi_client::{RetryPolicy, model::Window};
    /// # use leadapi_testkit::FakeLeadApi;
    /// # use leadapi_core::memory::Limits;
    /// let limits = Limits::new(NonZeroU32::MIN, Limits::default().writes);
    /// let api = FakeLeadApi::builder().limits(limits).start().await;
    /// let client = api.client();
    /// client.client_accounts().list(Window::default()).await?;
    /// let second = client.client_accounts().list(Window::default()).retry(RetryPolicy::none()).await;
    /// assert!(second.unwrap_err().is_rate_limited());
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub const fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Starts the fake on `127.0.0.1`, on a free port.
    ///
    /// # Panics
    ///
    /// Panics if two tokens in the data are the same, no port is free, or the system's random number generator fails.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # use leadapi_testkit::FakeLeadApi;
    /// let api = FakeLeadApi::builder().start().await;
    /// assert!(api.url().starts_with("http://127.0.0.1:"));
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[expect(clippy::expect_used, reason = "these failures are bugs in the testkit, or a test cannot handle them")]
    pub async fn start(self) -> FakeLeadApi {
        let Self { data, at, seed, limits } = self;
        let clock = Arc::new(ManualClock::at(at));
        let tokens = Arc::new(MemoryTokens::default());
        let seeded = poll_once(tokens::import(&*tokens, &data, at)).expect("a store that does not wait");
        seeded.expect("distinct tokens in the data");
        let first = data.businesses.first().map(|business| business.id.clone());
        let business = first.unwrap_or_else(|| BusinessId::parse("nobody").expect("an id"));
        let token = issue_token(&tokens, &business, Scopes::Both, at);
        let store = Arc::new(MemoryStore::new(data));
        let limiter = Arc::new(Limiter::new(limits, clock.clone()));
        let ids: Box<dyn IdSource> = match seed {
            Some(seed) => Box::new(SeededIds::new(seed)),
            None => Box::new(Uuids::default()),
        };
        let time = || {
            let clock = clock.clone();
            move || clock.now()
        };
        let service = LeadService::builder(store.clone(), StoredTokens::new(tokens.clone(), time()))
            .base_path(BASE)
            .clock(time())
            .limiter(limiter.clone())
            .ids(move |at| ids.lead_id(at))
            .build()
            .expect("a valid base path");
        let faults = Arc::new(Mutex::new(Faults::default()));
        let server = Server::start(FaultyService { service: service.clone(), faults: faults.clone() }).await;
        FakeLeadApi { server, service, store, tokens, clock, limiter, faults, business, token }
    }
}
