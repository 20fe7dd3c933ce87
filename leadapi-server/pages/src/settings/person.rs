//! Identifies the person who sends a request, by the session cookie or by a trusted proxy's header.

use std::net::IpAddr;

use http::{HeaderMap, HeaderName, Request};
use leadapi_access::Peer;
use leadapi_core::{
    auth::{SessionToken, TokenAdmin},
    id::BusinessId,
    tokens::{Sessions, SignInError, SignedIn},
    validate::email_key,
};

use super::{attempts::Attempts, cookie::SessionCookie, problem::Problem};

/// A proxy that forwards the address of each person, and may verify their identity.
///
/// ```
/// use leadapi_pages::TrustedProxy;
///
/// let mut proxy = TrustedProxy::default();
/// proxy.addresses.push([127, 0, 0, 1].into());
/// proxy.header = Some(http::HeaderName::from_static("x-forwarded-email"));
/// ```
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct TrustedProxy {
    /// The header that contains the person's email address, if the proxy verifies identities. The proxy must remove
    /// this header from the requests that it receives.
    pub header: Option<HeaderName>,
    /// The addresses of the proxy, in their canonical form.
    pub addresses: Vec<IpAddr>,
    /// Whether to trust every process that can connect to the Unix socket.
    pub unix: bool,
}

/// The email address of a person whom the host has signed in, as an extension of a request. The pages then need no
/// sign-in link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifiedPerson(pub String);

/// The identity that the head of a request claims.
#[derive(Debug)]
pub(super) struct Claims {
    cookies: Vec<SessionToken>,
    /// The email address that the proxy has verified.
    verified: Option<String>,
    /// The address that a trusted proxy forwarded, otherwise the peer's address. It is `None` for a Unix socket without
    /// a forwarded address.
    pub(super) address: Option<IpAddr>,
    /// Whether a page of another site has caused the request.
    is_from_other_site: bool,
}

/// A person with a session.
#[derive(Debug)]
pub(super) struct Person {
    pub(super) signed_in: SignedIn,
    /// The secret of the session.
    pub(super) secret: SessionToken,
    /// Whether the session has just started, so that the response must set its cookie.
    pub(super) is_new: bool,
    address: Option<IpAddr>,
}

impl Person {
    pub(super) fn new(signed_in: SignedIn, secret: SessionToken, is_new: bool, address: Option<IpAddr>) -> Self {
        Self { signed_in, secret, is_new, address }
    }

    /// Returns the permission to manage tokens, with the address for the audit log.
    pub(super) fn admin(&self) -> TokenAdmin {
        self.signed_in.admin.clone().address(self.address)
    }

    pub(super) const fn address(&self) -> Option<IpAddr> {
        self.address
    }

    pub(super) const fn business(&self) -> &BusinessId {
        &self.signed_in.membership.business
    }
}

impl Claims {
    pub(super) fn read<B>(
        request: &Request<B>,
        cookie: SessionCookie,
        proxy: Option<&TrustedProxy>,
    ) -> Result<Self, Problem> {
        let (headers, extensions) = (request.headers(), request.extensions());
        let cookies = cookie.read(headers);
        let is_from_other_site = headers.get("sec-fetch-site").is_some_and(|site| site == "cross-site");
        let peer = extensions.get::<Peer>().copied();
        let direct = peer.and_then(Peer::address);
        let by_host = extensions.get().map(|VerifiedPerson(email)| email.clone());
        let Some(proxy) = proxy.filter(|proxy| peer.is_some_and(|peer| proxy.trusts(peer))) else {
            return Ok(Self { cookies, verified: by_host, address: direct, is_from_other_site });
        };
        let mut values = proxy.header.iter().flat_map(|header| headers.get_all(header));
        let email = match (values.next(), values.next()) {
            (None, _) => None,
            (Some(value), None) => Some(value.to_str().map_err(|_| INVALID_USER_HEADER)?.trim().to_owned()),
            // If the proxy only appends its header, the person may have sent the first one.
            (Some(_), Some(_)) => return Err(INVALID_USER_HEADER),
        };
        let verified = by_host.or(email.filter(|email| !email.is_empty()));
        Ok(Self { cookies, verified, address: forwarded_for(headers).or(direct), is_from_other_site })
    }

    /// Returns the email address that a trusted proxy has verified, if any.
    pub(super) fn verified(&self) -> Option<&str> {
        self.verified.as_deref()
    }

    /// Returns whether the request has neither a session cookie nor a verified person.
    pub(super) fn is_anonymous(&self) -> bool {
        self.cookies.is_empty() && self.verified.is_none()
    }

