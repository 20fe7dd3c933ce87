//! The base URL of all requests. The client sends the token only to the origin of this URL.

use http::Uri;
use percent_encoding::percent_decode_str;

/// A base URL: an origin and a base path, without a trailing slash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BaseUrl(String);

/// The maximum length of a base URL. It leaves room for the path and query within the maximum length of a URI.
const MAX_BYTES: usize = 2_048;

impl BaseUrl {
    /// Parses a base URL. The error states the rule that the URL breaks, but never quotes the URL, which may contain a
    /// password.
    pub(crate) fn parse(text: &str) -> Result<Self, &'static str> {
        let text = text.trim_end_matches('/');
        if text.len() > MAX_BYTES {
            return Err("is too long");
        }
        if text.contains(['?', '#']) {
            return Err("must have neither a query nor a fragment");
        }
        let uri: Uri = text.parse().map_err(|_| "is not a URL such as https://example.com/v1")?;
        if !matches!(uri.scheme_str(), Some("http" | "https")) {
            return Err("must start with http:// or https://");
        }
        let authority = uri.authority().map_or("", http::uri::Authority::as_str);
        if authority.contains('@') {
            return Err("must not contain a user name or a password");
        }
        if authority.is_empty() || uri.host().is_none_or(str::is_empty) {
            return Err("must have a host");
        }
        // URL parsers rewrite these paths, so requests would go to a different path.
        if uri.path().contains('\\') || uri.path().split('/').any(is_dot_segment) {
            return Err("must not contain backslashes, or . or .. as a path segment");
        }
        Ok(Self(text.to_owned()))
    }

    /// Appends a path and query to the base URL.
    pub(crate) fn join(&self, path_and_query: &str) -> String {
        format!("{}{path_and_query}", self.0)
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// Returns whether a path segment is `.` or `..`, percent-encoded or not. URL parsers remove such segments.
fn is_dot_segment(segment: &str) -> bool {
    matches!(&*percent_decode_str(segment).decode_utf8_lossy(), "." | "..")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_http_urls_without_credentials_are_valid() {
        for (good, joined) in [
            ("http://127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1/leads"),
            ("https://api.example.com/v1/", "https://api.example.com/v1/leads"),
            ("HTTPS://api.example.com", "HTTPS://api.example.com/leads"),
            ("http://[::1]:8080/a/b", "http://[::1]:8080/a/b/leads"),
        ] {
            assert_eq!(BaseUrl::parse(good).map(|base| base.join("/leads")), Ok(joined.to_owned()));
        }
        for (bad, word) in [
            ("", "is not a URL"),
            ("/v1", "http://"),
            ("example.com", "http://"),
            ("ftp://example.com", "http://"),
            ("http://", "http://"),
            ("http://ex ample.com", "URL"),
            ("http://user:secret@example.com/v1", "password"),
            ("http://example.com/v1?x=1", "query"),
            ("http://example.com/v1#x", "fragment"),
            ("http://example.com/a/../v1", ".."),
            ("http://example.com/a/%2E%2e/v1", ".."),
            ("http://example.com/a/./v1", ".."),
            ("http://example.com/a\\v1", "backslashes"),
            (&format!("http://example.com/{}", "x".repeat(2_048)), "too long"),
        ] {
            let rule = BaseUrl::parse(bad).unwrap_err();
            assert!(rule.contains(word) && !rule.contains("secret"), "{bad}: {rule}");
        }
    }
}
