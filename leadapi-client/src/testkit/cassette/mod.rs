//! Records requests and responses, and replays them.
//!
//! A [`Recorder`] wraps a transport and records its traffic as a [`Cassette`]: a file of HAR 1.2, the format that
//! browsers and proxies read and write. A cassette is replayed by a server ([`Cassette::replay`]), for programs in any
//! language, or without a socket ([`Cassette::transport`]). A [`CassetteSession`] records or replays, as its [`Mode`]
//! selects.
//!
//! ```
//! use leadapi_client::{Client, model::NewLead, testkit::cassette::Recorder, transport::InProcess};
//! # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
//! # #[tokio::main] async fn main() -> Result<(), leadapi_core::BoxError> {
//! # let (service, token) = support::service();
//! # let new = NewLead::new(&support::casa_verde(), "Élodie Martin");
//!
//! let recorder = Recorder::new(InProcess::new(service));
//! let client = Client::builder("http://in-process/v1", token).transport(recorder.clone())?;
//! client.leads().create(&new).await?;
//!
//! let replay = recorder.cassette()?.replay().await;
//! let lead = replay.client()?.leads().create(&new).await?;
//! assert_eq!(lead.id.as_str(), "id-1");
//! replay.verify()?;
//! # Ok(()) }
//! ```
//!
//! # What the file contains
//!
//! Two recordings of the same traffic are identical, and they contain no secrets:
//!
//! - Only the headers of an allowlist are recorded. The header with the token is not on it and cannot be added. A
//!   cassette with any text that looks like a token cannot be saved.
//! - The times of the requests are constants, and the host is not recorded.
//! - Idempotency keys become `key-1`, `key-2` in order of first use, and request ids become `request-1`.
//! - The id of each lead created during the recording becomes `id-1`, `id-2` in URLs, bodies and `Location`, and its
//!   `created_at` becomes a second of the year 2100. This keeps the order of lists: these leads come before all
//!   existing ones. [`Recorder::keep_ids`] keeps both.
//! - The name, email, phone, notes and business name of leads are redacted: they become `redacted-1`, `redacted-2`, and
//!   equal texts get the same placeholder, in requests and responses. [`Recorder::keep_personal_data`] keeps them, and
//!   [`Recorder::redact`] adds fields, such as `source`. If an email, a phone number or the text of an added field also
//!   occurs in another field, nothing is saved. A body that is not JSON is not changed.
//!
//! Values that depend on elapsed time stay: a `Retry-After` may differ between two recordings.
//!
//! A request without a response cannot be recorded, because a server cannot replay a refused connection.
//! [`Recorder::cassette`] then fails; the program under test receives the error of its call.
//!
//! # What is compared
//!
//! A replay compares method, path, query and body, but neither host nor token. The order of parameters and of JSON
//! keys, escapes and the notation of numbers do not matter. A redacted text matches any value, but always the same one,
//! and the response contains the value that was sent. An idempotency key matches any value, but a retry must keep its
//! key, and another create must have another key.
//!
//! Each entry is used once, and in order unless [`Cassette::any_order`] is set. A request that does not match is
//! answered with 501 and a message about the nearest entry, and the replay fails.

mod error;
mod exchange;
mod file;
mod har;
mod json;
mod matcher;
mod open;
mod placeholders;
mod player;
mod progress;
mod recorder;
mod replay;
mod rules;
mod target;
mod token_scan;
mod validate;
mod writer;

use std::path::PathBuf;

pub use error::CassetteError;
pub use open::{CassetteSession, Mode, OpenOptions};
pub use recorder::Recorder;
pub use replay::{Replay, ReplayTransport};

use har::{Entry, Har};
use player::{Player, RecordedEntry};

/// A recording of requests and responses: a file of HAR 1.2.
#[derive(Debug, Clone)]
pub struct Cassette {
    name: String,
    har: Har,
    any_order: bool,
}

impl Cassette {
    fn new(name: String, Har { log }: Har) -> Result<Self, CassetteError> {
        // Before `normalized` sets the missing fields.
        validate::check(&log.entries)?;
        let har = Har::new(log.entries.into_iter().map(Entry::normalized).collect());
        Ok(Self { name, har, any_order: false })
    }

