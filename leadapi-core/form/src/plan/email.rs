//! Comparisons of email addresses, whose domains ignore case.

use std::borrow::Cow;

/// Returns the address with the ASCII letters of its domain in lower case.
pub(crate) fn normal(address: &str) -> Cow<'_, str> {
    let domain = address.rfind('@').map_or(address.len(), |at| at + 1);
    match address.split_at_checked(domain) {
        Some((local, domain)) if domain.bytes().any(|byte| byte.is_ascii_uppercase()) => {
            (local.to_owned() + &domain.to_ascii_lowercase()).into()
        }
        _ => address.into(),
    }
}
