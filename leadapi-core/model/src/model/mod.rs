//! The wire types (contract 2.1 to 2.3), shared by the server, the client and mocks.

mod amount;
mod change;
mod client_account;
mod idempotency_key;
mod lead;
mod new_lead;
mod page;
mod patch;
mod pipeline;
mod query;
mod timestamp;

pub use amount::{Amount, InvalidAmount};
pub use change::Change;
pub use client_account::ClientAccount;
pub use idempotency_key::{IdempotencyKey, InvalidIdempotencyKey};
pub use lead::{Lead, LeadItem};
pub use new_lead::NewLead;
pub use page::Page;
pub use patch::LeadPatch;
pub use pipeline::{Pipeline, Stage};
pub use query::{InvalidWindow, LeadQuery, Window};
pub use timestamp::{InvalidTimestamp, Timestamp};
