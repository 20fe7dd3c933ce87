//! The public URL of a site, and the checks of a request's host and origin.

use std::{fmt, str::FromStr};

use http::{HeaderValue, Request, Uri, header::ORIGIN, uri::Scheme};

use super::host::{authority, names_this_machine};

/// The public URL of a site: a scheme, a host and an optional port, such as `https://settings.example.com`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteUrl {
    origin: String,
    host: String,
    is_https: bool,
}

/// The error for a string that is not a scheme and a host with an optional port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be http:// or https:// and a host, without a path, such as https://settings.example.com")]
pub struct InvalidSiteUrl;

impl FromStr for SiteUrl {
    type Err = InvalidSiteUrl;

    fn from_str(text: &str) -> Result<Self, InvalidSiteUrl> {
        let uri: Uri = text.parse().map_err(|_| InvalidSiteUrl)?;
        let is_https = uri.scheme() == Some(&Scheme::HTTPS);
        let authority = uri.authority().filter(|authority| !authority.as_str().contains('@'));
        let (Some(authority), "/", None) = (authority, uri.path(), uri.query()) else { return Err(InvalidSiteUrl) };
        if !is_https && uri.scheme() != Some(&Scheme::HTTP) {
            return Err(InvalidSiteUrl);
        }
        // A browser omits the default port and sends the host in lower case.
        let default = if is_https { ":443" } else { ":80" };
        let host = authority.as_str().to_ascii_lowercase();
        let host = host.strip_suffix(default).unwrap_or(&host).to_owned();
        Ok(Self { origin: format!("{}://{host}", if is_https { "https" } else { "http" }), host, is_https })
    }
}

impl fmt::Display for SiteUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.origin)
    }
}

impl SiteUrl {
    /// Returns whether browsers reach the site over HTTPS.
    pub const fn is_https(&self) -> bool {
        self.is_https
    }

    /// Returns whether the request's host is the host of this URL, `localhost`, an IP address or missing. Any other
    /// host may be an attacker's domain that points to this machine.
    pub fn is_host_of<B>(&self, request: &Request<B>) -> bool {
        let default = if self.is_https { ":443" } else { ":80" };
        let is_own = |host: &str| host.strip_suffix(default).unwrap_or(host).eq_ignore_ascii_case(&self.host);
        authority(request).is_some_and(|host| is_own(host.as_str())) || names_this_machine(request)
    }

    /// Returns whether a page of the same origin sent the request. Browsers report this in `Sec-Fetch-Site`, and older
    /// browsers only in `Origin`. A page cannot set either header.
    pub fn is_same_origin<B>(&self, request: &Request<B>) -> bool {
        match request.headers().get("sec-fetch-site") {
            Some(site) => site == "same-origin",
            None => request.headers().get(ORIGIN).is_some_and(|origin| self.is_origin(origin, request)),
        }
    }

    fn is_origin<B>(&self, origin: &HeaderValue, request: &Request<B>) -> bool {
        let Ok(origin) = origin.to_str() else { return false };
        let host = authority(request);
        origin == self.origin || host.is_some_and(|host| origin.strip_prefix("http://") == Some(host.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use http::header::HOST;

    use super::*;

    fn url() -> SiteUrl {
        "https://Settings.example.com:443".parse().unwrap()
    }

    #[test]
    fn a_url_is_a_scheme_and_a_host() {
        assert_eq!(url().to_string(), "https://settings.example.com");
        assert_eq!("http://[::1]:8081/".parse::<SiteUrl>().unwrap().to_string(), "http://[::1]:8081");
        for bad in ["", "example.com", "ftp://example.com", "https://", "https://h/path", "https://h/?a", "https://u@h"]
        {
            assert_eq!(bad.parse::<SiteUrl>(), Err(InvalidSiteUrl), "{bad}");
        }
    }

    #[test]
    fn only_a_page_of_the_same_origin_may_send_a_form() {
        let sent = |headers: &[(&str, &str)]| {
            let mut request = Request::post("/").header(HOST, "127.0.0.1:8081");
            for (name, value) in headers {
                request = request.header(*name, *value);
            }
            url().is_same_origin(&request.body(()).unwrap())
        };
        for good in [
            &[("sec-fetch-site", "same-origin")][..],
            &[("origin", "https://settings.example.com")],
            &[("origin", "http://127.0.0.1:8081")],
        ] {
            assert!(sent(good), "{good:?}");
        }
        for bad in [
            &[][..],
            &[("sec-fetch-site", "same-site")],
            &[("sec-fetch-site", "cross-site"), ("origin", "https://settings.example.com")],
            &[("sec-fetch-site", "none")],
            &[("origin", "null")],
            &[("origin", "https://evil.example")],
            &[("origin", "http://settings.example.com")],
            &[("origin", "https://127.0.0.1:8081")],
        ] {
            assert!(!sent(bad), "{bad:?}");
        }
    }

    #[test]
    fn an_unknown_host_is_refused() {
        for (host, expected) in [
            ("settings.example.com", true),
            ("SETTINGS.example.com", true),
            ("settings.example.com:443", true),
            ("settings.example.com:80", false),
            ("127.0.0.1:8081", true),
            ("localhost", true),
            ("evil.example", false),
            ("settings.example.com.evil.example", false),
        ] {
            let request = Request::get("/").header(HOST, host).body(()).unwrap();
            assert_eq!(url().is_host_of(&request), expected, "{host}");
        }
    }
}
