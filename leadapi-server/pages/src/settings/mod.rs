//! The API settings: web pages on which owners and admins manage the tokens of their business (contract 5.2 and D8).
//!
//! A host serves the pages on a separate listener, never on the public one (contract D7), or at an origin of its own.
//! They are plain HTML forms without scripts. Every action is a POST that must come from a page with the same origin.

mod actions;
mod attempts;
mod cookie;
mod error_page;
mod form;
mod pages;
mod person;
mod problem;
mod route;
mod service;

use std::{fmt, sync::Arc};

use leadapi_access::{LogBudget, SiteUrl};
use leadapi_core::{
    auth::LoginToken,
    model::Timestamp,
    port::{Clock, SettingsStore},
    tokens::{Sessions, Tokens},
};

use self::{attempts::Attempts, cookie::SessionCookie, pages::sign_in::SignIn};
pub use self::{
    person::{TrustedProxy, VerifiedPerson},
    service::SettingsPages,
};

/// Returns the URL of a sign-in link to the pages at this site.
///
/// ```
/// use leadapi_core::auth::LoginToken;
/// use leadapi_pages::{SiteUrl, sign_in_link};
///
/// let site: SiteUrl = "https://settings.example.com".parse()?;
/// assert!(sign_in_link(&site, &LoginToken::generate()?).starts_with("https://settings.example.com/sign-in/"));
/// # Ok::<(), leadapi_core::BoxError>(())
/// ```
pub fn sign_in_link(site: &SiteUrl, secret: &LoginToken) -> String {
    format!("{site}/sign-in/{}", secret.expose())
}

/// The state behind the pages: tokens, sessions and failed attempts to sign in.
struct Settings {
    tokens: Tokens,
    sessions: Sessions,
    clock: Arc<dyn Clock>,
    url: SiteUrl,
    proxy: Option<TrustedProxy>,
    cookie: SessionCookie,
    attempts: Attempts,
    log_budget: LogBudget,
    sign_in_with: SignIn,
}

impl Settings {
    fn now(&self) -> Timestamp {
        self.clock.now()
    }
}

/// A builder for [`SettingsPages`], created by [`SettingsPages::builder`].
#[must_use = "`build` creates the pages"]
pub struct SettingsBuilder(Settings);

impl SettingsBuilder {
    fn new(store: impl SettingsStore + Clone + 'static, clock: impl Clock + Clone + 'static, url: SiteUrl) -> Self {
        Self(Settings {
            tokens: Tokens::new(store.clone(), clock.clone()),
            sessions: Sessions::new(store, clock.clone()),
            clock: Arc::new(clock),
            cookie: SessionCookie::new(url.is_https()),
            url,
            proxy: None,
            attempts: Attempts::default(),
            log_budget: LogBudget::new(),
            sign_in_with: SignIn::default(),
        })
    }

    /// Sets the proxy whose headers name the address and the identity of a person. By default, no peer is trusted.
    pub fn trusted_proxy(mut self, proxy: TrustedProxy) -> Self {
        self.0.proxy = Some(proxy);
        self
    }

    /// Sets the budget for log lines about failed requests of people without a session.
    pub fn log_budget(mut self, budget: LogBudget) -> Self {
        self.0.log_budget = budget;
        self
    }

    /// Sets the command that creates a sign-in link. The pages show it to people without a session.
    pub fn link_command(mut self, command: &'static str) -> Self {
        self.0.sign_in_with = SignIn::LinkFrom(command);
        self
    }

    /// Sets the URL of the page on which the host signs people in. The pages show it to people without a session,
    /// instead of a command.
    ///
    /// ```
    /// # use leadapi_core::{dataset::Dataset, memory::{MemorySettings, SystemClock}};
    /// # let store = MemorySettings::new(&Dataset::default());
    /// # let site = "https://settings.example.com".parse()?;
    /// use leadapi_pages::SettingsPages;
    ///
    /// let pages = SettingsPages::builder(store, SystemClock, site).sign_in_page("/login").build();
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// ```
    pub fn sign_in_page(mut self, url: impl Into<String>) -> Self {
        self.0.sign_in_with = SignIn::Host(url.into());
        self
    }

    /// Creates the pages.
    pub fn build(self) -> SettingsPages {
        SettingsPages::new(self.0)
    }
}

impl fmt::Debug for SettingsBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SettingsBuilder").field("url", &self.0.url).finish_non_exhaustive()
    }
}
