//! Two businesses with names that are easy to mix up, a clock that stands still, and all that a service needs.

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
    memory::{Limits, ManualClock, MemoryStore, MemoryTokens, SlidingWindow},
    model::{Lead, LeadQuery, Timestamp, Window},
    port::{Clock, IdSource, Listed, RateLimiter, Store, TokenRecord, TokenStore, TokenVerifier},
    tokens::StoredTokens,
};

use crate::Token;

/// When the world begins.
pub const START: &str = "2026-05-04T07:58:12.004Z";
const BEFORE: &str = "2026-05-01T00:00:00.000Z";
const AN_HOUR_LATER: &str = "2026-05-04T08:58:12.004Z";
const DATA: &str = include_str!("../data/two_businesses.json");

/// Two businesses and what stands around them; parts can be replaced before a service is made of it.
#[derive(Clone)]
pub struct World {
    /// The time of everything, the limiter's included.
    pub clock: Arc<ManualClock>,
    /// Where the leads are.
    pub memory: Arc<MemoryStore>,
    /// Where the tokens are.
    pub tokens: Arc<MemoryTokens>,
    store: Arc<dyn Store>,
    verifier: Arc<dyn TokenVerifier>,
    limiter: Arc<dyn RateLimiter>,
    time: Arc<dyn Clock>,
    ids: Option<Arc<dyn IdSource>>,
}

impl World {
    /// A world as the data file has it, which gives new leads the ids `new-1`, `new-2` and so on.
    pub async fn new() -> Self {
        let clock = Arc::new(ManualClock::at(START.parse().unwrap()));
        let memory = Arc::new(MemoryStore::new(Dataset::parse(DATA).unwrap()));
        let tokens = Arc::new(MemoryTokens::default());
        fill(&tokens).await;
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
            store: memory.clone(),
            verifier: Arc::new(StoredTokens::new(tokens.clone(), time.clone())),
            limiter: Arc::new(SlidingWindow::with_time(Limits::default(), elapsed)),
            time: Arc::new(time),
            ids: Some(Arc::new(ids)),
            clock,
            memory,
            tokens,
        }
    }

    /// Another store.
    pub fn store(mut self, store: impl Store + 'static) -> Self {
        self.store = Arc::new(store);
        self
    }

    /// Another verifier.
    pub fn verifier(mut self, verifier: impl TokenVerifier + 'static) -> Self {
        self.verifier = Arc::new(verifier);
        self
    }

    /// Another limiter.
    pub fn limiter(mut self, limiter: impl RateLimiter + 'static) -> Self {
        self.limiter = Arc::new(limiter);
        self
    }

    /// Another clock for the service.
    pub fn time(mut self, time: impl Clock + 'static) -> Self {
        self.time = Arc::new(time);
        self
    }

    /// Other ids.
    pub fn ids(mut self, ids: impl IdSource + 'static) -> Self {
        self.ids = Some(Arc::new(ids));
        self
    }

    /// The ids that the service makes by itself.
    pub fn own_ids(mut self) -> Self {
        self.ids = None;
        self
    }

    /// Moves the clock on.
    pub fn wait(&self, seconds: u64) {
        self.clock.advance(Duration::from_secs(seconds));
    }

    /// A service for requests that arrive with `base` and were sent with `public` before `/leads`.
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

    /// Every lead of both businesses, to see whether something was written.
    pub async fn dump(&self) -> String {
        let mut dump = String::new();
        for business in ["biz-a", "biz-b"] {
            let business = BusinessId::parse(business).unwrap();
            let query = LeadQuery::new().window(Window::new(200, 0).unwrap());
            let Listed::Page(page) = self.memory.list(&business, &query).await.unwrap() else { panic!("no page") };
            let leads: Vec<&Lead> = page.data.iter().map(|lead| &**lead).collect();
            writeln!(dump, "{business}: {} {}", page.total, serde_json::to_string(&leads).unwrap()).unwrap();
        }
        dump
    }
}

async fn fill(tokens: &MemoryTokens) {
    let moment = |text: &str| Some(text.parse::<Timestamp>().unwrap());
    for (token, business, scopes, expires_at, revoked_at) in [
        (Token::Both, "biz-a", Scopes::Both, None, None),
        (Token::Spare, "biz-a", Scopes::Both, None, None),
        (Token::Read, "biz-a", Scopes::Read, None, None),
        (Token::Write, "biz-a", Scopes::Write, None, None),
        (Token::Expired, "biz-a", Scopes::Both, moment(START), None),
        (Token::Expiring, "biz-a", Scopes::Both, moment(AN_HOUR_LATER), None),
        (Token::Revoked, "biz-a", Scopes::Both, None, moment(BEFORE)),
        (Token::B, "biz-b", Scopes::Both, None, None),
    ] {
        let secret = BearerToken::parse(&token.secret().unwrap()).unwrap();
        let record = TokenRecord::new(&secret, format!("{token:?}"), scopes, BEFORE.parse().unwrap());
        let record = TokenRecord { expires_at, revoked_at, ..record };
        tokens.insert(&BusinessId::parse(business).unwrap(), record).await.unwrap();
    }
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("World").field("clock", &self.clock).finish_non_exhaustive()
    }
}
