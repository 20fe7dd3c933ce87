//! Bulk creation of leads: the rows of an import, with a limit on those in flight.
//!
//! Start with [`Leads::create_many`](crate::Leads::create_many).

// Ordered bottom up: each module uses only the modules above it.
mod settled;

mod flight;
mod stop;

mod create_many;

pub use create_many::CreateMany;
pub use settled::{Progress, Settled};
pub use stop::{StopReason, Stopped};
