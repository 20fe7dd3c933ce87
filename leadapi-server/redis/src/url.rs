//! Redis URLs.

use std::{fmt, str::FromStr};

use percent_encoding::percent_decode_str;

use super::address::Address;

/// The reason why a string is not a Redis URL. Messages contain no part of the URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidRedisUrl {
    /// The scheme is missing or unknown.
    #[error(
        "must be redis://[USER:PASSWORD@]HOST[:PORT][/DATABASE], rediss:// for TLS, or \
         redis+sentinel://[USER:PASSWORD@]HOST[:PORT],…/SERVICE[/DATABASE]"
    )]
    Scheme,
    /// The user or password is not correctly percent-encoded, or the password is missing.
    #[error(
        "must have credentials of the form USER:PASSWORD@ or :PASSWORD@, percent-encoded: write / as %2F, ? as %3F, # \
         as %23, @ as %40, : as %3A"
    )]
    Credentials,
    /// A host or port is invalid.
    #[error("must have hosts of the form HOST or HOST:PORT")]
    Host,
    /// There are several hosts, but they are not Sentinels.
    #[error("must have exactly one host, unless it starts with redis+sentinel://")]
    SeveralHosts,
    /// The name of the service that the Sentinels monitor is missing or invalid.
    #[error("must name the service after the Sentinel hosts: /SERVICE or /SERVICE/DATABASE")]
    Service,
    /// The database number is invalid.
    #[error("must end with the number of the database, such as /0, or without a path")]
    Database,
    /// There is a parameter that the scheme does not allow.
    #[error("must have no parameters (only redis+sentinel:// allows sentinel_user and sentinel_password)")]
    Parameter,
}

/// The location of a Redis or Valkey server: `redis://[USER:PASSWORD@]HOST[:PORT][/DATABASE]`.
///
/// `rediss://` selects TLS with the certificate authorities of the system.
///
/// `redis+sentinel://[USER:PASSWORD@]HOST[:PORT],…/SERVICE[/DATABASE]` asks Sentinels for the master of a service.
/// `rediss+sentinel://` connects to the Sentinels and to the master over TLS. The credentials before the hosts are for
/// Redis. Pass the credentials for the Sentinels in the parameters `sentinel_user` and `sentinel_password`.
///
/// `Debug` and `Display` never show a user or a password.
///
/// ```
/// use leadapi_redis::RedisUrl;
///
/// let url: RedisUrl = "rediss://leadapi:secret@redis.example/1".parse()?;
/// assert_eq!(url.to_string(), "rediss://redis.example:6379/1");
/// # Ok::<(), leadapi_redis::InvalidRedisUrl>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct RedisUrl {
    pub(super) tls: bool,
    pub(super) credentials: Option<Credentials>,
    /// The server, or the Sentinels.
    pub(super) hosts: Vec<Address>,
    pub(super) sentinel: Option<Sentinel>,
    pub(super) database: u32,
}

/// The service that the Sentinels monitor, and the credentials that they require.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Sentinel {
    pub(super) service: String,
    pub(super) credentials: Option<Credentials>,
}

/// A password, and the user it belongs to. Does not implement `Debug`, which could reveal the password.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Credentials {
    /// `None` for the default user of Redis.
    pub(super) user: Option<String>,
    pub(super) password: String,
}

const REDIS_PORT: u16 = 6379;
const SENTINEL_PORT: u16 = 26379;

impl FromStr for RedisUrl {
    type Err = InvalidRedisUrl;

    fn from_str(text: &str) -> Result<Self, InvalidRedisUrl> {
        let (scheme, rest) = text.split_once("://").ok_or(InvalidRedisUrl::Scheme)?;
        let (tls, is_sentinel) = match scheme {
            "redis" => (false, false),
            "rediss" => (true, false),
            "redis+sentinel" => (false, true),
            "rediss+sentinel" => (true, true),
            _ => return Err(InvalidRedisUrl::Scheme),
        };
        let (credentials, rest) = match rest.rsplit_once('@') {
            Some((credentials, rest)) => (Some(Credentials::parse(credentials)?), rest),
            None => (None, rest),
        };
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (hosts, path) = rest.split_once('/').unwrap_or((rest, ""));
        let default_port = if is_sentinel { SENTINEL_PORT } else { REDIS_PORT };
        let hosts = hosts.split(',').map(|host| Address::parse(host, default_port).ok_or(InvalidRedisUrl::Host));
        let hosts = hosts.collect::<Result<Vec<_>, _>>()?;
        if hosts.len() > 1 && !is_sentinel {
            return Err(InvalidRedisUrl::SeveralHosts);
        }
        let (sentinel, database) = if is_sentinel {
            let (service, database) = path.split_once('/').unwrap_or((path, ""));
            (Some(Sentinel::parse(service, query)?), database)
        } else if query.is_empty() {
            (None, path)
        } else {
            return Err(InvalidRedisUrl::Parameter);
        };
        let database = if database.is_empty() { Ok(0) } else { database.parse() };
        Ok(Self { tls, credentials, hosts, sentinel, database: database.map_err(|_| InvalidRedisUrl::Database)? })
    }
}

