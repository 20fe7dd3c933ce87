//! Loading, parsing and saving cassettes.

use std::{ffi::OsString, fs, path::Path};

use leadapi_core::text::contains_token;

use super::{Cassette, CassetteError, har::Har, writer};

impl Cassette {
    /// Reads a cassette saved by [`save`](Self::save), or a HAR file written by a browser or a proxy.
    ///
    /// ```
    /// use leadapi_testkit::cassette::Cassette;
    ///
    /// let error = Cassette::load("no/such.har").unwrap_err();
    /// assert!(error.to_string().starts_with("the cassette no/such.har cannot be read"));
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`CassetteError::Read`] if the file cannot be read, and any error that [`parse`](Self::parse) returns.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, CassetteError> {
        Self::load_only(path, "")
    }

    /// Reads only the entries whose URL starts with `url`. Use this method for a file from a browser. Browsers record
    /// all their traffic, and entries for other sites may not be replayable.
    ///
    /// ```
    /// use leadapi_testkit::cassette::{Cassette, CassetteError};
    ///
    /// let error = Cassette::load_only("no/such.har", "https://api.example.com/v1/").unwrap_err();
    /// assert!(matches!(error, CassetteError::Read { .. }));
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`load`](Self::load).
    pub fn load_only(path: impl AsRef<Path>, url: &str) -> Result<Self, CassetteError> {
        let path = path.as_ref();
        let read = fs::read_to_string(path);
        let text = read.map_err(|source| CassetteError::Read { path: path.to_owned(), source })?;
        Self::named(path.display().to_string(), &text, url)
    }

    /// Parses the text of a HAR file.
    ///
    /// Unknown fields are ignored, and fields that a replay does not need may be missing. CORS preflights and cancelled
    /// requests are skipped.
    ///
    /// ```
    /// use leadapi_testkit::cassette::Cassette;
    ///
    /// let har = r#"{"log": {"entries": [{"request": {"method": "GET", "url": "/v1/clients"}, "response": {"status": 500}}]}}"#;
    /// assert_eq!(Cassette::parse(har)?.len(), 1);
    /// assert_eq!(Cassette::parse("[]").unwrap_err().to_string(), "the cassette is not a HAR file");
    /// # Ok::<(), leadapi_testkit::cassette::CassetteError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`CassetteError::NotHar`] if the text is not a HAR file. Returns [`CassetteError::InvalidEntry`] for the
    /// first entry that cannot be replayed, with the reason. The reason may be a missing body, a body that is still
    /// compressed, an unknown encoding, or a base path that differs from the base path of the earlier entries.
    pub fn parse(text: &str) -> Result<Self, CassetteError> {
        Self::named("the cassette".to_owned(), text, "")
    }

    fn named(name: String, text: &str, url: &str) -> Result<Self, CassetteError> {
        // Some programs start the file with a byte order mark.
        match serde_json::from_str::<Har>(text.trim_start_matches('\u{feff}')) {
            Ok(mut har) => {
                har.log.entries.retain(|entry| entry.request.url.starts_with(url));
                Self::new(name, har)
            }
            Err(source) => Err(CassetteError::NotHar { name, source }),
        }
    }

    /// Returns the cassette as HAR text.
    ///
    /// ```
    /// # use leadapi_testkit::cassette::Cassette;
    /// let har = r#"{"log": {"entries": [{"request": {"method": "GET", "url": "/v1/clients"},
    ///     "response": {"status": 401, "content": {"text": "{\"error\": \"invalid token: pak_0123\"}"}}}]}}"#;
    /// let error = Cassette::parse(har)?.to_har().unwrap_err();
    /// let sentence = "not saved: the response body of entry 1 (GET) contains what looks like a token (pak_…)";
    /// assert_eq!(error.to_string(), sentence);
    /// # Ok::<(), leadapi_testkit::cassette::CassetteError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`CassetteError::Token`] if any part of the cassette contains text that looks like a token.
    pub fn to_har(&self) -> Result<String, CassetteError> {
        for (entry, nth) in self.har.log.entries.iter().zip(1..) {
            if let Some((part, _)) = writer::parts(entry).find(|(_, text)| contains_token(text.as_bytes())) {
                return Err(CassetteError::Token { location: writer::location(nth, &entry.request.method, part) });
            }
        }
        let text = serde_json::to_string_pretty(&self.har);
        let mut text = text.map_err(|source| CassetteError::NotHar { name: self.name.clone(), source })?;
        text.push('\n');
        Ok(text)
    }

    /// Writes the cassette to a file, creating missing directories. An existing file is replaced atomically.
    ///
    /// ```
    /// # use leadapi_testkit::cassette::Cassette;
    /// let path = std::env::temp_dir().join(format!("leadapi-{}/empty.har", std::process::id()));
    /// Cassette::parse(r#"{"log": {"entries": []}}"#)?.save(&path)?;
    /// assert!(Cassette::load(&path)?.is_empty());
    /// # std::fs::remove_dir_all(path.parent().unwrap()).unwrap();
    /// # Ok::<(), leadapi_testkit::cassette::CassetteError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`CassetteError::Write`] if the file cannot be written, and any error that [`to_har`](Self::to_har)
    /// returns.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), CassetteError> {
        let (path, text) = (path.as_ref(), self.to_har()?);
        let mut temporary = OsString::from(path);
        temporary.push(".tmp");
        let directory = path.parent().map_or(Ok(()), fs::create_dir_all);
        let written = directory.and_then(|()| fs::write(&temporary, text)).and_then(|()| fs::rename(&temporary, path));
        written.map_err(|source| CassetteError::Write { path: path.to_owned(), source })
    }
}
