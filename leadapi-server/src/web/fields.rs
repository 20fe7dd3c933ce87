//! Parses the fields of a submitted form or of a query string.

use http::Uri;

/// The fields of a form or of a query string, in order.
#[derive(Debug, Default)]
pub(crate) struct Fields(Vec<(String, String)>);

impl Fields {
    /// Parses the query string of a URL.
    pub(crate) fn of_query(uri: &Uri) -> Self {
        Self::parse(uri.query().unwrap_or_default().as_bytes())
    }

    pub(crate) fn parse(body: &[u8]) -> Self {
        Self(form_urlencoded::parse(body).into_owned().collect())
    }

    /// Returns the first value of a field, or an empty string.
    pub(crate) fn get(&self, name: &str) -> &str {
        self.0.iter().find(|(field, _)| field == name).map(|(_, value)| value.as_str()).unwrap_or_default()
    }

    pub(crate) fn all<'f>(&'f self, name: &'f str) -> impl Iterator<Item = &'f str> {
        self.0.iter().filter(move |(field, _)| field == name).map(|(_, value)| value.as_str())
    }
}