    /// Returns the person from the first valid session cookie, for any business. If a proxy has verified a person, the
    /// sessions of anyone else are skipped.
    pub(super) async fn find(&self, sessions: &Sessions, attempts: &Attempts) -> Result<Option<Person>, Problem> {
        if self.cookies.is_empty() {
            return Ok(None);
        }
        let finding = async {
            for secret in &self.cookies {
                let Some(signed_in) = sessions.find(secret).await? else { continue };
                let is_other = |email: &String| email_key(email) != email_key(&signed_in.session.email);
                if !self.verified.as_ref().is_some_and(is_other) {
                    return Ok(Person::new(signed_in, secret.clone(), false, self.address));
                }
            }
            Err(Problem::SignedOut)
        };
        match attempts.look_up(self.address, finding).await {
            Err(Problem::SignedOut) => Ok(None),
            found => found.map(Some),
        }
    }

    /// Returns the person whom [`find`](Self::find) finds, if the session belongs to this business. Otherwise, starts a
    /// session for the person whom the proxy has verified.
    pub(super) async fn find_in(
        &self,
        sessions: &Sessions,
        attempts: &Attempts,
        business: &BusinessId,
    ) -> Result<Person, Problem> {
        let found = self.find(sessions, attempts).await?;
        match (found, &self.verified) {
            (Some(person), _) if person.business() == business => Ok(person),
            (_, Some(_)) if self.is_from_other_site => Err(Problem::FromOtherSite),
            (_, Some(email)) => {
                let sign_in = async {
                    match sessions.sign_in_verified(business, email, self.address).await {
                        Ok((secret, signed_in)) => Ok(Person::new(signed_in, secret, true, self.address)),
                        Err(SignInError::NotAMember) => Err(Problem::NotFound),
                        Err(error) => Err(error.into()),
                    }
                };
                attempts.sign_in(self.address, sign_in).await
            }
            (Some(_), None) => Err(Problem::NotFound),
            (None, None) => Err(Problem::SignedOut),
        }
    }
}

const INVALID_USER_HEADER: Problem = Problem::BadRequest("The proxy must send exactly one user header.");

impl TrustedProxy {
    fn trusts(&self, peer: Peer) -> bool {
        match peer {
            Peer::Address(address) => self.addresses.contains(&address.to_canonical()),
            Peer::Unix => self.unix,
            _ => false,
        }
    }
}

/// Returns the last address in `X-Forwarded-For`, which the proxy itself has added. Returns `None` if the header is
/// missing or that address is invalid.
fn forwarded_for(headers: &HeaderMap) -> Option<IpAddr> {
    let last = headers.get_all("x-forwarded-for").into_iter().next_back()?;
    last.to_str().ok()?.rsplit(',').next()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn claims(peer: Peer, headers: &[(&'static str, &'static str)]) -> Result<Claims, Problem> {
        let proxy = TrustedProxy {
            header: Some(HeaderName::from_static("x-forwarded-email")),
            addresses: vec!["127.0.0.1".parse().unwrap()],
            unix: true,
        };
        let headers =
            headers.iter().map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)));
        let mut request = Request::new(());
        headers.for_each(|(name, value)| {
            request.headers_mut().append(name, value);
        });
        request.extensions_mut().insert(peer);
        Claims::read(&request, SessionCookie::new(false), Some(&proxy))
    }

    #[test]
    fn only_a_trusted_peer_can_name_the_person() {
        let headers = [("x-forwarded-email", "ann@b1.example"), ("x-forwarded-for", "203.0.113.9, 192.0.2.7")];
        for (peer, email, address) in [
            (Peer::Address("127.0.0.1".parse().unwrap()), Some("ann@b1.example"), Some("192.0.2.7")),
            (Peer::Address("::ffff:127.0.0.1".parse().unwrap()), Some("ann@b1.example"), Some("192.0.2.7")),
            (Peer::Unix, Some("ann@b1.example"), Some("192.0.2.7")),
            (Peer::Address("192.0.2.8".parse().unwrap()), None, Some("192.0.2.8")),
        ] {
            let claims = claims(peer, &headers).unwrap();
            assert_eq!(claims.verified(), email, "{peer:?}");
            assert_eq!(claims.address, address.map(|address| address.parse().unwrap()), "{peer:?}");
        }
    }

    #[test]
    fn two_user_headers_are_refused() {
        let twice = [("x-forwarded-email", "ann@b1.example"), ("x-forwarded-email", "eve@b1.example")];
        assert!(matches!(claims(Peer::Unix, &twice), Err(Problem::BadRequest(_))));
        assert_eq!(claims(Peer::Unix, &[("x-forwarded-email", " ")]).unwrap().verified(), None);
    }
}
