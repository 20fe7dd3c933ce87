//! The addresses that a server prints when it starts.

use super::output::print_line;

/// The addresses at which a server can be reached.
pub(super) struct Served {
    /// The base URL of the API.
    pub(super) url: String,
    /// The URL of the API reference, if it is served.
    pub(super) reference: Option<String>,
    /// The email addresses of owners, and a link for each of them to sign in to the API settings.
    pub(super) sign_in_links: Vec<(String, String)>,
}

impl Served {
    pub(super) fn print_sign_in_links(&self) {
        for (email, link) in &self.sign_in_links {
            print_line(&format!("  sign in as {email}: {link}"));
        }
    }
}
