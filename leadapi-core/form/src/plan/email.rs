//! Comparisons of email addresses, whose domains ignore case.

use std::borrow::Cow;

use super::Test;

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

/// Changes a test of text so that it compares addresses as [`normal`] returns them.
pub(super) fn ignoring_case(original: Test<'_>) -> Test<'_> {
    fn lower(text: Cow<'_, str>) -> Cow<'_, str> {
        if text.contains('@') { Cow::Owned(normal(&text).into_owned()) } else { text }
    }
    match original {
        Test::Text(text) => Test::Text(lower(text)),
        Test::StartsWith(text) => Test::StartsWith(lower(text)),
        // The end of an address without an `@` is a part of its domain.
        Test::EndsWith(text) if !text.contains('@') => Test::EndsWith(text.to_ascii_lowercase().into()),
        Test::EndsWith(text) => Test::EndsWith(lower(text)),
        // The part can occur before the `@` as it is written, and after it in lower case.
        Test::Contains(text) if !text.contains('@') && text.bytes().any(|byte| byte.is_ascii_uppercase()) => {
            let in_domain = text.to_ascii_lowercase().into();
            Test::Any([Test::Contains(text), Test::Contains(in_domain)].into())
        }
        Test::Contains(text) => Test::Contains(lower(text)),
        Test::Any(tests) => Test::Any(each(tests)),
        Test::All(tests) => Test::All(each(tests)),
        other => other,
    }
}

fn each(tests: Box<[Test<'_>]>) -> Box<[Test<'_>]> {
    tests.into_vec().into_iter().map(ignoring_case).collect()
}
