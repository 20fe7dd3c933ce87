//! The cookie that contains a session's secret.

use http::{HeaderMap, HeaderValue, header::COOKIE};
use leadapi_core::auth::SessionToken;

/// The maximum number of secrets that are looked up for one request. A browser sends more than one if another server on
/// the same host or in the same domain has set a cookie with the same name.
const MAX_SECRETS: usize = 4;

/// The name and the attributes of the cookie.
#[derive(Debug, Clone, Copy)]
pub(super) struct SessionCookie {
    name: &'static str,
    attributes: &'static str,
}

impl SessionCookie {
    /// Over HTTPS, the prefix `__Host-` makes browsers refuse a cookie with the same name from another host or without
    /// `Secure`. Without HTTPS, browsers would refuse a cookie with this prefix.
    pub(super) const fn new(is_https: bool) -> Self {
        if is_https {
            Self { name: "__Host-leadapi", attributes: "; Path=/; Secure; HttpOnly; SameSite=Strict" }
        } else {
            Self { name: "leadapi", attributes: "; Path=/; HttpOnly; SameSite=Strict" }
        }
    }

    /// Returns the first `MAX_SECRETS` secrets that the browser sent.
    pub(super) fn read(self, headers: &HeaderMap) -> Vec<SessionToken> {
        let headers = headers.get_all(COOKIE).into_iter().filter_map(|header| header.to_str().ok());
        let cookies = headers.flat_map(|header| header.split(';')).filter_map(|cookie| cookie.trim().split_once('='));
        cookies
            .filter(|(name, _)| *name == self.name)
            .filter_map(|(_, value)| SessionToken::parse(value).ok())
            .take(MAX_SECRETS)
            .collect()
    }

    /// Returns the value of a `Set-Cookie` header that stores the secret until the browser is closed. The cookie has no
    /// expiry, because the server ends idle sessions itself, and every request would have to extend the expiry.
    pub(super) fn set(self, secret: &SessionToken) -> Option<HeaderValue> {
        let Self { name, attributes } = self;
        let mut value = HeaderValue::try_from(format!("{name}={}{attributes}", secret.expose())).ok()?;
        value.set_sensitive(true);
        Some(value)
    }

    /// Returns the value of a `Set-Cookie` header that removes the secret from the browser.
    pub(super) fn clear(self) -> Option<HeaderValue> {
        HeaderValue::try_from(format!("{}={}; Max-Age=0", self.name, self.attributes)).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cookie_is_read_back() {
        let secret = SessionToken::generate().unwrap();
        let cookie = SessionCookie::new(true);
        let set = cookie.set(&secret).unwrap();
        assert!(set.to_str().unwrap().ends_with("; Path=/; Secure; HttpOnly; SameSite=Strict"));
        let pair = set.to_str().unwrap().split(';').next().unwrap().to_owned();
        let mut headers = HeaderMap::new();
        headers.append(COOKIE, format!("a=b; {pair}; __Host-leadapi=short").parse().unwrap());
        headers.append(COOKIE, HeaderValue::from_static("leadapi=x"));
        let read: Vec<String> = cookie.read(&headers).iter().map(|secret| secret.expose().to_owned()).collect();
        assert_eq!(read, [secret.expose()]);
        assert_eq!(SessionCookie::new(false).read(&headers).len(), 0);
    }

    #[test]
    fn a_request_cannot_cause_many_lookups() {
        let (secret, cookie) = (SessionToken::generate().unwrap(), SessionCookie::new(false));
        let mut headers = HeaderMap::new();
        headers.append(COOKIE, vec![format!("leadapi={}", secret.expose()); 100].join("; ").parse().unwrap());
        assert_eq!(cookie.read(&headers).len(), MAX_SECRETS);
    }
}
