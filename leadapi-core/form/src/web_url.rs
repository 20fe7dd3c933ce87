//! The URLs that are safe to redirect to and to show as links.

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

#[cfg(test)]
mod tests {
    use super::web_url;

    #[test]
    fn only_http_and_https_urls_are_redirect_targets() {
        for good in ["https://example.com", "HTTP://example.com/a?b#c", " https://bücher.example/ "] {
            assert_eq!(web_url(good), Some(good.trim()), "{good}");
        }
        for bad in ["", "javascript:alert(1)", "ftp://a", "//a.b", "https:///a", "https://", "https://a b", "www.a.b"] {
            assert_eq!(web_url(bad), None, "{bad}");
        }
    }
}
