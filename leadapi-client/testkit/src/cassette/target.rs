//! The path and query of a request, decoded for comparison.

use std::fmt;

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};

/// A path and a query, with their escapes decoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target {
    pub(super) segments: Vec<String>,
    pub(super) query: Vec<(String, String)>,
}

const SEGMENT: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'#').add(b'%').add(b'/').add(b'<').add(b'>').add(b'?');
const PARAMETER: &AsciiSet = &SEGMENT.add(b'&').add(b'+').add(b'=');

impl Target {
    pub(super) fn new(path: &str, query: Option<&str>) -> Self {
        let path = path.strip_prefix('/').unwrap_or(path);
        let segments = path.split('/').map(decoded).collect();
        let pairs = query.unwrap_or_default().split('&').filter(|pair| !pair.is_empty());
        let query = pairs.map(|pair| pair.split_once('=').unwrap_or((pair, "")));
        // In a form-encoded query, a plus is a space.
        let query = query.map(|(name, value)| (decoded(&name.replace('+', " ")), decoded(&value.replace('+', " "))));
        Self { segments, query: query.collect() }
    }

    /// Parses a URL, which may be absolute or start at the path.
    pub(super) fn of(url: &str) -> Self {
        let url = url.split_once('#').map_or(url, |(before, _)| before);
        let below = url
            .split_once("://")
            .map_or(url, |(_, rest)| rest.find(['/', '?']).and_then(|at| rest.get(at..)).unwrap_or(""));
        let (path, query) = below.split_once('?').map_or((below, None), |(path, query)| (path, Some(query)));
        Self::new(path, query)
    }

    pub(super) fn path(&self) -> String {
        self.segments.iter().flat_map(|segment| ["/".to_owned(), escaped(segment, SEGMENT)]).collect()
    }

    /// Returns the name of the API collection in the path, if any.
    pub(super) fn collection(&self) -> Option<&str> {
        self.segments.get(self.collection_at()?).map(String::as_str)
    }

    fn collection_at(&self) -> Option<usize> {
        let is_collection = |segment: &String| matches!(segment.as_str(), "leads" | "pipelines" | "clients");
        self.segments.iter().rposition(is_collection)
    }

    /// Returns the API's base path: the path before the collection. Returns `None` if the path has no collection.
    pub(super) fn base(&self) -> Option<String> {
        let at = self.collection_at()?;
        let base = Self { segments: self.segments.iter().take(at).cloned().collect(), query: Vec::new() };
        Some(base.path())
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path())?;
        for (nth, (name, value)) in self.query.iter().enumerate() {
            let before = if nth == 0 { '?' } else { '&' };
            write!(f, "{before}{}={}", escaped(name, PARAMETER), escaped(value, PARAMETER))?;
        }
        Ok(())
    }
}

fn decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

fn escaped(text: &str, set: &'static AsciiSet) -> String {
    utf8_percent_encode(text, set).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_compared_without_hosts_and_escapes() {
        for (url, normalized) in [
            ("https://api.example.com/v1/leads/lead%2D1?limit=50&x=a+b%26#top", "/v1/leads/lead-1?limit=50&x=a%20b%26"),
            ("http://127.0.0.1:8080", "/"),
            ("http://127.0.0.1?x", "/?x="),
            ("/leads/a%2Fb", "/leads/a%2Fb"),
            ("/v1/leads/é", "/v1/leads/%C3%A9"),
        ] {
            let target = Target::of(url);
            assert_eq!(target.to_string(), normalized);
            assert_eq!(Target::of(normalized), target);
        }
        assert_ne!(Target::of("/leads/a%2Fb"), Target::of("/leads/a/b"));
    }

    #[test]
    fn the_base_path_is_the_path_before_the_collection() {
        for (url, base) in [
            ("http://x/public/v1/leads/id-1", Some("/public/v1")),
            ("http://x/clients", Some("")),
            ("http://x/leads/v1/pipelines", Some("/leads/v1")),
            ("http://x/favicon.ico", None),
        ] {
            assert_eq!(Target::of(url).base().as_deref(), base);
        }
    }
}