impl Credentials {
    fn parse(text: &str) -> Result<Self, InvalidRedisUrl> {
        // Programs disagree on where a password with such a character ends.
        if text.contains(['/', '?', '#', '@']) {
            return Err(InvalidRedisUrl::Credentials);
        }
        match text.split_once(':') {
            Some((user, password)) if !password.contains(':') => Self::decode(user, password),
            _ => Err(InvalidRedisUrl::Credentials),
        }
    }

    fn decode(user: &str, password: &str) -> Result<Self, InvalidRedisUrl> {
        let decode = |text| match percent_decode_str(text).decode_utf8() {
            Ok(text) => Ok(text.into_owned()),
            Err(_) => Err(InvalidRedisUrl::Credentials),
        };
        let (user, password) = (decode(user)?, decode(password)?);
        if password.is_empty() {
            return Err(InvalidRedisUrl::Credentials);
        }
        Ok(Self { user: Some(user).filter(|user| !user.is_empty()), password })
    }
}

impl Sentinel {
    fn parse(service: &str, query: &str) -> Result<Self, InvalidRedisUrl> {
        let is_name = |c: char| c.is_ascii_alphanumeric() || ".-_".contains(c);
        if service.is_empty() || !service.chars().all(is_name) {
            return Err(InvalidRedisUrl::Service);
        }
        let (mut user, mut password) = ("", None);
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            match pair.split_once('=') {
                Some(("sentinel_user", value)) => user = value,
                Some(("sentinel_password", value)) => password = Some(value),
                _ => return Err(InvalidRedisUrl::Parameter),
            }
        }
        let credentials = match password {
            Some(password) => Some(Credentials::decode(user, password)?),
            None if user.is_empty() => None,
            None => return Err(InvalidRedisUrl::Credentials),
        };
        Ok(Self { service: service.to_owned(), credentials })
    }
}

impl fmt::Display for RedisUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.tls { "rediss" } else { "redis" })?;
        f.write_str(if self.sentinel.is_some() { "+sentinel://" } else { "://" })?;
        for (nth, host) in self.hosts.iter().enumerate() {
            write!(f, "{}{host}", if nth > 0 { "," } else { "" })?;
        }
        if let Some(sentinel) = &self.sentinel {
            write!(f, "/{}", sentinel.service)?;
        }
        write!(f, "/{}", self.database)
    }
}

impl fmt::Debug for RedisUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RedisUrl({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(url: &str) -> Result<String, InvalidRedisUrl> {
        url.parse::<RedisUrl>().map(|url| url.to_string())
    }

    #[test]
    fn ports_and_databases_have_defaults() {
        for (url, expected) in [
            ("redis://h", "redis://h:6379/0"),
            ("redis://h:1/", "redis://h:1/0"),
            ("rediss://127.0.0.1/15", "rediss://127.0.0.1:6379/15"),
            ("redis://[::1]:7/2", "redis://[::1]:7/2"),
            ("redis://[::1]", "redis://[::1]:6379/0"),
            ("redis+sentinel://a,b:2,[::1]/main", "redis+sentinel://a:26379,b:2,[::1]:26379/main/0"),
            ("rediss+sentinel://a/main/3", "rediss+sentinel://a:26379/main/3"),
        ] {
            assert_eq!(shown(url).as_deref(), Ok(expected), "{url}");
        }
    }

    #[test]
    fn an_invalid_url_is_refused_with_its_rule() {
        for (rule, urls) in [
            (InvalidRedisUrl::Scheme, &["", "redis", "redis:h", "http://h", "unix:///s", "redis-sentinel://h/m"][..]),
            (
                InvalidRedisUrl::Credentials,
                &["redis://p@h", "redis://u:@h", "redis://u:p/@h", "redis://u:a:b@h", "redis://u:%FF@h"],
            ),
            (
                InvalidRedisUrl::Host,
                &["redis://", "redis://:1", "redis://h:", "redis://h:0", "redis://h:x", "redis://::1"],
            ),
            (InvalidRedisUrl::Host, &["redis://h#", "redis+sentinel://a,,b/m", "redis+sentinel:///m"]),
            (InvalidRedisUrl::SeveralHosts, &["redis://a,b/0"]),
            (InvalidRedisUrl::Service, &["redis+sentinel://a", "redis+sentinel://a//0", "redis+sentinel://a/m#"]),
            (InvalidRedisUrl::Database, &["redis://h/x", "redis://h/-1", "redis://h/0/0", "redis+sentinel://a/m/x"]),
            (InvalidRedisUrl::Parameter, &["redis://h?a=b", "redis+sentinel://a/m?db=1"]),
            (InvalidRedisUrl::Credentials, &["redis+sentinel://a/m?sentinel_user=u"]),
        ] {
            for url in urls {
                assert_eq!(shown(url), Err(rule), "{url}");
            }
        }
    }

    #[test]
    fn credentials_are_decoded_and_never_shown() {
        let url: RedisUrl = "redis+sentinel://u%3A:p%40CANARY@h/m?sentinel_password=%2FCANARY".parse().unwrap();
        let credentials = url.credentials.clone().unwrap();
        assert_eq!((credentials.user.as_deref(), &*credentials.password), (Some("u:"), "p@CANARY"));
        let credentials = url.sentinel.clone().unwrap().credentials.unwrap();
        assert_eq!((credentials.user.as_deref(), &*credentials.password), (None, "/CANARY"));
        assert!(!format!("{url} {url:?}").contains("CANARY"), "{url}");
    }
}