    /// Returns options to open a file that a test records or replays.
    ///
    /// ```
    /// use leadapi_client::{testkit::cassette::Cassette, transport::InProcess};
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # let (service, _) = support::service();
    ///
    /// let error = Cassette::open("no/such.har").wrap(InProcess::new(service)).unwrap_err();
    /// assert!(error.to_string().ends_with("LEADAPI_CASSETTE=record records it"));
    /// ```
    pub fn open(path: impl Into<PathBuf>) -> OpenOptions {
        OpenOptions::new(path.into())
    }

    /// Keeps only the entries whose URL starts with `url`. A browser records all its traffic.
    ///
    /// ```
    /// # use leadapi_client::testkit::cassette::Cassette;
    /// let har = r#"{"log": {"entries": [
    ///     {"request": {"method": "GET", "url": "https://example.com/"}, "response": {"status": 200}},
    ///     {"request": {"method": "GET", "url": "https://api.example.com/v1/clients"}, "response": {"status": 500}}]}}"#;
    /// assert_eq!(Cassette::parse(har)?.only("https://api.example.com/v1/").len(), 1);
    /// # Ok::<(), leadapi_client::testkit::cassette::CassetteError>(())
    /// ```
    #[must_use]
    pub fn only(mut self, url: &str) -> Self {
        self.har.log.entries.retain(|entry| entry.request.url.starts_with(url));
        self
    }

    /// Matches entries in any order, for programs with concurrent requests. Equal entries are used in order.
    ///
    /// ```
    /// # use leadapi_client::testkit::cassette::Cassette;
    /// let cassette = Cassette::parse(r#"{"log": {"entries": []}}"#)?.any_order();
    /// # Ok::<(), leadapi_client::testkit::cassette::CassetteError>(())
    /// ```
    #[must_use]
    pub const fn any_order(mut self) -> Self {
        self.any_order = true;
        self
    }

    /// Returns the number of entries.
    ///
    /// ```
    /// # use leadapi_client::testkit::cassette::Cassette;
    /// assert_eq!(Cassette::parse(r#"{"log": {"entries": []}}"#)?.len(), 0);
    /// # Ok::<(), leadapi_client::testkit::cassette::CassetteError>(())
    /// ```
    pub const fn len(&self) -> usize {
        self.har.log.entries.len()
    }

    /// Returns whether it has no entries.
    ///
    /// ```
    /// # use leadapi_client::testkit::cassette::Cassette;
    /// assert!(Cassette::parse(r#"{"log": {"entries": []}}"#)?.is_empty());
    /// # Ok::<(), leadapi_client::testkit::cassette::CassetteError>(())
    /// ```
    pub const fn is_empty(&self) -> bool {
        self.har.log.entries.is_empty()
    }

    /// Starts a local server that replays the cassette. Starting it needs a tokio runtime.
    ///
    /// ```
    /// # use leadapi_client::testkit::cassette::Cassette;
    /// # #[tokio::main] async fn main() -> Result<(), leadapi_core::BoxError> {
    /// let har = r#"{"log": {"entries": [{"request": {"method": "DELETE", "url": "/v1/leads/l1"}, "response": {"status": 204}}]}}"#;
    /// let replay = Cassette::parse(har)?.replay().await;
    /// replay.client()?.leads().delete(&"l1".parse()?).await?;
    /// replay.verify()?;
    /// # Ok(()) }
    /// ```
    pub async fn replay(&self) -> Replay {
        Replay::start(self.player()).await
    }

    /// Returns a transport that replays the cassette without a socket or a runtime.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # use leadapi_client::testkit::cassette::Cassette;
    /// let har = r#"{"log": {"entries": [{"request": {"method": "DELETE", "url": "/v1/leads/l1"}, "response": {"status": 204}}]}}"#;
    /// let transport = Cassette::parse(har)?.transport();
    /// support::wait(transport.client()?.leads().delete(&"l1".parse()?))?;
    /// transport.verify()?;
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// ```
    pub fn transport(&self) -> ReplayTransport {
        ReplayTransport::new(self.player())
    }

    fn player(&self) -> Player {
        let entries = self.har.log.entries.iter().zip(1..);
        // `new` has rejected the entries that cannot be replayed.
        let recorded = entries.filter_map(|(entry, nth)| RecordedEntry::new(entry, nth).ok().flatten());
        Player::new(self.name.clone(), recorded.collect(), self.any_order)
    }
}
