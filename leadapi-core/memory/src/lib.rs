#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod admin;
mod index;
mod ranked_list;
#[cfg(all(test, shuttle))]
mod schedules;
mod settings;
mod store;
mod sync;
mod tokens;

pub use admin::MemoryAdmin;
pub use settings::MemorySettings;
pub use store::MemoryStore;
pub use tokens::MemoryTokens;
