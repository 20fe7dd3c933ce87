//! One test that records or replays, as it is told from outside.

use std::{env, fmt, path::PathBuf, sync::Arc, thread};

use http::HeaderName;

use super::{Cassette, CassetteError, Recorder, ReplayTransport, rules::Rules};
use crate::transport::Transport;

/// Whether a test speaks with the service or with its recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Mode {
    /// With the recording; the service is not asked.
    Replay,
    /// With the service; the recording is replaced.
    Record,
    /// With the recording if the file is there, else with the service.
    ///
    /// It is the whole conversation or none of it: the leads of a recording are not there in the service that would be
    /// asked for the rest.
    RecordMissing,
}

/// How a cassette is opened; begun with [`Cassette::open`], ended with [`around`](Self::around).
#[must_use = "nothing is opened yet"]
#[derive(Debug)]
pub struct Opening {
    path: PathBuf,
    mode: Result<Mode, CassetteError>,
    rules: Result<Rules, CassetteError>,
    any_order: bool,
}

impl Opening {
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path, mode: Ok(Mode::Replay), rules: Ok(Rules::default()), any_order: false }
    }

    /// In this mode; without a word on it, [`Mode::Replay`].
    ///
    /// ```
    /// # use leadapi_client::testkit::cassette::{Cassette, Mode};
    /// let opening = Cassette::open("tests/cassettes/tour.har").mode(Mode::RecordMissing);
    /// # drop(opening);
    /// ```
    pub fn mode(mut self, mode: Mode) -> Self {
        self.mode = Ok(mode);
        self
    }

    /// In the mode that `LEADAPI_CASSETTE` names: `replay`, `record` or `record-missing`; not set or empty, it is `replay`.
    ///
    /// ```
    /// # use leadapi_client::testkit::cassette::Cassette;
    /// let opening = Cassette::open("tests/cassettes/tour.har").mode_from_env();
    /// # drop(opening);
    /// ```
    pub fn mode_from_env(mut self) -> Self {
        self.mode = match env::var("LEADAPI_CASSETTE").as_deref() {
            Err(env::VarError::NotPresent) | Ok("" | "replay") => Ok(Mode::Replay),
            Ok("record") => Ok(Mode::Record),
            Ok("record-missing") => Ok(Mode::RecordMissing),
            _ => Err(CassetteError::UnknownMode),
        };
        self
    }

    /// What [`Recorder::redact`] does.
    ///
    /// ```
    /// # use leadapi_client::testkit::cassette::Cassette;
    /// let opening = Cassette::open("tests/cassettes/tour.har").redact("email").redact("phone");
    /// # drop(opening);
    /// ```
    pub fn redact(mut self, field: &str) -> Self {
        if let Ok(rules) = &mut self.rules {
            rules.redact(field);
        }
        self
    }

    /// What [`Recorder::keep_personal_data`] does.
    ///
    /// ```
    /// # use leadapi_client::testkit::cassette::Cassette;
    /// let opening = Cassette::open("tests/cassettes/tour.har").keep_personal_data();
    /// # drop(opening);
    /// ```
    pub fn keep_personal_data(mut self) -> Self {
        if let Ok(rules) = &mut self.rules {
            rules.keep_personal_data = true;
        }
        self
    }

    /// What [`Recorder::keep_ids`] does.
    ///
    /// ```
    /// # use leadapi_client::testkit::cassette::Cassette;
    /// let opening = Cassette::open("tests/cassettes/tour.har").keep_ids();
    /// # drop(opening);
    /// ```
    pub fn keep_ids(mut self) -> Self {
        if let Ok(rules) = &mut self.rules {
            rules.keep_ids = true;
        }
        self
    }

    /// What [`Recorder::keep_header`] does; a header that is refused is told by [`around`](Self::around).
    ///
    /// ```
    /// # use leadapi_client::testkit::cassette::Cassette;
    /// let opening = Cassette::open("tests/cassettes/tour.har").keep_header(http::header::CACHE_CONTROL);
    /// # drop(opening);
    /// ```
    pub fn keep_header(mut self, name: HeaderName) -> Self {
        self.rules = self.rules.and_then(|mut rules| rules.keep_header(name).map(|()| rules));
        self
    }

    /// What [`Cassette::any_order`] does.
    ///
    /// ```
    /// # use leadapi_client::testkit::cassette::Cassette;
    /// let opening = Cassette::open("tests/cassettes/tour.har").any_order();
    /// # drop(opening);
    /// ```
    pub const fn any_order(mut self) -> Self {
        self.any_order = true;
        self
    }

    /// Opens it: around the transport to the service, which a replay does not use.
    ///
    /// ```
    /// use leadapi_client::{Client, model::Window, testkit::cassette::{Cassette, Recorder}, transport::{InProcess, Reqwest}};
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # futures_executor::block_on(async {
    /// # let (service, token) = support::service();
    /// # let path = std::env::temp_dir().join(format!("leadapi-{}-around.har", std::process::id()));
    /// # let recorder = Recorder::new(InProcess::new(service));
    /// # let client = Client::builder("http://in-process/v1", token).transport(recorder.clone())?;
    /// # client.client_accounts().list(Window::default()).await?;
    /// # recorder.cassette()?.save(&path)?;
    ///
    /// let deck = Cassette::open(&path).around(Reqwest::new()?)?;
    /// let client = Client::builder("https://api.example.com/v1", "pak_0123").transport(deck.transport())?;
    /// assert_eq!(client.client_accounts().list(Window::default()).await?.total, 2);
    /// deck.finish()?;
    /// # std::fs::remove_file(path)?;
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// [`CassetteError::UnknownMode`], [`CassetteError::RecordingInCi`], [`CassetteError::SecretHeader`], and those of
    /// [`Cassette::load`].
    pub fn around(self, transport: impl Transport) -> Result<Deck, CassetteError> {
        let Self { path, mode, rules, any_order } = self;
        let (mode, rules) = (mode?, rules?);
        let records = mode == Mode::Record || (mode == Mode::RecordMissing && !path.exists());
        if records && env::var_os("CI").is_some_and(|ci| !ci.is_empty()) {
            return Err(CassetteError::RecordingInCi { path });
        }
        let work = if records {
            Work::Record(Recorder::with(transport, rules), path)
        } else {
            let cassette = Cassette::load(path)?;
            Work::Replay(if any_order { cassette.any_order() } else { cassette }.transport())
        };
        Ok(Deck { work, finished: false })
    }
}

