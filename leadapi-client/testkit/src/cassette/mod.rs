//! Records requests and responses, and replays them.
//!
//! A [`Recorder`] wraps a transport and records its traffic as a [`Cassette`]: a HAR 1.2 file, the format that browsers
//! and proxies read and write. [`Cassette::replay`] starts a server that replays a cassette for programs in any
//! language. [`Cassette::transport`] replays it without a socket. A [`CassetteSession`] records or replays, depending
//! on its [`Mode`].
//!
//! ```
//! use leadapi_client::{Client, model::NewLead, transport::InProcess};
//! use leadapi_testkit::cassette::Recorder;
//! # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/client/support.rs")); }
//! # #[tokio::main] async fn main() -> Result<(), leadapi_core::BoxError> {
//! # let (service, token) = support::service();
//! # let new = NewLead::new(&support::casa_verde(), "Élodie Martin");
//!
//! let recorder = Recorder::new(InProcess::new(service));
//! let client = Client::builder("http://in-process/v1", token).transport(recorder.clone()).build()?;
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
//! Two recordings of the same traffic are identical, except for values that depend on elapsed time, such as
//! `Retry-After`. A recording contains no secrets:
//!
//! - Only headers on an allowlist are recorded. The `Authorization` header is not on the list and cannot be added. A
//!   cassette that contains text that looks like a token cannot be saved.
//! - Request times are written as constants, and the host is not recorded.
//! - Idempotency keys become `key-1`, `key-2` and so on in order of first use. Request ids become `request-1` and so
//!   on.
//! - The id of each lead created during the recording becomes `id-1`, `id-2` and so on in URLs, bodies and `Location`.
//!   Its `created_at` becomes a time in the year 2100, so the lead still precedes all existing leads in lists.
//!   [`Recorder::keep_ids`] keeps the real ids and times.
//! - The name, email, phone, notes and business name of leads are redacted: they become `redacted-1`, `redacted-2` and
//!   so on. Equal values get the same placeholder, in requests and responses. [`Recorder::keep_personal_data`] turns
//!   redaction off, and [`Recorder::redact`] redacts additional fields, such as `source`. If an email, a phone number
//!   or the value of an additional field has at least 6 bytes and also occurs elsewhere without being redacted, nothing
//!   is saved. Bodies that are not JSON are recorded unchanged, or cause an error if additional fields are redacted.
//!
//! A request that received no response cannot be recorded, because a server cannot replay a network failure. In that
//! case, [`Recorder::cassette`] fails. The program under test still receives the original error.
//!
//! # What is compared
//!
//! A replay compares the method, path, query and body, but neither the host nor the token. The order of query
//! parameters, the order of JSON keys, escapes and the notation of numbers do not matter. A redacted string matches any
//! value, but must match the same value every time, and the response contains the value that was sent. An idempotency
//! key matches any value, but a retry must use the same key, and a different create must use a different key.
//!
//! Each entry is used once, and entries are used in order unless [`Cassette::any_order`] is set. A request that does
//! not match is answered with 501 and a message about the nearest entry, and verification then fails.

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
mod validate;
mod writer;

use std::path::PathBuf;

pub use error::CassetteError;
pub use open::{CassetteSession, Mode, OpenOptions};
pub use recorder::Recorder;
pub use replay::{Replay, ReplayTransport};

use har::{Entry, Har};
use player::{Player, RecordedEntry};

/// A recording of requests and responses, stored as a HAR 1.2 file.
#[derive(Debug, Clone)]
pub struct Cassette {
    name: String,
    har: Har,
    any_order: bool,
}

impl Cassette {
    fn new(name: String, Har { log }: Har) -> Result<Self, CassetteError> {
        // Validate first, because `normalized` fills in missing fields.
        validate::check(&log.entries)?;
        let har = Har::new(log.entries.into_iter().map(Entry::normalized).collect());
        Ok(Self { name, har, any_order: false })
    }

