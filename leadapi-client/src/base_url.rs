//! What stands before every path: the one place where requests, and the token with them, may go.

use http::Uri;
use percent_encoding::percent_decode_str;

/// An origin and a base path, without a slash at the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BaseUrl(String);

/// So that with it no request becomes longer than the longest URI.
const MAX_BYTES: usize = 2_048;

impl BaseUrl {
    /// Reads a base URL, or says which rule it breaks; the rule never shows the text, in which a password may stand.
    pub(crate) fn parse(text: &str) -> Result<Self, &'static str> {
        let text = text.trim_end_matches('/');
        if text.len() > MAX_BYTES {
            return Err("is too long");
        }
        if text.contains(['?', '#']) {
            return Err("must have neither a query nor a fragment");
        }
        let uri: Uri = text.parse().map_err(|_| "is no URL, it must be like https://example.com/v1")?;
        if !matches!(uri.scheme_str(), Some("http" | "https")) {
            return Err("must begin with http:// or https://");
        }
        let authority = uri.authority().map_or("", http::uri::Authority::as_str);
        if authority.contains('@') {
            return Err("must not hold a user or a password");
        }
        if authority.is_empty() || uri.host().is_none_or(str::is_empty) {
            return Err("must name a host");
        }
        // What a URL parser would rewrite would send requests elsewhere than the text says.
        if uri.path().contains('\\') || uri.path().split('/').any(is_dots) {
            return Err("must not have backslashes, nor . or .. as a part of its path");
        }
        Ok(Self(text.to_owned()))
    }

    /// The URL of a path and a query below it.
    pub(crate) fn join(&self, path_and_query: &str) -> String {
        format!("{}{path_and_query}", self.0)
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// Whether URL parsers take a segment away, with or without its escapes.
fn is_dots(segment: &str) -> bool {
    matches!(&*percent_decode_str(segment).decode_utf8_lossy(), "." | "..")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_urls() {
        for (good, joined) in [
            ("http://127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1/leads"),
            ("https://api.example.com/v1/", "https://api.example.com/v1/leads"),
            ("HTTPS://api.example.com", "HTTPS://api.example.com/leads"),
            ("http://[::1]:8080/a/b", "http://[::1]:8080/a/b/leads"),
        ] {
            assert_eq!(BaseUrl::parse(good).map(|base| base.join("/leads")), Ok(joined.to_owned()));
        }
        for (bad, word) in [
            ("", "is no URL"),
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
