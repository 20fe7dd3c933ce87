//! Steps 1 and 2 of contract D1: which operation a path and a method name.

use http::Method;
use percent_encoding::percent_decode_str;

use super::error::{ApiError, Kind};
use crate::{
    http::operation::{Endpoint, ID, Operation, TABLE},
    id::LeadId,
};

/// Where the service is mounted.
#[derive(Debug, Clone)]
pub(super) struct Mount {
    /// What stands before the paths of the table in the requests that arrive.
    pub(super) base: String,
    /// What stands before them in the requests that callers send.
    pub(super) public: String,
}

/// What a request asks for, before its query and body are read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Route<'a> {
    pub(super) operation: Operation,
    /// The segment of the path that names a lead; of the operations without one, nothing.
    segment: &'a str,
}

impl Route<'_> {
    /// The lead that the path names. A segment that is no id names no lead, and is answered like one (contract D4).
    pub(super) fn lead(&self) -> LeadId {
        // Which is seen at once, and hardly ever so.
        if !self.segment.contains('%') {
            return LeadId::named(self.segment);
        }
        LeadId::named(&percent_decode_str(self.segment).decode_utf8().unwrap_or_default())
    }
}

pub(super) fn route<'a>(mount: &Mount, method: &Method, path: &'a str) -> Result<Route<'a>, ApiError> {
    let below = path.strip_prefix(mount.base.as_str());
    // HEAD is GET without its body (contract D7).
    let wanted = if method == Method::HEAD { &Method::GET } else { method };
    // The method is told apart more quickly than the path.
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

/// The lines of the table whose path this is, each with what stands for `{id}`.
fn lines(path: &str) -> impl Iterator<Item = (&'static Endpoint, &str)> {
    TABLE.iter().filter_map(move |line| at(line, path))
}

/// The line, if this is its path, with what stands for `{id}`.
fn at<'a>(line: &'static Endpoint, path: &'a str) -> Option<(&'static Endpoint, &'a str)> {
    match line.path.strip_suffix(ID) {
        Some(before) => {
            let segment = path.strip_prefix(before)?;
            (!segment.is_empty() && !segment.contains('/')).then_some((line, segment))
        }
        None => (line.path == path).then_some((line, "")),
    }
}

/// The path that differs from this one by its slashes alone (contract D7).
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

    fn route_of(base: &str, method: &str, path: &str) -> Result<(Operation, String), String> {
        let mount = Mount { base: base.into(), public: "/api".into() };
        let route = route(&mount, &method.parse().unwrap(), path).map_err(|error| error.to_string())?;
        Ok((route.operation, route.lead().to_string()))
    }

    #[test]
    fn every_operation_routes_to_itself() {
        for base in ["", "/v1", "/a/b"] {
            for line in &TABLE {
                let path = format!("{base}{}", line.path.replace(ID, "l%2F1"));
                let (operation, id) = route_of(base, line.method.as_str(), &path).unwrap();
                assert_eq!((operation, id == "l/1"), (line.operation, line.path.ends_with(ID)));
            }
        }
    }

    #[test]
    fn the_methods_of_each_path() {
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
    fn other_paths_are_unknown_and_slashes_are_hinted_at() {
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
    fn a_segment_that_is_no_id_names_no_lead() {
        for segment in ["%20", "%", "%ff", "%00", &"x".repeat(65)] {
            let named = route_of("", "GET", &format!("/leads/{segment}")).map(|(_, id)| id);
            assert_eq!(named, Ok(if segment == "%" { "%".into() } else { String::new() }));
        }
    }
}
