//! The URLs that are safe to redirect to and to show as links.

use std::borrow::Cow;

/// Returns the trimmed URL if it is safe for redirects and links: an `http` or `https` URL with a host and without
/// whitespace or control characters.
pub(super) fn web_url(text: &str) -> Option<&str> {
    let text = text.trim();
    let (scheme, rest) = text.split_once("://")?;
    let web = scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https");
    let host = !rest.is_empty() && !rest.starts_with(['/', '?', '#', '\\']);
    let plain = !text.contains(|c: char| c.is_whitespace() || c.is_control());
    (web && host && plain).then_some(text)
}

/// Returns the trimmed text if it is a web address without its scheme, such as `acme.com/about`. Its host must have a
/// domain that is not a number.
pub(super) fn host_url(text: &str) -> Option<&str> {
    let text = text.trim();
    let authority = text.split(['/', '?', '#']).next()?;
    let (host, port) = authority.split_once(':').map_or((authority, None), |(host, port)| (host, Some(port)));
    let label = |label: &str| {
        let inner = !label.starts_with('-') && !label.ends_with('-');
        !label.is_empty() && inner && label.chars().all(|c| c.is_alphanumeric() || c == '-')
    };
    let (_, domain) = host.rsplit_once('.')?;
    let is_domain = domain.chars().nth(1).is_some() && domain.chars().any(char::is_alphabetic);
    let is_port = port.is_none_or(|port| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()));
    let plain = !text.contains(|c: char| c.is_whitespace() || c.is_control() || c == '\\');
    (host.split('.').all(label) && is_domain && is_port && plain).then_some(text)
}

/// Returns a valid web address with its scheme.
pub(super) fn with_scheme(url: &str) -> Cow<'_, str> {
    if web_url(url).is_some() { url.into() } else { format!("https://{url}").into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_http_and_https_urls_are_redirect_targets() {
        for good in ["https://example.com", "HTTP://example.com/a?b#c", " https://bücher.example/ "] {
            assert_eq!(web_url(good), Some(good.trim()), "{good}");
        }
        for bad in ["", "javascript:alert(1)", "ftp://a", "//a.b", "https:///a", "https://", "https://a b", "www.a.b"] {
            assert_eq!(web_url(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_web_address_needs_no_scheme() {
        for good in [
            "acme.com",
            " www.acme.co.uk ",
            "bücher.example/a b".trim_end_matches(" b"),
            "acme.com:8080/?q=a@b",
            "a-b.io#x",
        ] {
            assert_eq!(host_url(good), Some(good.trim()), "{good}");
            assert_eq!(with_scheme(good.trim()), format!("https://{}", good.trim()));
            assert!(web_url(&with_scheme(good.trim())).is_some());
        }
        for bad in [
            "",
            "acme",
            "ann@acme.com",
            "javascript:alert(1)",
            "a.b:c",
            "acme.",
            ".com",
            "a..com",
            "-a.com",
            "1.5",
            "10.0.0.1",
            "acme.com\\evil",
            "a b.com",
            "acme.c",
            "mailto:a.b",
            "acme.com:",
        ] {
            assert_eq!(host_url(bad), None, "{bad}");
        }
        assert_eq!(with_scheme("HTTP://a.b"), "HTTP://a.b");
    }
}
