//! Opens a cassette for recording or replaying, depending on the mode.

use std::{env, fmt, path::PathBuf, sync::Arc, thread};

use http::HeaderName;

use super::{Cassette, CassetteError, Recorder, ReplayTransport, rules::Rules};
use leadapi_client::transport::Transport;

/// The mode of a session, which decides whether the session replays a cassette or records one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Mode {
    /// Replays the recording. The service receives no requests.
    Replay,
    /// Sends the requests to the service and overwrites the recording.
    Record,
    /// Replays the recording if the file exists, and records it otherwise.
    ///
    /// An existing recording is never extended, because the leads created during that recording may no longer exist in
    /// the service.
    RecordMissing,
}

/// Options for opening a cassette. Created by [`Cassette::open`]; [`wrap`](Self::wrap) opens the cassette.
#[must_use = "options do nothing until they wrap a transport"]
#[derive(Debug)]
pub struct OpenOptions {
    path: PathBuf,
    mode: Result<Mode, CassetteError>,
    rules: Result<Rules, CassetteError>,
    any_order: bool,
}

impl OpenOptions {
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path, mode: Ok(Mode::Replay), rules: Ok(Rules::default()), any_order: false }
    }

    /// Sets the mode. The default is [`Mode::Replay`].
    ///
    /// ```
    /// # use leadapi_testkit::cassette::{Cassette, Mode};
    /// let options = Cassette::open("tests/cassettes/tour.har").mode(Mode::RecordMissing);
    /// # drop(options);
    /// ```
    pub fn mode(mut self, mode: Mode) -> Self {
        self.mode = Ok(mode);
        self
    }

    /// Reads the mode from the `LEADAPI_CASSETTE` environment variable: `replay`, `record` or `record-missing`. If the
    /// variable is unset or empty, the mode is `replay`.
    ///
    /// ```
    /// # use leadapi_testkit::cassette::Cassette;
    /// let options = Cassette::open("tests/cassettes/tour.har").mode_from_env();
    /// # drop(options);
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

    /// Same as [`Recorder::redact`].
    ///
    /// ```
    /// # use leadapi_testkit::cassette::Cassette;
    /// let options = Cassette::open("tests/cassettes/tour.har").redact("email").redact("phone");
    /// # drop(options);
    /// ```
    pub fn redact(mut self, field: &str) -> Self {
        if let Ok(rules) = &mut self.rules {
            rules.redact(field);
        }
        self
    }

    /// Same as [`Recorder::keep_personal_data`].
    ///
    /// ```
    /// # use leadapi_testkit::cassette::Cassette;
    /// let options = Cassette::open("tests/cassettes/tour.har").keep_personal_data();
    /// # drop(options);
    /// ```
    pub fn keep_personal_data(mut self) -> Self {
        if let Ok(rules) = &mut self.rules {
            rules.keep_personal_data = true;
        }
        self
    }

    /// Same as [`Recorder::keep_ids`].
    ///
    /// ```
    /// # use leadapi_testkit::cassette::Cassette;
    /// let options = Cassette::open("tests/cassettes/tour.har").keep_ids();
    /// # drop(options);
    /// ```
    pub fn keep_ids(mut self) -> Self {
        if let Ok(rules) = &mut self.rules {
            rules.keep_ids = true;
        }
        self
    }

    /// Same as [`Recorder::keep_header`], except that [`wrap`](Self::wrap) returns the error if the header must not be
    /// recorded.
    ///
    /// ```
    /// # use leadapi_testkit::cassette::Cassette;
    /// let options = Cassette::open("tests/cassettes/tour.har").keep_header(http::header::CACHE_CONTROL);
    /// # drop(options);
    /// ```
    pub fn keep_header(mut self, name: HeaderName) -> Self {
        self.rules = self.rules.and_then(|mut rules| rules.keep_header(name).map(|()| rules));
        self
    }

    /// Same as [`Cassette::any_order`].
    ///
    /// ```
    /// # use leadapi_testkit::cassette::Cassette;
    /// let options = Cassette::open("tests/cassettes/tour.har").any_order();
    /// # drop(options);
    /// ```
    pub const fn any_order(mut self) -> Self {
        self.any_order = true;
        self
    }

    /// Opens the cassette and wraps a transport to the service. In replay mode, the transport is not used.
    ///
    /// ```
    /// use leadapi_client::{Client, model::Window, transport::{InProcess, Reqwest}};
    /// use leadapi_testkit::cassette::{Cassette, Recorder};
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/client/support.rs")); }
    /// # futures_executor::block_on(async {
    /// # let (service, token) = support::service();
    /// # let path = std::env::temp_dir().join(format!("leadapi-{}-wrap.har", std::process::id()));
    /// # let recorder = Recorder::new(InProcess::new(service));
    /// # let client = Client::builder("http://in-process/v1", token).transport(recorder.clone()).build()?;
    /// # client.client_accounts().list(Window::default()).await?;
    /// # recorder.cassette()?.save(&path)?;
    ///
    /// let session = Cassette::open(&path).wrap(Reqwest::new()?)?;
    /// let client = Client::builder("https://api.example.com/v1", "pak_0123").transport(session.transport()).build()?;
    /// assert_eq!(client.client_accounts().list(Window::default()).await?.total, 2);
    /// session.finish()?;
    /// # std::fs::remove_file(path)?;
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`CassetteError::UnknownMode`] or [`CassetteError::SecretHeader`] if an option is invalid, and
    /// [`CassetteError::RecordingInCi`] if the session would record in CI. If the session replays, also returns the
    /// same errors as [`Cassette::load`].
    pub fn wrap(self, transport: impl Transport) -> Result<CassetteSession, CassetteError> {
        let Self { path, mode, rules, any_order } = self;
        let (mode, rules) = (mode?, rules?);
        let records = mode == Mode::Record || (mode == Mode::RecordMissing && !path.exists());
        if records && env::var_os("CI").is_some_and(|ci| !ci.is_empty()) {
            return Err(CassetteError::RecordingInCi { path });
        }
        let state = if records {
            State::Record(Recorder::with(transport, rules), path)
        } else {
            let cassette = Cassette::load(path)?;
            State::Replay(if any_order { cassette.any_order() } else { cassette }.transport())
        };
        Ok(CassetteSession { state, finished: false })
    }
}

