//! A harness that checks a service against the contract: a fixture with two businesses, cases as data, and a runner.
//! The runner sends each case in process, over TCP and through an axum router, with every kind of store.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::missing_panics_doc,
    clippy::must_use_candidate,
    clippy::needless_pass_by_value,
    clippy::panic,
    clippy::print_stderr,
    clippy::return_self_not_must_use,
    clippy::unwrap_used,
    reason = "a failed unwrap in the harness fails the test"
)]

mod admissions;
mod case;
mod contract_check;
pub mod crates;
mod description;
pub mod doubles;
#[cfg(unix)]
pub mod fake_clock;
pub mod history;
#[cfg(unix)]
pub mod hostile;
mod invariants;
mod lateness;
mod live;
#[cfg(unix)]
pub mod maintenance;
#[cfg(target_os = "linux")]
pub mod patroni;
#[cfg(unix)]
pub mod pebble;
mod ports;
#[cfg(unix)]
pub mod postgres;
#[cfg(target_os = "linux")]
pub mod powerloss;
#[cfg(unix)]
pub mod processes;
pub mod proxy;
mod proxy_program;
mod raw;
#[cfg(unix)]
pub mod redis;
mod released;
mod response;
mod runner;
pub mod scale;
mod secret;
mod seed;
mod serving;
#[cfg(target_os = "linux")]
pub mod simulation;
mod store;
#[cfg(unix)]
mod tls;
mod transport;
mod wait;
#[cfg(unix)]
mod watchdog;
mod world;

pub use admissions::{Admitted, max_admitted_in};
pub use case::{Case, Token, delete, get, head, patch, post, request};
pub use contract_check::run_contract_check;
pub use description::Description;
pub use invariants::broken_invariants;
pub use lateness::Lateness;
pub use live::{Live, Via, everywhere, everywhere_with};
pub use ports::{free_address, free_port};
pub use proxy_program::proxy_program;
pub use raw::Raw;
pub use released::{read_released, released_folder, write_released};
pub use response::TestResponse;
pub use runner::run_table;
pub use secret::secret;
pub use seed::Seed;
pub use serving::{ServerProcess, one_business, serve_one_business, serve_with_rate_limits};
pub use store::{OpenStore, Ports, StoreKind};
pub use transport::{Tcp, Transport};
pub use wait::{Condition, TIMEOUT, equals, eventually, in_time, wait_until};
pub use world::{START, World};
