//! Parses the fields of a submitted form or of a query string.

use http::Uri;

/// The fields of a form or of a query string, in order.
///
/// ```
/// use leadapi_pages::web::Fields;
///
/// let fields = Fields::parse(b"name=Ada+L.&scope=read&scope=write");
/// assert_eq!((fields.get("name"), fields.get("expires"), fields.all("scope").count()), ("Ada L.", "", 2));
/// ```
#[derive(Debug, Default)]
pub struct Fields(Vec<(String, String)>);

impl Fields {
    /// Parses the query string of a URL.
    pub fn of_query(uri: &Uri) -> Self {
        Self::parse(uri.query().unwrap_or_default().as_bytes())
    }

    /// Parses a submitted form.
    pub fn parse(body: &[u8]) -> Self {
        Self(form_urlencoded::parse(body).into_owned().collect())
    }

    /// Returns the first value of a field, or an empty string.
    pub fn get(&self, name: &str) -> &str {
        self.0.iter().find(|(field, _)| field == name).map(|(_, value)| value.as_str()).unwrap_or_default()
    }

    /// Returns all values of a field, in order.
    pub fn all<'f>(&'f self, name: &'f str) -> impl Iterator<Item = &'f str> {
        self.0.iter().filter(move |(field, _)| field == name).map(|(_, value)| value.as_str())
    }
}
