//! PostgreSQL URLs, including the parameters that the driver does not support.

use std::{borrow::Cow, fmt::Write};

use percent_encoding::percent_decode_str;
use tokio_postgres::{
    Config,
    config::{Host, TargetSessionAttrs},
};

use super::tls::{Sslmode, TlsError};

/// The connection settings parsed from a URL.
#[derive(Debug)]
pub(super) struct Target {
    pub(super) config: Config,
    pub(super) sslmode: Sslmode,
    pub(super) session: SessionAttrs,
}

/// The kind of host to connect to (`target_session_attrs`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SessionAttrs {
    /// The first host that responds.
    Any,
    /// A host that accepts writes.
    ReadWrite,
    /// A host that is not a standby.
    Primary,
}

/// The reason a URL is rejected. Messages never include a part of the URL that may contain a password.
#[derive(Debug, thiserror::Error)]
pub(crate) enum InvalidUrl {
    #[error(
        "the user and the password in the URL must be percent-encoded: write / as %2F, ? as %3F, # as %23, @ as %40"
    )]
    Reserved,
    #[error("target_session_attrs={0} selects servers that do not accept writes: use any, read-write or primary")]
    ReadOnly(String),
    #[error("target_session_attrs must be any, read-write or primary")]
    SessionAttrs,
    #[error("invalid URL: it must have the form postgres://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=require")]
    Syntax,
    #[error(transparent)]
    Tls(#[from] TlsError),
}

impl Target {
    /// Parses a URL. The driver does not support `sslrootcert`, and supports fewer values of `sslmode` and
    /// `target_session_attrs` than libpq, so all three are removed from the URL first.
    pub(super) fn parse(url: &str) -> Result<Self, InvalidUrl> {
        let (before, query) = split_query(url)?;
        let (mut mode, mut root, mut session, mut kept) = (None, None, None, Vec::new());
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').ok_or(InvalidUrl::Syntax)?;
            let value = decoded(value)?;
            match &*decoded(name)? {
                "sslmode" => mode = Some(value),
                "sslrootcert" => root = Some(value),
                "target_session_attrs" => session = Some(value),
                _ => kept.push(pair),
            }
        }
        let url = if kept.is_empty() { before.to_owned() } else { format!("{before}?{}", kept.join("&")) };
        // The driver's message may contain the part of the URL that it could not parse.
        let mut config: Config = url.parse().map_err(|_| InvalidUrl::Syntax)?;
        let sslmode = Sslmode::new(mode.as_deref(), root.as_deref())?;
        config.ssl_mode(sslmode.for_driver());
        let session = session.map_or(Ok(SessionAttrs::default_of(&config)), |text| SessionAttrs::parse(&text))?;
        config.target_session_attrs(session.for_driver());
        if config.get_application_name().is_none() {
            config.application_name("leadapi");
        }
        Ok(Self { config, sslmode, session })
    }
}

impl SessionAttrs {
    /// Returns the default. With several hosts, some are probably standbys, so only hosts that accept writes are
    /// suitable.
    fn default_of(config: &Config) -> Self {
        let hosts = config.get_hosts().len().max(config.get_hostaddrs().len());
        if hosts > 1 { Self::ReadWrite } else { Self::Any }
    }

    fn parse(text: &str) -> Result<Self, InvalidUrl> {
        match text {
            "any" => Ok(Self::Any),
            "read-write" => Ok(Self::ReadWrite),
            "primary" => Ok(Self::Primary),
            "read-only" | "standby" | "prefer-standby" => Err(InvalidUrl::ReadOnly(text.to_owned())),
            _ => Err(InvalidUrl::SessionAttrs),
        }
    }

    const fn for_driver(self) -> TargetSessionAttrs {
        match self {
            Self::Any | Self::Primary => TargetSessionAttrs::Any,
            Self::ReadWrite => TargetSessionAttrs::ReadWrite,
        }
    }
}

/// Splits a URL at the question mark.
///
/// The driver ends the password at the first `@`, but libpq may end it elsewhere. URLs that the two could parse
/// differently are rejected.
fn split_query(url: &str) -> Result<(&str, &str), InvalidUrl> {
    let (_, rest) = url.split_once("//").ok_or(InvalidUrl::Syntax)?;
    if let Some((credentials, _)) = rest.rsplit_once('@')
        && credentials.contains(['/', '?', '#', '@'])
    {
        return Err(InvalidUrl::Reserved);
    }
    if url.contains('#') {
        return Err(InvalidUrl::Syntax);
    }
    Ok(url.split_once('?').unwrap_or((url, "")))
}

fn decoded(text: &str) -> Result<Cow<'_, str>, InvalidUrl> {
    percent_decode_str(text).decode_utf8().map_err(|_| InvalidUrl::Syntax)
}

