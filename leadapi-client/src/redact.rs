//! Redacts text from responses for errors and logs. The result is one line of limited length, without tokens.

use leadapi_model::{
    auth::BearerToken,
    text::{mask_known_token, mask_tokens, one_line},
};

/// The maximum number of characters in an error message from the service.
pub(crate) const MAX_MESSAGE_CHARS: usize = 2_000;
/// The maximum number of characters quoted from any other body, such as a proxy's error page.
pub(crate) const MAX_FOREIGN_CHARS: usize = 200;

/// Returns at most `max_chars` characters of the text, safe to log: tokens are masked, and control characters are
/// replaced.
///
/// Some proxies echo the request headers. The token is masked before the text is truncated, because a truncated token
/// would not be found.
pub(crate) fn redact(text: &str, token: &BearerToken, max_chars: usize) -> String {
    // The prefix is much longer than the result, but short enough to search quickly.
    let prefix: String = text.chars().take(max_chars.saturating_mul(16)).collect();
    // `one_line` removes invisible characters, which could join the parts of a token, so mask tokens only afterwards.
    let masked = mask_known_token(&one_line(&prefix), token.expose());
    let masked = mask_tokens(&masked);
    let mut chars = masked.chars();
    let mut redacted: String = chars.by_ref().take(max_chars).collect();
    if chars.next().is_some() || prefix.len() < text.len() {
        redacted.push('…');
    }
    redacted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_result_is_one_line_limited_and_without_tokens() {
        let token = BearerToken::parse("pak_secret").unwrap();
        assert_eq!(redact(" a\r\nb\u{1b}[31mc\u{202e}\0 ", &token, 99), "a b\u{fffd}[31mc\u{fffd}");
        assert_eq!(redact("ééé", &token, 3), "ééé");
        assert_eq!(redact("éééé", &token, 3), "ééé…");
        assert_eq!(redact("Authorization: Bearer pak_secret", &token, 99), "Authorization: Bearer pak_[token]");
        assert_eq!(redact("\"pak_secr...\", pak_other1", &token, 99), "\"pak_[token]\", pak_[token]");
        assert_eq!(redact("{\"a\":\"pak_a-b._c\"}", &token, 99), "{\"a\":\"pak_[token]\"}");
        assert_eq!(redact("p\u{200b}ak_other1", &token, 99), "pak_[token]");
        // If the text were truncated first, "pak_sec" would remain.
        assert_eq!(redact("xxx pak_secret", &token, 11), "xxx pak_[to…");
    }

    #[test]
    fn every_encoding_of_the_token_is_redacted() {
        const TOKEN: &str = "pak_Zq7RkV2mXcB9sLwT4yHnG8jD3fP6aKe1uQoWiEtYrUo0AbC";
        let token = BearerToken::parse(TOKEN).unwrap();
        let percent = TOKEN.bytes().map(|byte| format!("%{byte:02X}")).collect::<Vec<_>>().concat();
        let twice = TOKEN.bytes().map(|byte| format!("%25{byte:02x}")).collect::<Vec<_>>().concat();
        let unicode = TOKEN.bytes().map(|byte| format!("\\u{byte:04x}")).collect::<Vec<_>>().concat();
        let (first, second) = TOKEN.split_at(25);
        // The token in base64: alone, after "Bearer ", and after "user:".
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
            let redacted = redact(&format!("before {form} after"), &token, 2_000);
            assert!(redacted.starts_with("before ") && redacted.ends_with(" after"), "{redacted}");
            let bare = |text: &str| -> String {
                text.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase()
            };
            // The base64 encodings of "Bearer " and "user:" may remain.
            let secret = bare(form.trim_start_matches("QmVhcmVyIH").trim_start_matches("dXNlcjpw"));
            let left = bare(&redacted);
            let secrets = if form.contains("it begins") { [bare(first), bare(second)] } else { [secret, bare(TOKEN)] };
            for secret in &secrets {
                let survives =
                    secret.as_bytes().windows(10).any(|part| left.as_bytes().windows(10).any(|left| left == part));
                assert!(!survives, "{form}: {redacted}");
            }
        }
        let plain = "A proxy's error page without the token, 502 Bad Gateway, cGFnZQ==, %41%42";
        assert_eq!(redact(plain, &token, 200), plain);
    }
}
