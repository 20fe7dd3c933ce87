//! Validation of the names of records.
//!
//! Data sets, the command line and token management share these rules. The checks do not trim, so code that reads user
//! input must trim it first.

/// The maximum length of the name of a business, client account, pipeline or stage, in characters.
const MAX_NAME_CHARS: usize = 200;
/// The maximum length of the name of a token, in characters.
const MAX_TOKEN_NAME_CHARS: usize = 100;

/// The error for an invalid name. The message states the whole rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be 1 to {max_chars} characters, not only white space, without control characters")]
pub struct InvalidName {
    max_chars: usize,
}

/// Checks the name of a business, a client account, a pipeline or a stage. It must have 1 to 200 characters, must not
/// consist only of whitespace, and must not contain control characters.
///
/// ```
/// use leadapi_model::validate::check_name;
///
/// assert!(check_name("Harbour & Pine").is_ok());
/// assert!(check_name(" ").unwrap_err().to_string().starts_with("must be 1 to 200 characters"));
/// ```
///
/// # Errors
///
/// [`InvalidName`] when the name breaks the rule.
pub fn check_name(name: &str) -> Result<(), InvalidName> {
    check(name, MAX_NAME_CHARS)
}

/// Checks the name of a token. The rule is the same as for [`check_name`], except that the maximum is 100 characters.
///
/// ```
/// use leadapi_model::validate::check_token_name;
///
/// assert!(check_token_name("website").is_ok());
/// assert!(check_token_name(&"x".repeat(101)).is_err());
/// ```
///
/// # Errors
///
/// [`InvalidName`] when the name breaks the rule.
pub fn check_token_name(name: &str) -> Result<(), InvalidName> {
    check(name, MAX_TOKEN_NAME_CHARS)
}

fn check(name: &str, max_chars: usize) -> Result<(), InvalidName> {
    let good = !name.trim().is_empty() && name.chars().count() <= max_chars && !name.chars().any(char::is_control);
    if good { Ok(()) } else { Err(InvalidName { max_chars }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_neither_blank_nor_too_long() {
        for good in ["a", " a ", "佐藤", &"ü".repeat(200)] {
            assert_eq!(check_name(good), Ok(()), "{good:?}");
        }
        for bad in ["", " ", "\u{3000}", "a\nb", "\0", &"ü".repeat(201)] {
            assert_eq!(check_name(bad), Err(InvalidName { max_chars: 200 }), "{bad:?}");
        }
        assert_eq!(check_token_name(&"ü".repeat(100)), Ok(()));
        assert_eq!(check_token_name(&"ü".repeat(101)), Err(InvalidName { max_chars: 100 }));
    }
}
