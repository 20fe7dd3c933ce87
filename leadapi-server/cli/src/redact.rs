//! Redaction of passwords and tokens that a user entered in the wrong place.

use std::env;

use clap::builder::StyledStr;
use leadapi_core::text::find_token;

const HIDDEN: &str = "…";

/// Masks every string in `given` that may contain a password or a token, wherever it occurs in the message.
pub(super) fn redact<'t>(message: &str, given: impl IntoIterator<Item = &'t str>) -> String {
    let secrets = given.into_iter().filter(|text| may_be_secret(text));
    // clap strips terminal escapes from its messages, so a secret may also appear without them.
    let mut secrets: Vec<String> =
        secrets.flat_map(|text| [text.to_owned(), StyledStr::from(text.to_owned()).to_string()]).collect();
    // One secret may contain another, so longer ones are replaced first.
    secrets.sort_by_key(|text| std::cmp::Reverse(text.len()));
    secrets.iter().fold(message.to_owned(), |message, secret| message.replace(&**secret, HIDDEN))
}

/// Masks possible secrets that come from this process's arguments, including their values after `=`, or from its
/// `LEADAPI_` and `OTEL_` variables.
pub(super) fn redact_given(message: &str) -> String {
    let args = env::args_os().map(|arg| arg.to_string_lossy().into_owned());
    let variables = env::vars_os().filter(|(name, _)| name.to_str().is_some_and(is_setting));
    let values = variables.map(|(_, value)| value.to_string_lossy().into_owned());
    let given: Vec<String> = args.chain(values).collect();
    redact(
        message,
        given.iter().flat_map(|text| [text.as_str(), text.split_once('=').map_or(text, |(_, value)| value)]),
    )
}

fn is_setting(name: &str) -> bool {
    name.starts_with("LEADAPI_") || name.starts_with("OTEL_")
}

/// Returns whether the text may contain a token or a URL with a password. Ordinary paths and email addresses do not
/// match.
pub(super) fn may_be_secret(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    let has_password = text.starts_with("postgres") && text.contains(':')
        || text.starts_with("redis") && !text.split(':').skip(2).all(starts_with_port)
        || text.contains("password")
        || text.contains(':') && text.contains('@');
    find_token(text.as_bytes()).is_some() || has_password && !text.starts_with("sqlite:")
}

/// Returns whether the part of a URL after a colon starts with a port rather than a password.
fn starts_with_port(part: &str) -> bool {
    let rest = part.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.len() < part.len() && (rest.is_empty() || rest.starts_with(['/', ',']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_possible_secrets_are_redacted() {
        for text in [
            "postgres://u:p@h/d",
            "postgres://u:p/d",
            "postgres:u:p",
            "redis://:p",
            "rediss://u:p/0",
            "redis:u:p",
            "https://u:p@collector",
            "mysql://u:p@h",
            "host=h password=p",
            "pak_0",
            "x-PAK_0",
        ] {
            assert_eq!(redact(&format!("cannot read {text}: no such file"), [text]), "cannot read …: no such file");
        }
        for text in [
            "sqlite:/a/b@c.db",
            "ann@sol.example",
            "http://collector:4318",
            "127.0.0.1:8080",
            "here",
            "",
            "redis://h:1/0",
            "redis+sentinel://a:1,b:2/m",
        ] {
            assert_eq!(
                redact(&format!("cannot read {text}: no such file"), [text, "unused:@"]),
                format!("cannot read {text}: no such file")
            );
        }
    }

    #[test]
    fn nested_secrets_are_redacted_completely() {
        assert_eq!(redact("a pak_0:@1 b", ["pak_0", "pak_0:@1"]), "a … b");
        assert_eq!(redact("a u:p@h", ["u:\u{1b}[2Jp@h"]), "a …");
    }
}
