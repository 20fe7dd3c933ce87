//! Measures the SQL stores, in most cases against a baseline in the same run:
//!
//! - durable creates on SQLite, against a loop with one sync per create,
//! - reads on SQLite, against reads in memory,
//! - creates and reads on PostgreSQL, against hand-written statements on the same driver,
//! - idempotency keys on PostgreSQL, for the size of their records and the time of keyed operations,
//! - the CPU time that PostgreSQL needs for each operation,
//! - each operation of the service on SQLite, against the statements that the store runs for it.
//!
//! `cargo bench -p leadapi-tests --bench stores` uses 1,000 and 100,000 leads. `LEADAPI_BENCH_LEADS=1000,1000000` sets
//! other sizes.
#![allow(
    clippy::cast_precision_loss,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::missing_docs_in_private_items,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a failed unwrap fails the benchmark, which prints its results"
)]

#[path = "stores/allocator.rs"]
mod allocator;
#[path = "stores/cpu.rs"]
mod cpu;
#[path = "stores/creates.rs"]
mod creates;
#[path = "stores/data.rs"]
mod data;
#[path = "stores/keys.rs"]
mod keys;
#[path = "stores/postgres.rs"]
mod postgres;
#[path = "stores/reads.rs"]
mod reads;
#[path = "stores/service.rs"]
mod service;
#[path = "stores/steps.rs"]
mod steps;

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let only = std::env::args().skip(1).find(|argument| !argument.starts_with('-')).unwrap_or_default();
        let wanted = |name: &str| only.is_empty() || only == name;
        if wanted("creates") || only == "one-disk" {
            creates::sqlite().await;
        }
        if wanted("creates") {
            creates::on_slower_disks();
        }
        if wanted("reads") {
            reads::sqlite().await;
        }
        if wanted("postgres") {
            postgres::all().await;
        }
        if wanted("keys") {
            keys::postgres().await;
        }
        if wanted("cpu") {
            cpu::postgres().await;
        }
        if wanted("service") {
            service::sqlite().await;
        }
    });
}
