//! Recorded conversations with the service, and their replay.
//!
//! A [`Recorder`] stands around a transport and makes a [`Cassette`] of what passes; the cassette is a file of HAR 1.2,
//! which browsers and proxies read and write too. It is replayed on a server ([`Cassette::replay`]), for programs in any
//! language, or without a socket ([`Cassette::transport`]). A [`Deck`] records or replays, as its [`Mode`] says.
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
//! # What enters the file
//!
//! Two recordings of the same run differ in no byte, and nothing in them is a secret:
//!
//! - Of the headers only those of a list; the token's is not on it, and cannot be put there. A text that looks like a
//!   token, wherever it stands, keeps the cassette from being saved.
//! - Moments of the recording are constants. Which host it was does not enter the file.
//! - Idempotency keys are `key-1`, `key-2` in the order of their first sight, request ids `request-1`.
//! - The id of each lead that was created meanwhile is `id-1`, `id-2` in URLs, bodies and `Location`, and its
//!   `created_at` a second of the year 2100: they keep the order that the service lists them in, before all leads that
//!   were there already. [`Recorder::keep_ids`] leaves both as they are.
//! - The name, email, phone, notes and business name of leads are redacted: they become `redacted-1`, `redacted-2`, the
//!   same text by the same name, in requests and responses. [`Recorder::keep_personal_data`] keeps them, and
//!   [`Recorder::redact`] adds fields, such as `source`. When an email, a phone number or the text of an added field would
//!   stand in another field too, nothing is saved. A body that is not JSON stays as it is.
//!
//! What the service makes of the time that has passed stays: a `Retry-After` differs when the runs differ in their pace.
//!
//! A request that got no answer cannot be recorded: that a network failed is not what the service says, and a server
//! cannot replay a connection that was refused. [`Recorder::cassette`] then fails; the test itself is told of its error.
//!
//! # What is compared
//!
//! Method, path, query and body, not the host and not the token. The order of parameters, that of the keys of JSON, and
//! how escapes and numbers are written do not matter. A redacted text may be any, but the same one each time, and is
//! answered as it was sent. An idempotency key may be any, but what was sent again must have kept its key, and what was
//! another create must have another.
//!
//! Each entry is used once, and in its order unless [`Cassette::any_order`] says otherwise. A request that is not the
//! recorded one is answered with 501 and a sentence about the nearest entry, and the replay is not faithful.

mod canary;
mod deck;
mod error;
mod exchange;
mod file;
mod har;
mod json;
mod matcher;
mod names;
mod player;
mod progress;
mod recorder;
mod replay;
mod rules;
mod target;
mod usable;
mod writing;

use std::path::PathBuf;

pub use deck::{Deck, Mode, Opening};
pub use error::CassetteError;
pub use recorder::Recorder;
pub use replay::{Replay, ReplayTransport};

use har::{Entry, Har};
use player::{Player, Recorded};

/// A recorded conversation: a file of HAR 1.2.
#[derive(Debug, Clone)]
pub struct Cassette {
    name: String,
    har: Har,
    any_order: bool,
}

impl Cassette {
    fn new(name: String, Har { log }: Har) -> Result<Self, CassetteError> {
        // Before what a program has left out is filled in.
        usable::check(&log.entries)?;
        let har = Har::new(log.entries.into_iter().map(Entry::completed).collect());
        Ok(Self { name, har, any_order: false })
    }

    /// The file that a test records into or replays, as its mode says.
    ///
    /// ```
    /// use leadapi_client::{testkit::cassette::Cassette, transport::InProcess};
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # let (service, _) = support::service();
    ///
    /// let nothing = Cassette::open("no/such.har").around(InProcess::new(service)).unwrap_err();
    /// assert!(nothing.to_string().ends_with("LEADAPI_CASSETTE=record records it"));
    /// ```
    pub fn open(path: impl Into<PathBuf>) -> Opening {
        Opening::new(path.into())
    }

    /// Only the entries whose URL begins with this one: what a browser notes is more than one conversation.
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

    /// Entries may be asked for in any order; of several that are the same, the first is answered first. It is for
    /// programs that ask for several things at once.
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

    /// How many entries it has.
    ///
    /// ```
    /// # use leadapi_client::testkit::cassette::Cassette;
    /// assert_eq!(Cassette::parse(r#"{"log": {"entries": []}}"#)?.len(), 0);
    /// # Ok::<(), leadapi_client::testkit::cassette::CassetteError>(())
    /// ```
    pub const fn len(&self) -> usize {
        self.har.log.entries.len()
    }

    /// Whether it has none.
    ///
    /// ```
    /// # use leadapi_client::testkit::cassette::Cassette;
    /// assert!(Cassette::parse(r#"{"log": {"entries": []}}"#)?.is_empty());
    /// # Ok::<(), leadapi_client::testkit::cassette::CassetteError>(())
    /// ```
    pub const fn is_empty(&self) -> bool {
        self.har.log.entries.is_empty()
    }

    /// Replays it on a server of its own on this machine. It needs a tokio runtime to start, and none afterwards.
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

    /// Replays it without a socket and without a runtime.
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
        // What cannot be replayed was refused when it was read.
        let recorded = entries.filter_map(|(entry, nth)| Recorded::new(entry, nth).ok().flatten());
        Player::new(self.name.clone(), recorded.collect(), self.any_order)
    }
}
