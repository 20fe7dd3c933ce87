//! Default implementations of the ports, which keep their state in memory. The state is lost when the process exits.

mod admin;
mod clock;
mod ids;
mod index;
mod limiter;
mod ranked_list;
#[cfg(all(test, shuttle))]
mod schedules;
mod settings;
mod store;
mod tokens;

pub use admin::MemoryAdmin;
pub use clock::{ManualClock, SystemClock};
pub use ids::Uuids;
pub use limiter::{AdmissionLog, Limits, SlidingWindow};
pub use settings::MemorySettings;
pub use store::MemoryStore;
pub use tokens::MemoryTokens;
