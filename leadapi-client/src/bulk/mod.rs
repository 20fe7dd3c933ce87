//! Bulk creation of leads from the rows of an import, with a limit on in-flight rows.
//!
//! Start with [`Leads::create_many`](crate::Leads::create_many).

// In dependency order: each module uses only the modules above it.
mod row_result;
mod row_state;

mod in_flight;
mod stop;

mod create_many;

pub use create_many::CreateMany;
pub use row_result::{Progress, RowResult};
pub use row_state::{RowDecision, RowState};
pub use stop::{StopReason, Stopped};
