//! The submitted forms, and the token that proves which session and path a form was rendered for.

use hmac::{Hmac, KeyInit, Mac};
use http::{Request, header::CONTENT_TYPE};
use http_body::Body;
use leadapi_core::{
    BoxError,
    auth::{SessionToken, TokenHash},
    http::read_body,
};
use sha2::Sha256;

use super::problem::Problem;
use crate::web::Fields;

/// The maximum size of a form. The largest form contains a name of 100 characters.
const MAX_BYTES: usize = 16 * 1_024;

/// The name of the field that contains the form token.
pub(super) const TOKEN_FIELD: &str = "form_token";

impl Fields {
    /// Reads a submitted form from the body of a request. Fails if the content type is not that of a form, or if the
    /// body is too large or incomplete.
    pub(super) async fn read<B: Body<Error: Into<BoxError>>>(request: Request<B>) -> Result<Self, Problem> {
        let kind = request.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        if !kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/x-www-form-urlencoded")
        {
            return Err(Problem::BadRequest("The form has an unexpected content type."));
        }
        let body = read_body(request.into_body(), MAX_BYTES).await;
        Ok(Self::parse(&body.map_err(|_| Problem::BadRequest("The form is too large or incomplete."))?))
    }

    /// Returns whether the form was rendered for this session and is submitted to the path that it was rendered for.
    pub(super) fn has_token(&self, session: &SessionToken, path: &str) -> bool {
        let Ok(given) = TokenHash::from_hex(self.get(TOKEN_FIELD)) else { return false };
        mac(session, path).is_some_and(|mac| mac.verify_slice(&given.to_bytes()).is_ok())
    }
}

/// Returns the token for a form that is submitted to `path`.
pub(super) fn form_token(session: &SessionToken, path: &str) -> String {
    let code = mac(session, path).map(|mac| mac.finalize().into_bytes()).unwrap_or_default();
    TokenHash::from_bytes(code.into()).to_hex()
}

/// Returns the code of a form token. It is never `None`, because HMAC accepts keys of any length.
fn mac(session: &SessionToken, path: &str) -> Option<Hmac<Sha256>> {
    let mac = Hmac::<Sha256>::new_from_slice(session.expose().as_bytes()).ok()?;
    Some(mac.chain_update(path.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_token_is_bound_to_its_session_and_path() {
        let (session, other) = (SessionToken::generate().unwrap(), SessionToken::generate().unwrap());
        let token = form_token(&session, "/b/b1/tokens");
        let fields = Fields::parse(format!("name=a+b&form_token={token}&name=c").as_bytes());
        assert_eq!((fields.get("name"), fields.get("none")), ("a b", ""));
        assert!(fields.has_token(&session, "/b/b1/tokens"));
        assert!(!fields.has_token(&other, "/b/b1/tokens"));
        assert!(!fields.has_token(&session, "/b/b2/tokens"));
        for bad in ["", "form_token=", "form_token=00", &format!("form_token={}", "0".repeat(64)), "form_token=%C3%A9"]
        {
            assert!(!Fields::parse(bad.as_bytes()).has_token(&session, "/b/b1/tokens"), "{bad}");
        }
    }
}
