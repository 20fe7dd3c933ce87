//! Parses a server's URL and replaces its database and, if needed, its address.

/// A URL of the form `scheme://login@address/…?options`.
#[derive(Debug, Clone)]
pub(super) struct ServerUrl {
    scheme: String,
    login: String,
    pub(super) address: String,
    options: String,
}

impl ServerUrl {
    pub(super) fn parse(url: &str) -> Self {
        let (scheme, rest) = url.split_once("://").expect("a URL that begins with postgres://");
        let (rest, options) = rest.split_once('?').unwrap_or((rest, ""));
        let authority = rest.split('/').next().unwrap_or_default();
        let (login, address) = authority.rsplit_once('@').unwrap_or(("", authority));
        let has_port = address.rsplit(']').next().is_some_and(|end| end.contains(':'));
        let address = if has_port { address.into() } else { format!("{address}:5432") };
        Self { scheme: scheme.into(), login: login.into(), address, options: options.into() }
    }

    /// Returns the URL of a database at this address, which may be a proxy's address.
    pub(super) fn of(&self, database: &str, address: &str) -> String {
        let Self { scheme, login, options, .. } = self;
        let at = if login.is_empty() { "" } else { "@" };
        let mark = if options.is_empty() { "" } else { "?" };
        format!("{scheme}://{login}{at}{address}/{database}{mark}{options}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_keeps_everything_but_database_and_address() {
        for (given, expected) in [
            ("postgres://h:1/a", "postgres://p:2/b"),
            ("postgresql://u:p%40@h", "postgresql://u:p%40@p:2/b"),
            ("postgres://u@h/a?sslmode=disable", "postgres://u@p:2/b?sslmode=disable"),
        ] {
            assert_eq!(ServerUrl::parse(given).of("b", "p:2"), expected);
        }
        for (given, address) in [("h", "h:5432"), ("h:1", "h:1"), ("[::1]", "[::1]:5432"), ("[::1]:1", "[::1]:1")] {
            assert_eq!(ServerUrl::parse(&format!("postgres://u:p@{given}/a")).address, address);
        }
    }
}