/// Formats a URL without secrets, showing only hosts, ports and the database name. For an invalid URL, shows only the
/// scheme.
pub(crate) fn redacted(url: &str) -> String {
    let Ok(Target { config, .. }) = Target::parse(url) else { return "postgres://…".to_owned() };
    let mut redacted = "postgres://".to_owned();
    for (nth, host) in config.get_hosts().iter().enumerate() {
        let host = match host {
            Host::Tcp(host) => host.clone(),
            #[cfg(unix)]
            Host::Unix(path) => path.display().to_string(),
        };
        let port = config.get_ports().get(nth).or(config.get_ports().first()).map(|port| format!(":{port}"));
        let comma = if nth == 0 { "" } else { "," };
        // Writing to a string cannot fail.
        write!(redacted, "{comma}{host}{}", port.unwrap_or_default()).unwrap_or_default();
    }
    format!("{redacted}/{}", config.get_dbname().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sslmode(mode: &str) -> Sslmode {
        Sslmode::new(Some(mode), None).unwrap()
    }

    /// Covers each ASCII character, raw and percent-encoded, at the start, in the middle and at the end of a password.
    #[test]
    fn no_character_in_a_password_weakens_tls_or_reveals_it() {
        for byte in 0..=127_u8 {
            for (character, is_raw) in [(char::from(byte).to_string(), true), (format!("%{byte:02X}"), false)] {
                for password in
                    [format!("{character}CANARY"), format!("CAN{character}ARY"), format!("CANARY{character}")]
                {
                    for mode in ["require", "verify-full"] {
                        let url = format!("postgres://u:{password}@h:5433/d?sslmode={mode}&connect_timeout=3");
                        let redacted = redacted(&url);
                        assert!(!redacted.contains("CAN") && !redacted.contains("ARY"), "{url}: {redacted}");
                        match Target::parse(&url) {
                            Ok(target) => {
                                let expected: Vec<u8> = percent_decode_str(&password).collect();
                                assert_eq!(target.sslmode, sslmode(mode), "{url}");
                                assert_eq!(target.config.get_password(), Some(&expected[..]), "{url}");
                                assert_eq!(target.config.get_hosts(), [Host::Tcp("h".into())], "{url}");
                                assert_eq!(redacted, "postgres://h:5433/d");
                            }
                            Err(error) => {
                                assert!(is_raw && "/?#@%".contains(&character), "{url}: {error}");
                                assert!(!format!("{error} {error:?}").contains("CAN"), "{error}");
                            }
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn errors_for_invalid_urls_do_not_contain_them() {
        for url in
            ["postgres://u:CANARY/d", "postgres://u:CANARY", "postgres://u:p@h/d?CANARY", "postgres://h/d?a=CANARY"]
        {
            let error = Target::parse(url).unwrap_err();
            assert!(!format!("{} {error} {error:?}", redacted(url)).contains("CANARY"), "{url}");
        }
    }

    #[test]
    fn the_last_sslmode_takes_effect_in_any_encoding() {
        for query in ["sslmode=require", "ssl%6Dode=require", "sslmode=%72equire", "sslmode=disable&sslmode=require"] {
            let target = Target::parse(&format!("postgres://h/d?{query}")).unwrap();
            assert_eq!(target.sslmode, sslmode("require"), "{query}");
        }
    }

    #[test]
    fn several_hosts_require_one_that_accepts_writes() {
        let session = |url: &str| Target::parse(url).map(|target| target.session);
        assert_eq!(session("postgres://h/d").unwrap(), SessionAttrs::Any);
        assert_eq!(session("postgres://h1,h2/d").unwrap(), SessionAttrs::ReadWrite);
        for (name, wanted) in
            [("any", SessionAttrs::Any), ("read-write", SessionAttrs::ReadWrite), ("primary", SessionAttrs::Primary)]
        {
            assert_eq!(session(&format!("postgres://h1,h2/d?target_session_attrs={name}")).unwrap(), wanted);
        }
        for name in ["read-only", "standby", "prefer-standby"] {
            let error = session(&format!("postgres://h/d?target_session_attrs={name}")).unwrap_err();
            assert!(error.to_string().contains("do not accept writes"), "{error}");
        }
        assert!(session("postgres://h/d?target_session_attrs=best").is_err());
    }

    #[test]
    fn the_redacted_url_has_hosts_and_ports() {
        assert_eq!(redacted("postgres://u:p@h1:1,h2:2/d?sslmode=require"), "postgres://h1:1,h2:2/d");
        assert_eq!(redacted("postgresql://h1/d"), "postgres://h1:5432/d");
    }
}
