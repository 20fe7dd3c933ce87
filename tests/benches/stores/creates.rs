//! Measures durable creates by many callers through the whole service. The baseline is a loop with one sync per create.

use std::{
    fs::File,
    io::Write as _,
    num::NonZeroU32,
    path::Path,
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use bytes::Bytes;
use http::Request;
use http_body_util::Full;
use leadapi_core::{
    auth::{BearerToken, Scopes},
    clock::SystemClock,
    http::LeadService,
    port::{TokenRecord, TokenStore},
    rate_limit::{Limits, SlidingWindow},
    tokens::StoredTokens,
};
use leadapi_sql::SqlStore;
use leadapi_tests::powerloss::slow_syncs;
use tower::ServiceExt;

use crate::data::{business, dataset, median, micros, moment, new_lead};

const CALLERS: usize = 64;
const ROUND: Duration = Duration::from_secs(2);
const ROUNDS: usize = 5;

pub(crate) async fn sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let open = async |name: &str| {
        let path = folder.path().join(name);
        let store = SqlStore::open(&format!("sqlite:{}", path.display()).parse().unwrap()).await.unwrap();
        store.import(dataset(1_000), |_| {}).await.unwrap();
        (store, path)
    };
    let (service_store, _) = open("service.db").await;
    let (bare_store, bare_path) = open("bare.db").await;
    drop(bare_store);
    let mut bare = Bare::open(&bare_path);
    let (service, token) = service(service_store).await;
    let (mut ratios, mut bares, mut all) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let per_second = bare.round();
        let concurrent = concurrent(&service, &token).await;
        bares.push(per_second);
        all.push(concurrent);
        ratios.push(concurrent / per_second);
    }
    println!("\nSQLite, durable creates per second, medians of {ROUNDS} alternating rounds of {ROUND:?}");
    println!("  bare loop, one sync each           {:>9.0}", median(bares));
    println!("  {CALLERS} callers through the service    {:>9.0}", median(all));
    println!("  ratio                              {:>9.1}", median(ratios));
    println!("  one sync of 4 KB takes             {:>9}", micros(sync_time(folder.path())));
}

/// Repeats the measurement with slower syncs, each time in a new process.
pub(crate) fn on_slower_disks() {
    for longer in [Duration::from_micros(500), Duration::from_millis(2)] {
        let mut again = Command::new(std::env::current_exe().unwrap());
        slow_syncs(again.arg("one-disk"), longer);
        println!("\nWith each sync slowed by {longer:?}:");
        assert!(again.status().unwrap().success());
    }
}

/// Returns the median duration of the sync after a 4 KB write, in microseconds.
fn sync_time(folder: &Path) -> f64 {
    let mut file = File::create(folder.join("sync")).unwrap();
    let times = (0..200).map(|_| {
        file.write_all(&[0; 4_096]).unwrap();
        let begun = Instant::now();
        file.sync_data().unwrap();
        begun.elapsed().as_secs_f64() * 1e6
    });
    median(times.collect())
}

/// Returns a service over a store, and an `Authorization` header value for it.
pub(crate) async fn service(store: SqlStore) -> (LeadService, String) {
    let secret = BearerToken::generate().unwrap();
    store.insert(&business(), TokenRecord::new(&secret, "bench", Scopes::Both, moment(0))).await.unwrap();
    let limits = Limits::new(NonZeroU32::MAX, NonZeroU32::MAX);
    let verifier = StoredTokens::new(store.clone(), SystemClock).cached();
    let service = LeadService::builder(store, verifier).limiter(SlidingWindow::new(limits)).build().unwrap();
    (service, format!("Bearer {}", secret.expose()))
}

/// Returns the creates per second with many concurrent callers.
pub(crate) async fn concurrent(service: &LeadService, token: &str) -> f64 {
    let created = Arc::new(AtomicUsize::new(0));
    let begun = Instant::now();
    let callers = (0..CALLERS).map(|caller| {
        let (service, created, token) = (service.clone(), created.clone(), token.to_owned());
        tokio::spawn(async move {
            let body = Bytes::from(serde_json::to_vec(&new_lead(caller)).unwrap());
            while begun.elapsed() < ROUND {
                let request = Request::post("/leads").header("authorization", &token);
                let request = request.body(Full::new(body.clone())).unwrap();
                let Ok(response) = service.clone().oneshot(request).await;
                assert_eq!(response.status(), 201);
                created.fetch_add(1, Ordering::Relaxed);
            }
        })
    });
    for caller in callers.collect::<Vec<_>>() {
        caller.await.unwrap();
    }
    created.load(Ordering::Relaxed) as f64 / begun.elapsed().as_secs_f64()
}

/// The baseline, which writes the same rows as the store with hand-written SQL. Each transaction writes one lead and
/// the four counts that include it.
struct Bare {
    connection: rusqlite::Connection,
    created: usize,
}

const LEAD: &str = "INSERT INTO lead (business_id, id, client_id, name, email, phone, source, notes, value, pipeline_id, \
    stage_id, business_name, created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)";
const COUNT: &str = "INSERT INTO tally (business_id, client_id, stage_id, from_at, from_id, leads) \
    VALUES (?1, ?2, ?3, ?4, '', 1) \
    ON CONFLICT (business_id, client_id, stage_id, from_at, from_id) DO UPDATE SET leads = leads + 1";

impl Bare {
    fn open(path: &Path) -> Self {
        let connection = rusqlite::Connection::open(path).unwrap();
        connection.execute_batch("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON").unwrap();
        let mode: String = connection.query_row("PRAGMA journal_mode", (), |row| row.get(0)).unwrap();
        assert_eq!(mode, "wal");
        Self { connection, created: 0 }
    }

    fn round(&mut self) -> f64 {
        let (before, begun) = (self.created, Instant::now());
        while begun.elapsed() < ROUND {
            self.create();
        }
        (self.created - before) as f64 / begun.elapsed().as_secs_f64()
    }

    fn create(&mut self) {
        self.created += 1;
        let new = new_lead(self.created % CALLERS);
        let business = business();
        let (client, stage) = (new.client_id.unwrap(), new.stage_id.unwrap());
        let transaction = self.connection.transaction().unwrap();
        let lead = rusqlite::params![
            business.as_str(),
            format!("bare-{}", self.created),
            client,
            new.name,
            new.email,
            new.phone,
            new.source,
            new.notes,
            new.value,
            "019bb17b-d806-7737-af83-b92ecab91001",
            stage,
            new.business_name,
            moment(1_000_000 + self.created).unix_millis(),
        ];
        transaction.prepare_cached(LEAD).unwrap().execute(lead).unwrap();
        for (client, stage) in
            [("", ""), (client.as_str(), ""), ("", stage.as_str()), (client.as_str(), stage.as_str())]
        {
            let count = rusqlite::params![business.as_str(), client, stage, i64::MIN];
            transaction.prepare_cached(COUNT).unwrap().execute(count).unwrap();
        }
        transaction.commit().unwrap();
    }
}
