//! The rule for an email address (contract D4): its checks, its texts and its regular expression.

use super::find_char::{has, has_control};

/// The parts of the rule that the texts share.
macro_rules! parts {
    (max_chars) => {
        254
    };
    (max_local_chars) => {
        64
    };
    (message) => {
        concat!("one @, 1 to ", parts!(max_local_chars), " characters before it, a dotted domain after it, no blanks")
    };
}

/// The maximum number of characters.
pub(super) const MAX_CHARS: usize = parts!(max_chars);

/// The error message for an address that has another form.
const MESSAGE: &str = concat!("must be an e-mail address: ", parts!(message));

/// The description of the field in a request body (OpenAPI).
pub(super) const DESCRIPTION: &str = concat!(
    "The e-mail address: one `@` with 1 to ",
    parts!(max_local_chars),
    " characters before it and a dotted domain after it, without white space. Leading and trailing white space is \
     trimmed."
);

/// The error for an invalid email address (contract D4). The message states the whole rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "{}",
    concat!(
        "must be an e-mail address of at most ", parts!(max_chars), " characters: ", parts!(message),
        ", no control characters"
    )
)]
pub struct InvalidEmail;

/// Returns the regular expression (ECMA-262) for an address or an empty text. `blank` contains white space and control
/// characters, for use inside a character class.
pub fn email_pattern(blank: &str) -> String {
    let max = parts!(max_local_chars);
    format!(r"^([^@{blank}]{{1,{max}}}@[^@.{blank}]+(\.[^@.{blank}]+)+)?$")
}

/// Checks the form of an address, but not its number of characters. Returns the broken rule.
pub(super) fn check_form(text: &str) -> Result<(), &'static str> {
    if is_email(text) { Ok(()) } else { Err(MESSAGE) }
}

fn is_email(text: &str) -> bool {
    // Searching bytes is faster than decoding characters. It is also correct, because in UTF-8 the bytes of `@` and `.`
    // never occur within another character.
    let mut parts = text.as_bytes().split(|byte| *byte == b'@');
    let (Some(local), Some(domain), None) = (parts.next(), parts.next(), parts.next()) else { return false };
    let local = text.get(..local.len()).map_or(0, |local| local.chars().count());
    let dotted = domain.contains(&b'.') && domain.split(|byte| *byte == b'.').all(|label| !label.is_empty());
    let plain = !has(text, |byte| matches!(byte, 0..=b' ' | 0x7f..), char::is_whitespace);
    (1..=parts!(max_local_chars)).contains(&local) && dotted && plain
}

/// Checks the email address of a member. The rule is the same as for a lead's `email` (contract D4), except that
/// surrounding whitespace is an error.
///
/// Addresses are unique within a business; [`email_key`] decides whether two are the same.
///
/// ```
/// use leadapi_model::validate::check_email;
///
/// assert!(check_email("owner@harbour.example").is_ok());
/// assert!(check_email("owner").unwrap_err().to_string().starts_with("must be an e-mail address"));
/// ```
///
/// # Errors
///
/// [`InvalidEmail`] when the address breaks the rule.
pub fn check_email(email: &str) -> Result<(), InvalidEmail> {
    let fits = email.chars().nth(MAX_CHARS).is_none();
    let allowed = email.trim() == email && fits && !has_control(email, |_| true) && is_email(email);
    if allowed { Ok(()) } else { Err(InvalidEmail) }
}

/// Returns the key by which an address is compared: the address in lower case.
///
/// ```
/// use leadapi_model::validate::email_key;
///
/// assert_eq!(email_key("Zoë@Example.ORG"), email_key("ZOË@example.org"));
/// ```
pub fn email_key(email: &str) -> String {
    email.to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_follow_the_rule_for_leads_without_trimming() {
        let longest = format!("{}@{}.de", "a".repeat(64), "b".repeat(186));
        for good in ["a@b.c", "Пётр@пример.рф", &longest] {
            assert_eq!(check_email(good), Ok(()), "{good}");
        }
        for bad in ["", " ", "a", "a@b", "a@b.c ", " a@b.c", "a\0@b.c", &format!("{longest}e")] {
            assert_eq!(check_email(bad), Err(InvalidEmail), "{bad:?}");
        }
    }

    #[test]
    fn addresses_that_differ_only_in_case_have_the_same_key() {
        assert_eq!(email_key("Zoë@Example.ORG"), email_key("ZOË@example.org"));
        assert_ne!(email_key("zoe@example.org"), email_key("zoë@example.org"));
    }
}
