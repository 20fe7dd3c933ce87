//! The administration of a store: businesses, members, client accounts, pipelines, stages and forms.
//!
//! A host calls the methods of [`AdminExt::admin`], which trims and checks the input. A store implements [`Admin`], and
//! decides with the pure functions of [`rules`].
//!
//! ```
//! use std::sync::Arc;
//! use leadapi_core::{admin::*, clock::SystemClock, dataset::{Dataset, SAMPLE}, model::ClientAccount, port::Clock};
//! use leadapi_memory::{MemoryAdmin, MemorySettings, MemoryStore};
//!
//! # futures_executor::block_on(async {
//! let dataset = Dataset::parse(SAMPLE)?;
//! let business = dataset.businesses[0].id.clone();
//! let settings = MemorySettings::new(&dataset);
//! let store = MemoryAdmin::new(Arc::new(MemoryStore::new(dataset)), settings);
//!
//! let client = ClientAccount::new("c1".parse()?, " Sol Solar ", SystemClock.now());
//! let added = store.admin(&business).clients().add(client.clone()).await?;
//! assert_eq!(added.name, "Sol Solar");
//! let again = store.admin(&business).clients().add(client).await;
//! assert!(matches!(again, Err(AdminError::Refused(AdminRefusal::ClientExists(_)))));
//! # Ok::<(), leadapi_core::BoxError>(())
//! # }).unwrap();
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
