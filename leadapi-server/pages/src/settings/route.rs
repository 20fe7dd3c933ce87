//! The paths of the API settings.

use http::Method;
use leadapi_core::id::{BusinessId, SessionId, TokenId};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// A page or an action, with the values from its path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Route {
    Style,
    Icon,
    /// The start page: the person's businesses or tokens, or instructions for signing in.
    Home,
    /// The page that a sign-in link opens. Its button redeems the link.
    SignInLink(String),
    SignIn,
    OfBusiness(BusinessId, BusinessRoute),
}

/// A page or an action of one business.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum BusinessRoute {
    Tokens,
    NewToken,
    CreateToken,
    /// A form that asks for confirmation.
    Confirm(TokenForm, TokenId),
    Change(TokenForm, TokenId),
    Audit,
    AuditJson,
    Sessions,
    EndSession(SessionId),
    SignOut,
}

/// A change to one token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenForm {
    Rotate,
    Revoke,
    Delete,
}

impl TokenForm {
    const ALL: [Self; 3] = [Self::Rotate, Self::Revoke, Self::Delete];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Rotate => "rotate",
            Self::Revoke => "revoke",
            Self::Delete => "delete",
        }
    }
}

/// The reason why a request has no route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoRoute {
    NotFound,
    /// The path supports only these methods.
    Allow(&'static str),
}

impl Route {
    /// Finds the page or action for a method and a path. HEAD is treated as GET.
    pub(super) fn find(method: &Method, path: &str) -> Result<Self, NoRoute> {
        let decode = |segment| percent_decode_str(segment).decode_utf8().ok().map(String::from);
        let segments: Option<Vec<String>> = path.split('/').skip(1).map(decode).collect();
        let segments = segments.ok_or(NoRoute::NotFound)?;
        let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
        let (get, post) = Self::at(&segments).ok_or(NoRoute::NotFound)?;
        match (method, get, post) {
            (&Method::GET | &Method::HEAD, Some(route), _) | (&Method::POST, _, Some(route)) => Ok(route),
            (_, Some(_), Some(_)) => Err(NoRoute::Allow("GET, HEAD, POST")),
            (_, Some(_), None) => Err(NoRoute::Allow("GET, HEAD")),
            (_, None, _) => Err(NoRoute::Allow("POST")),
        }
    }

    /// Returns the routes for GET and POST, or `None` if the path does not exist.
    fn at(segments: &[&str]) -> Option<(Option<Self>, Option<Self>)> {
        Some(match segments {
            [""] => (Some(Self::Home), None),
            ["style.css"] => (Some(Self::Style), None),
            ["icon.svg"] => (Some(Self::Icon), None),
            ["sign-in"] => (None, Some(Self::SignIn)),
            ["sign-in", secret] => (Some(Self::SignInLink((*secret).to_owned())), None),
            ["b", business, rest @ ..] => {
                let business = BusinessId::parse(business).ok()?;
                let (get, post) = BusinessRoute::at(rest)?;
                let of = |route: Option<BusinessRoute>| route.map(|route| Self::OfBusiness(business.clone(), route));
                (of(get), of(post))
            }
            _ => return None,
        })
    }
}

impl BusinessRoute {
    fn at(segments: &[&str]) -> Option<(Option<Self>, Option<Self>)> {
        Some(match segments {
            ["tokens"] => (Some(Self::Tokens), Some(Self::CreateToken)),
            ["tokens", "new"] => (Some(Self::NewToken), None),
            ["tokens", id, form] => {
                let form = TokenForm::ALL.into_iter().find(|known| known.name() == *form)?;
                let id = TokenId::parse(id).ok()?;
                (Some(Self::Confirm(form, id.clone())), Some(Self::Change(form, id)))
            }
            ["audit"] => (Some(Self::Audit), None),
            ["audit.json"] => (Some(Self::AuditJson), None),
            ["sessions"] => (Some(Self::Sessions), None),
            ["sessions", id, "end"] => (None, Some(Self::EndSession(SessionId::parse(id).ok()?))),
            ["sign-out"] => (None, Some(Self::SignOut)),
            _ => return None,
        })
    }
}

/// Returns the path of a page of a business. Each segment is percent-encoded.
pub(super) fn path(business: &BusinessId, segments: &[&str]) -> String {
    let mut path = format!("/b/{}", escape(business.as_str()));
    for segment in segments {
        path.push('/');
        path.push_str(&escape(segment));
    }
    path
}

fn escape(segment: &str) -> String {
    const KEPT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');
    utf8_percent_encode(segment, KEPT).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_leads_to_its_page() {
        let business = BusinessId::parse("b/1?").unwrap();
        let token = TokenId::parse("t%2F").unwrap();
        let path = path(&business, &["tokens", token.as_str(), "revoke"]);
        assert_eq!(path, "/b/b%2F1%3F/tokens/t%252F/revoke");
        let of = |route| Ok(Route::OfBusiness(business.clone(), route));
        assert_eq!(Route::find(&Method::GET, &path), of(BusinessRoute::Confirm(TokenForm::Revoke, token.clone())));
        assert_eq!(Route::find(&Method::POST, &path), of(BusinessRoute::Change(TokenForm::Revoke, token)));
        assert_eq!(Route::find(&Method::HEAD, "/"), Ok(Route::Home));
    }

    #[test]
    fn other_paths_and_methods_are_refused() {
        for path in
            ["/b", "/b/", "/b/x", "/b//tokens", "/tokens", "/b/x/tokens/", "/b/x/tokens/t/edit", "/b/%ff/tokens", "//"]
        {
            assert_eq!(Route::find(&Method::GET, path), Err(NoRoute::NotFound), "{path}");
        }
        assert_eq!(Route::find(&Method::DELETE, "/b/x/tokens"), Err(NoRoute::Allow("GET, HEAD, POST")));
        assert_eq!(Route::find(&Method::POST, "/b/x/audit"), Err(NoRoute::Allow("GET, HEAD")));
        assert_eq!(Route::find(&Method::GET, "/b/x/sign-out"), Err(NoRoute::Allow("POST")));
    }
}
