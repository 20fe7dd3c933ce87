//! The administration of a store: businesses, members, client accounts, pipelines, stages and forms.
//!
//! A host calls the methods of [`AdminExt::admin`], which trims and checks the input. A store implements [`Admin`], and
//! decides with the pure functions of [`rules`].
//!
//! ```
//! use leadapi_core::{admin::*, dataset::Dataset, memory::MemoryStore, model::ClientAccount};
//! # async fn add(store: impl Admin) -> Result<(), Box<dyn std::error::Error>> {
//! let business = "b1".parse()?;
//! let client = ClientAccount::new("c1".parse()?, " Sol Solar ", "2026-05-04T12:00:00Z".parse()?);
//! let added = store.admin(&business).clients().add(client).await?;
//! assert_eq!(added.name, "Sol Solar");
//! # Ok(())
//! # }
//! ```

mod facade;
mod port;
mod refusal;
pub mod rules;

pub use self::{
    facade::{AdminExt, BusinessAdmin, ClientsAdmin, FormsAdmin, MembersAdmin, PipelinesAdmin, StagesAdmin},
    port::{Admin, Business, MemberChange, NewBusiness, RemovedMember},
    refusal::{AdminError, AdminRefusal, LeadOwner},
};