/// A cassette that is being recorded or replayed; made by [`Opening::around`].
///
/// Whoever forgets to [`finish`](Self::finish) it is told by a panic when it is dropped, but not in a test that is failing
/// already. A recording that is not finished is not saved, so that a test that fails spoils none.
pub struct Deck {
    work: Work,
    finished: bool,
}

enum Work {
    Record(Recorder, PathBuf),
    Replay(ReplayTransport),
}

impl Deck {
    /// The transport for the client: to the service and back through the recorder, or to the recording.
    ///
    /// The base URL of the client has the same path for both; the host matters only to the service.
    ///
    /// ```
    /// # use leadapi_client::{Client, testkit::cassette::Cassette, transport::Reqwest};
    /// # let path = std::env::temp_dir().join(format!("leadapi-{}-transport.har", std::process::id()));
    /// # Cassette::parse(r#"{"log": {"entries": []}}"#)?.save(&path)?;
    /// let deck = Cassette::open(&path).around(Reqwest::new()?)?;
    /// let client = Client::builder("https://api.example.com/v1", "pak_0123").transport(deck.transport())?;
    /// # deck.finish()?;
    /// # std::fs::remove_file(path)?;
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// ```
    pub fn transport(&self) -> Arc<dyn Transport> {
        match &self.work {
            Work::Record(recorder, _) => Arc::new(recorder.clone()),
            Work::Replay(replay) => Arc::new(replay.clone()),
        }
    }

    /// Whether it speaks with the service.
    ///
    /// ```
    /// # use leadapi_client::{testkit::cassette::Cassette, transport::Reqwest};
    /// # let path = std::env::temp_dir().join(format!("leadapi-{}-records.har", std::process::id()));
    /// # Cassette::parse(r#"{"log": {"entries": []}}"#)?.save(&path)?;
    /// let deck = Cassette::open(&path).around(Reqwest::new()?)?;
    /// assert!(!deck.is_recording());
    /// # deck.finish()?;
    /// # std::fs::remove_file(path)?;
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// ```
    pub const fn is_recording(&self) -> bool {
        matches!(self.work, Work::Record(..))
    }

    /// Saves what was recorded, or says whether the recording was replayed faithfully and to its end.
    ///
    /// ```
    /// # use leadapi_client::{testkit::cassette::Cassette, transport::Reqwest};
    /// # let path = std::env::temp_dir().join(format!("leadapi-{}-finish.har", std::process::id()));
    /// # let har = r#"{"log": {"entries": [{"request": {"method": "GET", "url": "/v1/clients"}, "response": {"status": 500}}]}}"#;
    /// # Cassette::parse(har)?.save(&path)?;
    /// let deck = Cassette::open(&path).around(Reqwest::new()?)?;
    /// let error = deck.finish().unwrap_err();
    /// assert!(error.to_string().ends_with("entry 1 (GET /v1/clients) was never asked for"));
    /// # std::fs::remove_file(path)?;
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`Recorder::cassette`] and [`Cassette::save`], or of [`ReplayTransport::verify`].
    pub fn finish(mut self) -> Result<(), CassetteError> {
        self.finished = true;
        match &self.work {
            Work::Record(recorder, path) => recorder.cassette()?.save(path),
            Work::Replay(replay) => replay.verify(),
        }
    }
}

impl Drop for Deck {
    #[expect(clippy::panic, reason = "a test that forgets to finish would save nothing, and nobody would know")]
    fn drop(&mut self) {
        // A replay looks after itself.
        if let (Work::Record(_, path), false) = (&self.work, self.finished || thread::panicking()) {
            panic!("{} is not saved, because its recording was not finished", path.display());
        }
    }
}

impl fmt::Debug for Deck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Deck").field("is_recording", &self.is_recording()).finish_non_exhaustive()
    }
}
