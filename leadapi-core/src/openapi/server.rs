//! The URLs at which callers reach the service.

use std::{fmt, str::FromStr};

use http::Uri;
use serde_json::{Value, json};

use crate::http::{InvalidPath, service::builder};

/// The base URL at which callers reach the API, such as `https://api.example.com/v1`: the part before `/leads`.
///
/// It is stored without a trailing slash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerUrl {
    /// The scheme and authority. Empty for a URL that is relative to the URL of the document.
    origin: String,
    path: String,
}

/// The error for text that is not a valid absolute base URL for the API.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("must be an absolute http or https URL without a user, query or fragment, such as https://api.example.com/v1")]
pub struct InvalidServerUrl;

impl ServerUrl {
    /// Creates a URL from a path on the host that serves the document. An empty path is the root of that host.
    ///
    /// ```
    /// # use leadapi_core::openapi::ServerUrl;
    /// assert_eq!(ServerUrl::path("/v1")?.to_string(), "/v1");
    /// # Ok::<(), leadapi_core::http::InvalidPath>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`InvalidPath`] if no service can be mounted at this path.
    pub fn path(path: &str) -> Result<Self, InvalidPath> {
        Ok(Self { origin: String::new(), path: builder::check(path.to_owned())? })
    }

    /// Returns the path of the URL: empty, or with a leading slash and without a trailing one.
    ///
    /// ```
    /// # use leadapi_core::openapi::ServerUrl;
    /// assert_eq!("https://api.example.com/v1/".parse::<ServerUrl>()?.as_path(), "/v1");
    /// # Ok::<(), leadapi_core::openapi::InvalidServerUrl>(())
    /// ```
    #[must_use]
    pub fn as_path(&self) -> &str {
        &self.path
    }

    pub(super) fn describe(&self) -> Value {
        let url = self.to_string();
        // The root is written as `/`, because tools may treat an empty URL as missing.
        json!({ "url": if url.is_empty() { "/" } else { &url } })
    }
}

impl FromStr for ServerUrl {
    type Err = InvalidServerUrl;

    fn from_str(url: &str) -> Result<Self, InvalidServerUrl> {
        let uri: Uri = url.parse().map_err(|_| InvalidServerUrl)?;
        let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority()) else { return Err(InvalidServerUrl) };
        let path = builder::check(uri.path().trim_end_matches('/').to_owned()).map_err(|_| InvalidServerUrl)?;
        let is_plain = !url.contains(['?', '#']) && !authority.as_str().contains('@') && !authority.host().is_empty();
        if is_plain && matches!(scheme, "http" | "https") {
            Ok(Self { origin: format!("{scheme}://{authority}"), path })
        } else {
            Err(InvalidServerUrl)
        }
    }
}

impl fmt::Display for ServerUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.origin, self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_absolute_urls_are_accepted() {
        for (url, kept) in [
            ("https://api.example.com/v1", "https://api.example.com/v1"),
            ("https://api.example.com/crm/v1/", "https://api.example.com/crm/v1"),
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
            ("https://[::1]:8443/", "https://[::1]:8443"),
        ] {
            assert_eq!(url.parse::<ServerUrl>().unwrap().to_string(), kept);
        }
        for bad in [
            "",
            "/v1",
            "api.example.com",
            "api.example.com/v1",
            "//api.example.com/v1",
            "ftp://api.example.com/v1",
            "https:///v1",
            "https://api.example.com/v1?x=1",
            "https://api.example.com/v1#top",
            "https://ann:secret@api.example.com/v1",
            "https://api.example.com//v1",
            "https://api.example.com/v 1",
        ] {
            assert_eq!(bad.parse::<ServerUrl>(), Err(InvalidServerUrl), "{bad}");
        }
    }
}
