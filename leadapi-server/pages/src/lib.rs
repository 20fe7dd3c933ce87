#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod reference;
mod settings;
pub mod web;

pub use leadapi_access::{LogBudget, Peer, SiteUrl};

pub use self::{
    reference::Reference,
    settings::{SettingsBuilder, SettingsPages, TrustedProxy, VerifiedPerson, sign_in_link},
};