/// A cassette that is being recorded or replayed. Created by [`OpenOptions::wrap`].
///
/// Dropping a session without calling [`finish`](Self::finish) panics if the session is recording, or if its replay
/// does not match. Dropping does not panic if the test is already panicking. An unfinished recording is not saved, so a
/// failing test does not overwrite a valid recording.
pub struct CassetteSession {
    state: State,
    finished: bool,
}

enum State {
    Record(Recorder, PathBuf),
    Replay(ReplayTransport),
}

impl CassetteSession {
    /// Returns the transport for the client. It either records traffic to the service or replays the cassette.
    ///
    /// The client's base URL must have the same path in both modes. A replay ignores the host.
    ///
    /// ```
    /// # use leadapi_client::{Client, transport::Reqwest};
    /// # use leadapi_testkit::cassette::Cassette;
    /// # let path = std::env::temp_dir().join(format!("leadapi-{}-transport.har", std::process::id()));
    /// # Cassette::parse(r#"{"log": {"entries": []}}"#)?.save(&path)?;
    /// let session = Cassette::open(&path).wrap(Reqwest::new()?)?;
    /// let client = Client::builder("https://api.example.com/v1", "pak_0123").transport(session.transport()).build()?;
    /// # session.finish()?;
    /// # std::fs::remove_file(path)?;
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// ```
    pub fn transport(&self) -> Arc<dyn Transport> {
        match &self.state {
            State::Record(recorder, _) => Arc::new(recorder.clone()),
            State::Replay(replay) => Arc::new(replay.clone()),
        }
    }

    /// Returns whether the session is recording.
    ///
    /// ```
    /// # use leadapi_client::transport::Reqwest;
    /// # use leadapi_testkit::cassette::Cassette;
    /// # let path = std::env::temp_dir().join(format!("leadapi-{}-records.har", std::process::id()));
    /// # Cassette::parse(r#"{"log": {"entries": []}}"#)?.save(&path)?;
    /// let session = Cassette::open(&path).wrap(Reqwest::new()?)?;
    /// assert!(!session.is_recording());
    /// # session.finish()?;
    /// # std::fs::remove_file(path)?;
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// ```
    pub const fn is_recording(&self) -> bool {
        matches!(self.state, State::Record(..))
    }

    /// Saves the recording, or checks that all requests matched the recording and all entries were requested.
    ///
    /// ```
    /// # use leadapi_client::transport::Reqwest;
    /// # use leadapi_testkit::cassette::Cassette;
    /// # let path = std::env::temp_dir().join(format!("leadapi-{}-finish.har", std::process::id()));
    /// # let har = r#"{"log": {"entries": [{"request": {"method": "GET", "url": "/v1/clients"}, "response": {"status": 500}}]}}"#;
    /// # Cassette::parse(har)?.save(&path)?;
    /// let session = Cassette::open(&path).wrap(Reqwest::new()?)?;
    /// let error = session.finish().unwrap_err();
    /// assert!(error.to_string().ends_with("entry 1 (GET /v1/clients) was not requested"));
    /// # std::fs::remove_file(path)?;
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// When recording, returns the same errors as [`Recorder::cassette`] and [`Cassette::save`]. When replaying,
    /// returns the same errors as [`ReplayTransport::verify`].
    pub fn finish(mut self) -> Result<(), CassetteError> {
        self.finished = true;
        match &self.state {
            State::Record(recorder, path) => recorder.cassette()?.save(path),
            State::Replay(replay) => replay.verify(),
        }
    }
}

impl Drop for CassetteSession {
    #[expect(clippy::panic, reason = "an unfinished recording would silently save nothing")]
    fn drop(&mut self) {
        // In replay mode, the player verifies itself on drop.
        if let (State::Record(_, path), false) = (&self.state, self.finished || thread::panicking()) {
            panic!("the recording {} was not saved; call finish() at the end of the test", path.display());
        }
    }
}

impl fmt::Debug for CassetteSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CassetteSession").field("is_recording", &self.is_recording()).finish_non_exhaustive()
    }
}
