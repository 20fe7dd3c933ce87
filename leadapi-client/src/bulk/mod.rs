//! Many leads at once: the rows of an import, so many of them on their way at a time.
//!
//! [`Leads::create_many`](crate::Leads::create_many) is where it begins.

// From the lowest floor to the highest.
mod settled;

mod flight;
mod stop;

mod create_many;

pub use create_many::CreateMany;
pub use settled::{Progress, Settled};
pub use stop::{StopReason, Stopped};
