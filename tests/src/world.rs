//! The fixture: two businesses with similar names, a manual clock, and the ports of a service.

use std::{
    fmt::{self, Write as _},
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use leadapi_core::{
    auth::{BearerToken, Scopes},
    dataset::Dataset,
    http::LeadService,
    id::{BusinessId, LeadId},
    memory::{Limits, ManualClock, SlidingWindow},
    model::{Lead, LeadQuery, Timestamp, Window},
    port::{Clock, IdSource, Listed, RateLimiter, SettingsStore, Store, TokenRecord, TokenVerifier},
    tokens::StoredTokens,
};

use crate::{OpenStore, Ports, Seed, StoreKind, Token};

/// The initial time of every world.
pub const START: &str = "2026-05-04T07:58:12.004Z";
const BEFORE: &str = "2026-05-01T00:00:00.000Z";
const AN_HOUR_LATER: &str = "2026-05-04T08:58:12.004Z";
const DATA: &str = include_str!("../data/two_businesses.json");

/// Two businesses and the ports of their service. Tests can replace ports before they build the service.
#[derive(Clone)]
pub struct World {
    /// The clock that all ports use, including the rate limiter, unless a test replaces a port.
    pub clock: Arc<ManualClock>,
    /// The kind of the store.
    pub kind: StoreKind,
    /// The store that contains the leads, even if [`World::store()`] replaced the service's store.
    pub original_store: Arc<dyn Store>,
    /// The store of tokens and API settings.
    pub tokens: Arc<dyn SettingsStore>,
    store: Arc<dyn Store>,
    verifier: Arc<dyn TokenVerifier>,
    limiter: Arc<dyn RateLimiter>,
    time: Arc<dyn Clock>,
    ids: Option<Arc<dyn IdSource>>,
}

impl World {
    /// Creates an in-memory world from the data file. New leads get the ids `new-1`, `new-2` and so on.
    pub async fn new() -> Self {
        Self::over(&StoreKind::Memory.open(Self::seed()).await).await
    }

    /// Returns the contents of the data file, and the tokens.
    pub fn seed() -> Seed {
        Seed { data: vec![Dataset::parse(DATA).unwrap()], tokens: tokens() }
    }

    /// Opens one store of each kind with the seed.
    pub async fn stores() -> Vec<OpenStore> {
        let mut stores = Vec::new();
        for kind in StoreKind::all() {
            stores.push(kind.open(Self::seed()).await);
        }
        stores
    }

    /// Creates a world on an open store in its current state.
    pub async fn over(open_store: &OpenStore) -> Self {
        let clock = Arc::new(ManualClock::at(START.parse().unwrap()));
        let Ports { store, tokens } = open_store.ports().await;
        let time = {
            let clock = clock.clone();
            move || clock.now()
        };
        let elapsed = {
            let clock = clock.clone();
            move || clock.elapsed()
        };
        let count = AtomicU32::new(0);
        let ids =
            move |_: Timestamp| LeadId::parse(format!("new-{}", count.fetch_add(1, Ordering::Relaxed) + 1)).unwrap();
        Self {
            store: store.clone(),
            verifier: Arc::new(StoredTokens::new(tokens.clone(), time.clone())),
            limiter: Arc::new(SlidingWindow::with_time(Limits::default(), elapsed)),
            time: Arc::new(time),
            ids: Some(Arc::new(ids)),
            clock,
            kind: open_store.kind,
            original_store: store,
            tokens,
        }
    }

    /// Replaces the service's store.
    pub fn store(mut self, store: impl Store + 'static) -> Self {
        self.store = Arc::new(store);
        self
    }

    /// Replaces the service's token verifier.
    pub fn verifier(mut self, verifier: impl TokenVerifier + 'static) -> Self {
        self.verifier = Arc::new(verifier);
        self
    }

    /// Replaces the service's rate limiter.
    pub fn limiter(mut self, limiter: impl RateLimiter + 'static) -> Self {
        self.limiter = Arc::new(limiter);
        self
    }

    /// Replaces the service's clock.
    pub fn time(mut self, time: impl Clock + 'static) -> Self {
        self.time = Arc::new(time);
        self
    }

    /// Replaces the service's source of lead ids.
    pub fn ids(mut self, ids: impl IdSource + 'static) -> Self {
        self.ids = Some(Arc::new(ids));
        self
    }

    /// Makes the service use its default source of lead ids.
    pub fn own_ids(mut self) -> Self {
        self.ids = None;
        self
    }

    /// Advances the clock by this number of seconds.
    pub fn wait(&self, seconds: u64) {
        self.clock.advance(Duration::from_secs(seconds));
    }

    /// Builds a service with the base path `base` and, if given, the public base path `public`.
    pub fn service(&self, base: &str, public: Option<&str>) -> LeadService {
        let time = self.time.clone();
        let mut builder = LeadService::builder(self.store.clone(), self.verifier.clone())
            .limiter(self.limiter.clone())
            .clock(move || time.now())
            .base_path(base);
        if let Some(ids) = self.ids.clone() {
            builder = builder.ids(move |at| ids.lead_id(at));
        }
        if let Some(public) = public {
            builder = builder.public_path(public);
        }
        builder.build().unwrap()
    }

    /// Dumps the first 200 leads and the number of leads of each business as text, so that a test can detect changes to
    /// leads.
    pub async fn dump(&self) -> String {
        let mut dump = String::new();
        for business in ["biz-a", "biz-b"] {
            let business = BusinessId::parse(business).unwrap();
            let query = LeadQuery::new().window(Window::new(200, 0).unwrap());
            let Listed::Page(page) = self.original_store.list(&business, &query).await.unwrap() else {
                panic!("no page")
            };
            let leads: Vec<&Lead> = page.data.iter().map(|lead| &**lead).collect();
            writeln!(dump, "{business}: {} {}", page.total, serde_json::to_string(&leads).unwrap()).unwrap();
        }
        dump
    }
}

fn tokens() -> Vec<(BusinessId, TokenRecord)> {
    let moment = |text: &str| Some(text.parse::<Timestamp>().unwrap());
    let tokens = [
        (Token::Both, "biz-a", Scopes::Both, None, None),
        (Token::Spare, "biz-a", Scopes::Both, None, None),
        (Token::Read, "biz-a", Scopes::Read, None, None),
        (Token::Write, "biz-a", Scopes::Write, None, None),
        (Token::Expired, "biz-a", Scopes::Both, moment(START), None),
        (Token::Expiring, "biz-a", Scopes::Both, moment(AN_HOUR_LATER), None),
        (Token::Revoked, "biz-a", Scopes::Both, None, moment(BEFORE)),
        (Token::B, "biz-b", Scopes::Both, None, None),
    ];
    let records = tokens.map(|(token, business, scopes, expires_at, revoked_at)| {
        let secret = BearerToken::parse(&token.secret().unwrap()).unwrap();
        let mut record = TokenRecord::new(&secret, format!("{token:?}"), scopes, BEFORE.parse().unwrap());
        (record.expires_at, record.revoked_at) = (expires_at, revoked_at);
        (BusinessId::parse(business).unwrap(), record)
    });
    records.into()
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("World").field("clock", &self.clock).finish_non_exhaustive()
    }
}
