//! How texts from outside are shown: on one line, bounded, and without the token.

use leadapi_core::auth::BearerToken;

use crate::token_search::{MASK, without_token};

/// The most characters of a server's own message.
pub(crate) const MESSAGE_CHARS: usize = 2_000;
/// The most characters of a body that is not the server's own, such as the page of a proxy.
pub(crate) const FOREIGN_CHARS: usize = 200;

/// A text as it may stand in a log.
///
/// Some proxies answer with the headers that they were sent, so the token is taken out before the text is cut: half a
/// token would no longer be found.
pub(crate) fn shown(text: &str, token: &BearerToken, most: usize) -> String {
    // Far more than is shown, and little enough to search through.
    let near: String = text.chars().take(most.saturating_mul(16)).collect();
    let clean = without_tokens(&without_token(&near, token.expose()));
    let mut chars = clean.trim().chars().map(harmless);
    let mut shown: String = chars.by_ref().take(most).collect();
    if chars.next().is_some() || near.len() < text.len() {
        shown.push('…');
    }
    shown
}

/// Any other token, and any beginning of ours, is taken out as well, in upper and lower case.
fn without_tokens(text: &str) -> String {
    const PREFIX: &str = "pak_";
    let lower = text.to_ascii_lowercase();
    let mut shown = String::new();
    let mut from = 0;
    while let Some(at) = lower.get(from..).and_then(|rest| rest.find(PREFIX)) {
        shown += text.get(from..from + at).unwrap_or_default();
        shown += MASK;
        let rest = text.get(from + at + PREFIX.len()..).unwrap_or_default();
        let after = rest.strip_prefix("[token]").unwrap_or(rest).trim_start_matches(is_of_a_token);
        from = text.len() - after.len();
    }
    shown + text.get(from..).unwrap_or_default()
}

/// Tokens are of visible ASCII; what ends one in JSON, HTML and headers is left.
fn is_of_a_token(character: char) -> bool {
    character.is_ascii_graphic() && !matches!(character, '"' | '\'' | '<' | '>' | ',' | ';' | ')' | ']' | '}')
}

/// Line breaks would forge lines of a log, escape sequences steer a terminal, and marks of direction turn text around.
fn harmless(character: char) -> char {
    match character {
        '\t' | '\n' | '\r' | '\u{2028}' | '\u{2029}' => ' ',
        '\u{61c}'
        | '\u{200b}'
        | '\u{200e}'
        | '\u{200f}'
        | '\u{feff}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        other if other.is_control() => '\u{fffd}',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn on_one_line_bounded_and_without_the_token() {
        let token = BearerToken::parse("pak_secret").unwrap();
        assert_eq!(shown(" a\r\nb\u{1b}[31mc\u{202e}\0 ", &token, 99), "a  b\u{fffd}[31mc\u{fffd}\u{fffd}");
        assert_eq!(shown("ééé", &token, 3), "ééé");
        assert_eq!(shown("éééé", &token, 3), "ééé…");
        assert_eq!(shown("Authorization: Bearer pak_secret", &token, 99), "Authorization: Bearer pak_[token]");
        assert_eq!(shown("\"pak_secr...\", pak_other1", &token, 99), "\"pak_[token]\", pak_[token]");
        assert_eq!(shown("{\"a\":\"pak_a-b._c\"}", &token, 99), "{\"a\":\"pak_[token]\"}");
        // Cut first, "pak_sec" would be left.
        assert_eq!(shown("xxx pak_secret", &token, 11), "xxx pak_[to…");
    }

    #[test]
    fn no_form_of_the_token_is_left() {
        const TOKEN: &str = "pak_Zq7RkV2mXcB9sLwT4yHnG8jD3fP6aKe1uQoWiEtYrUo0AbC";
        let token = BearerToken::parse(TOKEN).unwrap();
        let percent = TOKEN.bytes().map(|byte| format!("%{byte:02X}")).collect::<Vec<_>>().concat();
        let twice = TOKEN.bytes().map(|byte| format!("%25{byte:02x}")).collect::<Vec<_>>().concat();
        let unicode = TOKEN.bytes().map(|byte| format!("\\u{byte:04x}")).collect::<Vec<_>>().concat();
        let (first, second) = TOKEN.split_at(25);
        // Of the token, of "Bearer " and the token, and of "user:" and the token.
        let base64 = [
            "cGFrX1pxN1JrVjJtWGNCOXNMd1Q0eUhuRzhqRDNmUDZhS2UxdVFvV2lFdFlyVW8wQWJD",
            "QmVhcmVyIHBha19acTdSa1YybVhjQjlzTHdUNHlIbkc4akQzZlA2YUtlMXVRb1dpRXRZclVvMEFiQw==",
            "dXNlcjpwYWtfWnE3UmtWMm1YY0I5c0x3VDR5SG5HOGpEM2ZQNmFLZTF1UW9XaUV0WXJVbzBBYkM=",
        ];
        let forms = [
            TOKEN.to_owned(),
            TOKEN.replace('_', "%5F"),
            percent,
            twice,
            unicode,
            TOKEN.to_uppercase(),
            TOKEN.to_lowercase(),
            format!("{first} {second}"),
            format!("{first}\r\n\t{second}"),
            format!("{{\"a\":\"{first}\",\"b\":\"{second}\"}}"),
            format!("it begins with {first} and it ends with {second}."),
            TOKEN.chars().map(|character| format!("{character} ")).collect::<Vec<_>>().concat(),
        ];
        for form in forms.iter().map(String::as_str).chain(base64) {
            let shown = shown(&format!("before {form} after"), &token, 2_000);
            assert!(shown.starts_with("before ") && shown.ends_with(" after"), "{shown}");
            let bare = |text: &str| -> String {
                text.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase()
            };
            // What base64 makes of "Bearer " and of "user:" may stay.
            let secret = bare(form.trim_start_matches("QmVhcmVyIH").trim_start_matches("dXNlcjpw"));
            let left = bare(&shown);
            let secrets = if form.contains("it begins") { [bare(first), bare(second)] } else { [secret, bare(TOKEN)] };
            for secret in &secrets {
                let survives =
                    secret.as_bytes().windows(10).any(|part| left.as_bytes().windows(10).any(|left| left == part));
                assert!(!survives, "{form}: {shown}");
            }
        }
        let harmless = "The page of a proxy that knows nothing, 502 Bad Gateway, cGFnZQ==, %41%42";
        assert_eq!(shown(harmless, &token, 200), harmless);
    }
}