    /// Returns options for opening a cassette file that a test records or replays.
    ///
    /// ```
    /// use leadapi_client::transport::InProcess;
    /// use leadapi_testkit::cassette::Cassette;
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/client/support.rs")); }
    /// # let (service, _) = support::service();
    ///
    /// let error = Cassette::open("no/such.har").wrap(InProcess::new(service)).unwrap_err();
    /// assert!(error.to_string().ends_with("set LEADAPI_CASSETTE=record to record it"));
    /// ```
    pub fn open(path: impl Into<PathBuf>) -> OpenOptions {
        OpenOptions::new(path.into())
    }

    /// Keeps only the entries whose URL starts with `url`. Use this method for a file from a browser, because browsers
    /// record all their traffic.
    ///
    /// ```
    /// # use leadapi_testkit::cassette::Cassette;
    /// let har = r#"{"log": {"entries": [
    ///     {"request": {"method": "GET", "url": "https://example.com/"}, "response": {"status": 200}},
    ///     {"request": {"method": "GET", "url": "https://api.example.com/v1/clients"}, "response": {"status": 500}}]}}"#;
    /// assert_eq!(Cassette::parse(har)?.only("https://api.example.com/v1/").len(), 1);
    /// # Ok::<(), leadapi_testkit::cassette::CassetteError>(())
    /// ```
    #[must_use]
    pub fn only(mut self, url: &str) -> Self {
        self.har.log.entries.retain(|entry| entry.request.url.starts_with(url));
        self
    }

    /// Lets entries match in any order, for programs that send concurrent requests. Identical entries are used in
    /// order.
    ///
    /// ```
    /// # use leadapi_testkit::cassette::Cassette;
    /// let cassette = Cassette::parse(r#"{"log": {"entries": []}}"#)?.any_order();
    /// # Ok::<(), leadapi_testkit::cassette::CassetteError>(())
    /// ```
    #[must_use]
    pub const fn any_order(mut self) -> Self {
        self.any_order = true;
        self
    }

    /// Returns the number of entries.
    ///
    /// ```
    /// # use leadapi_testkit::cassette::Cassette;
    /// assert_eq!(Cassette::parse(r#"{"log": {"entries": []}}"#)?.len(), 0);
    /// # Ok::<(), leadapi_testkit::cassette::CassetteError>(())
    /// ```
    pub const fn len(&self) -> usize {
        self.har.log.entries.len()
    }

    /// Returns the number of entries that a replay skips: CORS preflights and cancelled requests.
    ///
    /// ```
    /// # use leadapi_testkit::cassette::Cassette;
    /// let har = r#"{"log": {"entries": [
    ///     {"request": {"method": "GET", "url": "/v1/clients"}, "response": {"status": -1}},
    ///     {"request": {"method": "GET", "url": "/v1/clients"}, "response": {"status": 500}}]}}"#;
    /// let cassette = Cassette::parse(har)?;
    /// assert_eq!((cassette.len(), cassette.skipped()), (2, 1));
    /// # Ok::<(), leadapi_testkit::cassette::CassetteError>(())
    /// ```
    pub fn skipped(&self) -> usize {
        self.len() - self.recorded().count()
    }

    /// Returns whether the cassette has no entries.
    ///
    /// ```
    /// # use leadapi_testkit::cassette::Cassette;
    /// assert!(Cassette::parse(r#"{"log": {"entries": []}}"#)?.is_empty());
    /// # Ok::<(), leadapi_testkit::cassette::CassetteError>(())
    /// ```
    pub const fn is_empty(&self) -> bool {
        self.har.log.entries.is_empty()
    }

    /// Starts a local server that replays the cassette. Requires a tokio runtime.
    ///
    /// ```
    /// # use leadapi_testkit::cassette::Cassette;
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
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/client/support.rs")); }
    /// # use leadapi_testkit::cassette::Cassette;
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
        Player::new(self.name.clone(), self.recorded().collect(), self.any_order)
    }

    fn recorded(&self) -> impl Iterator<Item = RecordedEntry> {
        let entries = self.har.log.entries.iter().zip(1..);
        // `new` has already rejected entries that cannot be replayed.
        entries.filter_map(|(entry, nth)| RecordedEntry::new(entry, nth).ok().flatten())
    }
}
