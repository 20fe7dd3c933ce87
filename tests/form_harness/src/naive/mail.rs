//! Comparisons of email addresses, whose domains ignore case.

/// Returns an address with its domain in lower case.
pub(super) fn mail(address: &str) -> String {
    match address.rsplit_once('@') {
        Some((local, domain)) => format!("{local}@{}", domain.to_ascii_lowercase()),
        None => address.to_owned(),
    }
}

/// Returns the texts of which an address must match one, if it is compared with this text.
pub(super) fn alternatives(op: &str, text: &str) -> Vec<String> {
    match (op, text.contains('@')) {
        (_, true) => vec![mail(text)],
        ("ends_with", false) => vec![text.to_ascii_lowercase()],
        ("contains", false) => vec![text.to_owned(), text.to_ascii_lowercase()],
        (_, false) => vec![text.to_owned()],
    }
}
