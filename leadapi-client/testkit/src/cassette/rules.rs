//! The rules that select the headers to record and the fields to redact.

use http::{HeaderName, header};
use leadapi_core::{
    http::header::{IDEMPOTENCY_KEY, IDEMPOTENCY_REPLAYED, X_REQUEST_ID},
    validate::OPTIONAL_TEXTS,
};

use super::CassetteError;

#[derive(Debug, Clone)]
pub(super) struct Rules {
    pub(super) headers: Vec<HeaderName>,
    pub(super) redacted: Vec<Field>,
    pub(super) keep_personal_data: bool,
    /// Whether the real ids and creation times of created leads are kept.
    pub(super) keep_ids: bool,
}

/// A field in a body, or a query parameter.
#[derive(Debug, Clone)]
pub(super) enum Field {
    /// Any field or query parameter with this name.
    Name(String),
    /// The field at this path in a body. `*` matches any key or index.
    Pointer(Vec<String>),
}

/// The personal fields whose values must not occur elsewhere in a recording, because each value identifies a person.
/// Names are not included, because a name may be a common word.
pub(super) const IDENTIFYING_FIELDS: [&str; 2] = ["email", "phone"];

/// Headers that are never recorded, because they contain credentials.
pub(super) const SECRET: [HeaderName; 4] =
    [header::AUTHORIZATION, header::PROXY_AUTHORIZATION, header::COOKIE, header::SET_COOKIE];

impl Default for Rules {
    fn default() -> Self {
        let headers = vec![
            header::CONTENT_TYPE,
            IDEMPOTENCY_KEY,
            IDEMPOTENCY_REPLAYED,
            header::LOCATION,
            header::ALLOW,
            header::RETRY_AFTER,
            header::WWW_AUTHENTICATE,
            X_REQUEST_ID,
        ];
        Self { headers, redacted: Vec::new(), keep_personal_data: false, keep_ids: false }
    }
}

impl Rules {
    pub(super) fn keep_header(&mut self, name: HeaderName) -> Result<(), CassetteError> {
        if SECRET.contains(&name) {
            return Err(CassetteError::SecretHeader { name: name.to_string() });
        }
        if !self.headers.contains(&name) {
            self.headers.push(name);
        }
        Ok(())
    }

    pub(super) fn redact(&mut self, field: &str) {
        self.redacted.push(match field.strip_prefix('/') {
            // RFC 6901 requires `~1` to be unescaped before `~0`.
            Some(pointer) => {
                Field::Pointer(pointer.split('/').map(|key| key.replace("~1", "/").replace("~0", "~")).collect())
            }
            None => Field::Name(field.to_owned()),
        });
    }

    /// Returns whether the field at `path` is redacted by default as personal data. The body must be a lead or a page
    /// of leads.
    pub(super) fn redacts_personal(&self, path: &[String]) -> bool {
        let field = match path {
            [field] => field,
            [data, _, field] if data == "data" => field,
            _ => return false,
        };
        !self.keep_personal_data && is_personal(field)
    }

    pub(super) fn redacts(&self, path: &[String]) -> bool {
        self.redacted.iter().any(|field| match field {
            Field::Name(name) => path.last() == Some(name),
            Field::Pointer(keys) => {
                keys.len() == path.len() && keys.iter().zip(path).all(|(key, found)| key == "*" || key == found)
            }
        })
    }
}

/// Returns whether a field of a lead counts as personal data.
fn is_personal(field: &str) -> bool {
    field == "name" || OPTIONAL_TEXTS.iter().any(|text| text.is_personal() && text.name() == field)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_secret_header_is_recorded() {
        assert!(SECRET.iter().all(|secret| !Rules::default().headers.contains(secret)));
    }

    #[test]
    fn fields_are_selected_by_name_and_by_pointer() {
        let mut rules = Rules::default();
        rules.redact("email");
        rules.redact("/a~1b/*/~01");
        for (path, redacted) in [("x email", true), ("email x", false), ("a/b 7 ~1", true), ("a/b ~1", false)] {
            let path: Vec<String> = path.split(' ').map(str::to_owned).collect();
            assert_eq!(rules.redacts(&path), redacted, "{path:?}");
        }
    }
}
