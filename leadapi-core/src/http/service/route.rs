//! Steps 1 and 2 of contract D1: finds the operation for a path and a method.

use http::Method;
use percent_encoding::percent_decode_str;

use super::{
    LeadService,
    error::{ApiError, Kind},
};
use crate::{
    http::{Endpoint, ID_PLACEHOLDER, Operation, TABLE},
    id::LeadId,
};

/// The path prefixes before `/leads`. They differ if the host strips a prefix.
#[derive(Debug, Clone)]
pub(super) struct Mount {
    /// The path prefix in the requests that the service receives.
    pub(super) base: String,
    /// The path prefix in the requests that callers send.
    pub(super) public: String,
}

impl LeadService {
    /// Returns the path before `/leads` in the requests that the service receives.
    ///
    /// ```
    /// # use leadapi_core::{http::LeadService, memory::*, tokens::StoredTokens};
    /// # let verifier = StoredTokens::new(MemoryTokens::default(), SystemClock);
    /// let service = LeadService::builder(MemoryStore::default(), verifier).base_path("/v1").build()?;
    /// assert_eq!(service.base_path(), "/v1");
    /// # Ok::<(), leadapi_core::http::InvalidPath>(())
    /// ```
    pub fn base_path(&self) -> &str {
        &self.inner.mount.base
    }
}

/// The operation that a request matches.
#[derive(Debug, Clone, Copy)]
pub(super) struct Route<'a> {
    pub(super) operation: Operation,
    /// The path segment with the id of the lead, still percent-encoded. Empty for operations without an id.
    segment: &'a str,
}

impl Route<'_> {
    /// Returns the id in the path, or `None` if the segment is not a valid id and therefore names no lead (contract
    /// D4).
    pub(super) fn lead(&self) -> Option<LeadId> {
        // Ids rarely contain escapes, so most segments skip the decoder.
        if !self.segment.contains('%') {
            return LeadId::parse(self.segment).ok();
        }
        LeadId::parse(percent_decode_str(self.segment).decode_utf8().ok()?).ok()
    }
}

pub(super) fn route<'a>(mount: &Mount, method: &Method, path: &'a str) -> Result<Route<'a>, ApiError> {
    let below = path.strip_prefix(mount.base.as_str());
    // HEAD is routed like GET (contract D7).
    let wanted = if method == Method::HEAD { &Method::GET } else { method };
    // The methods are compared first, because comparing paths is slower.
    let mut candidates = TABLE.iter().filter(|line| line.method == wanted);
    if let Some((line, segment)) = below.and_then(|path| candidates.find_map(|line| at(line, path))) {
        return Ok(Route { operation: line.operation, segment });
    }
    let mut here = below.map(lines).into_iter().flatten().peekable();
    Err(match here.peek() {
        None => Kind::NoSuchPath { meant: meant(mount, path) }.into(),
        Some(_) => Kind::MethodNotAllowed { method: method.clone(), allow: allow(here) }.into(),
    })
}

/// Returns the table entries that match this path, each with the path segment in the position of `{id}`.
fn lines(path: &str) -> impl Iterator<Item = (&'static Endpoint, &str)> {
    TABLE.iter().filter_map(move |line| at(line, path))
}

/// Returns the table entry and the path segment in the position of `{id}`, if the entry matches this path.
fn at<'a>(line: &'static Endpoint, path: &'a str) -> Option<(&'static Endpoint, &'a str)> {
    match line.path.strip_suffix(ID_PLACEHOLDER) {
        Some(before) => {
            let segment = path.strip_prefix(before)?;
            (!segment.is_empty() && !segment.contains('/')).then_some((line, segment))
        }
        None => (line.path == path).then_some((line, "")),
    }
}

/// Returns the documented path that differs from this one only in its slashes, if there is one (contract D7).
fn meant(mount: &Mount, path: &str) -> Option<String> {
    let segments = path.split('/').filter(|segment| !segment.is_empty());
    let clean: String = segments.flat_map(|segment| ["/", segment]).collect();
    let below = clean.strip_prefix(mount.base.as_str())?;
    lines(below).next().map(|_| format!("{}{below}", mount.public))
}

fn allow<'a>(lines: impl Iterator<Item = (&'static Endpoint, &'a str)>) -> String {
    let methods = lines.flat_map(|(line, _)| match line.method {
        Method::GET => vec!["GET", "HEAD"],
        _ => vec![line.method.as_str()],
    });
    methods.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn route_of(base: &str, method: &str, path: &str) -> Result<(Operation, Option<LeadId>), String> {
        let mount = Mount { base: base.into(), public: "/api".into() };
        let route = route(&mount, &method.parse().unwrap(), path).map_err(|error| error.to_string())?;
        Ok((route.operation, route.lead()))
    }

    #[test]
    fn every_operation_routes_to_itself() {
        for base in ["", "/v1", "/a/b"] {
            for line in &TABLE {
                let path = format!("{base}{}", line.path.replace(ID_PLACEHOLDER, "l%2F1"));
                let (operation, id) = route_of(base, line.method.as_str(), &path).unwrap();
                let expected = line.path.ends_with(ID_PLACEHOLDER).then(|| LeadId::parse("l/1").unwrap());
                assert_eq!((operation, id), (line.operation, expected));
            }
        }
    }

    #[test]
    fn every_path_allows_exactly_its_methods() {
        for (path, allow) in [
            ("/leads", "GET, HEAD, POST"),
            ("/leads/x", "GET, HEAD, PATCH, DELETE"),
            ("/pipelines", "GET, HEAD"),
            ("/clients", "GET, HEAD"),
        ] {
            for method in ["OPTIONS", "PUT", "TRACE", "BREW", "get"] {
                let error = route_of("", method, path).unwrap_err();
                assert_eq!(error, format!("method {method} is not allowed on this path, which takes {allow}"));
            }
            assert!(route_of("", "HEAD", path).is_ok());
        }
    }

    #[test]
    fn other_paths_are_unknown_and_the_error_for_an_extra_slash_has_a_hint() {
        for path in
            ["", "/", "/v1", "/v1/", "/leads", "/v1leads", "/v1/Leads", "/v1/leads/a/b", "/v1/forms", "/v2/leads", "*"]
        {
            assert_eq!(route_of("/v1", "GET", path).unwrap_err(), "path: there is no such path", "{path}");
        }
        for (path, meant) in [
            ("/v1/leads/", "/api/leads"),
            ("/v1//leads", "/api/leads"),
            ("//v1/leads", "/api/leads"),
            ("/v1/leads/x/", "/api/leads/x"),
            ("/v1/leads//x", "/api/leads/x"),
            ("/v1/clients//", "/api/clients"),
        ] {
            let expected = format!("path: there is no such path, did you mean {meant}?");
            assert_eq!(route_of("/v1", "GET", path).unwrap_err(), expected, "{path}");
        }
    }

    #[test]
    fn a_segment_that_is_not_a_valid_id_names_no_lead() {
        for segment in ["%20", "%ff", "%00", &"x".repeat(65)] {
            let route = route_of("", "GET", &format!("/leads/{segment}"));
            assert_eq!(route, Ok((Operation::GetLead, None)), "{segment}");
        }
        assert_eq!(route_of("", "GET", "/leads/%"), Ok((Operation::GetLead, Some(LeadId::parse("%").unwrap()))));
    }
}
