//! The API settings: web pages on which owners and admins manage the tokens of their business (contract 5.2 and D8).
//!
//! The pages are served on a separate listener, never on the public one (contract D7). They are plain HTML forms
//! without scripts. Every action is a POST that must come from a page with the same origin.

mod actions;
mod attempts;
mod cookie;
mod error_page;
mod form;
mod handler;
mod listen;
mod pages;
mod person;
mod problem;
mod route;
mod url;

use std::sync::Arc;

use leadapi_core::{
    port::SettingsStore,
    tokens::{Sessions, Tokens},
};
use leadapi_sql::StoreClock;

use self::{attempts::Attempts, cookie::SessionCookie};
pub(crate) use self::{
    listen::{SettingsListener, SettingsSocket},
    person::TrustedProxy,
    url::SettingsUrl,
};
use crate::{
    log_budget::LogBudget,
    metrics::{ConnectionMetrics, Metrics},
};

/// The state behind the pages: tokens, sessions and failed attempts to sign in.
pub(crate) struct Settings {
    tokens: Tokens,
    sessions: Sessions,
    clock: StoreClock,
    url: SettingsUrl,
    proxy: Option<TrustedProxy>,
    cookie: SessionCookie,
    attempts: Attempts,
    log_budget: LogBudget,
    metrics: Arc<Metrics>,
    /// Unexported metrics, so that these connections do not count in the public listener's metrics.
    connections: ConnectionMetrics,
}

impl Settings {
    pub(crate) fn new(
        store: impl SettingsStore + Clone + 'static,
        clock: StoreClock,
        url: SettingsUrl,
        proxy: Option<TrustedProxy>,
        metrics: Arc<Metrics>,
    ) -> Result<Arc<Self>, prometheus::Error> {
        Ok(Arc::new(Self {
            tokens: Tokens::new(store.clone(), clock.clone()),
            sessions: Sessions::new(store, clock.clone()),
            clock,
            cookie: SessionCookie::new(url.is_https()),
            url,
            proxy,
            attempts: Attempts::default(),
            log_budget: LogBudget::new(),
            metrics,
            connections: ConnectionMetrics::unregistered()?,
        }))
    }
}
