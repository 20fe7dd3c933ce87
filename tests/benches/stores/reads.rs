//! Measures reads on SQLite at several sizes. The same reads in memory are the baseline.

use leadapi_core::{
    dataset::Dataset,
    model::{LeadQuery, Window},
    port::{Listed, Store},
};
use leadapi_memory::MemoryStore;
use leadapi_sql::SqlStore;

use crate::data::{business, client, dataset, lead_id, micros, sizes, stage, time};

/// A read to measure.
pub(crate) enum Read {
    One,
    Page(LeadQuery),
}

/// Returns the reads to measure on a store with `leads` leads.
pub(crate) fn reads(leads: usize) -> Vec<(&'static str, Read)> {
    let at = |limit, offset: usize| Window::new(limit, offset as u64).unwrap();
    let both = LeadQuery::new().client(client(1)).stage(stage(2));
    vec![
        ("GET one", Read::One),
        ("first page of 50", Read::Page(LeadQuery::new())),
        ("  of a client account", Read::Page(LeadQuery::new().client(client(1)))),
        ("  in a stage", Read::Page(LeadQuery::new().stage(stage(2)))),
        ("  of both", Read::Page(both.clone())),
        ("page at 90 % depth", Read::Page(LeadQuery::new().window(at(50, leads * 9 / 10)))),
        ("  of both", Read::Page(both.window(at(50, leads * 9 / 200)))),
        ("total", Read::Page(LeadQuery::new().window(at(1, 0)))),
    ]
}

pub(crate) async fn read(store: &impl Store, read: &Read, nth: usize, leads: usize) {
    match read {
        Read::One => assert!(store.get(&business(), &lead_id(nth * 7_919 % leads)).await.unwrap().is_some()),
        Read::Page(query) => {
            let Listed::Page(page) = store.list(&business(), query).await.unwrap() else { panic!("refused") };
            assert!(!page.data.is_empty());
        }
    }
}

pub(crate) async fn sqlite() {
    for leads in sizes() {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}", folder.path().join("leads.db").display());
        let sqlite = SqlStore::open(&url.parse().unwrap()).await.unwrap();
        let start = std::time::Instant::now();
        sqlite.import(dataset(leads), |_| {}).await.unwrap();
        let took = start.elapsed();
        let memory = MemoryStore::new(Dataset::new(dataset(leads).businesses));
        println!("\nReads with {leads} leads in one business, medians (imported into SQLite in {took:.1?})");
        println!("  {:<24}{:>12}{:>12}{:>8}", "", "memory", "SQLite", "ratio");
        for (name, what) in reads(leads) {
            let in_memory = time(async |nth| read(&memory, &what, nth, leads).await).await;
            let on_disk = time(async |nth| read(&sqlite, &what, nth, leads).await).await;
            let ratio = on_disk / in_memory;
            println!("  {name:<24}{:>12}{:>12}{ratio:>8.2}", micros(in_memory), micros(on_disk));
        }
    }
}
