#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod address;
mod authenticator;
mod host;
mod keyed_rate;
mod log_budget;
mod lookup_limit;
mod peer;
mod request_id;
mod site_url;

pub use self::{
    address::counted_address,
    authenticator::{Authenticator, LookupError, Refused, Verified, internal_error, run_to_completion},
    host::names_this_machine,
    keyed_rate::KeyedRate,
    log_budget::LogBudget,
    lookup_limit::{Lookup, LookupLimit},
    peer::Peer,
    request_id::{request_id, with_request_ids},
    site_url::{InvalidSiteUrl, SiteUrl},
};
