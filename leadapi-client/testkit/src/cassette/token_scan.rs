//! Detects text that looks like a token.

use percent_encoding::percent_decode;

use leadapi_core::text;

use super::json::Json;

/// Returns whether a body, URL or header contains text that looks like a token, including URL-escaped or JSON-escaped
/// text.
pub(super) fn contains_token(bytes: &[u8]) -> bool {
    // Decoding leaves text without escapes unchanged.
    text::contains_token(&percent_decode(bytes).decode_utf8_lossy())
        || has_token_in_json(&String::from_utf8_lossy(bytes))
}

fn has_token_in_json(body: &str) -> bool {
    // If the text has no JSON escapes, the plain-text search has already found every token.
    if !body.contains('\\') {
        return false;
    }
    Json::parse(body).is_some_and(|json| has_token(&json))
}

fn has_token(json: &Json) -> bool {
    match json {
        Json::Object(fields) => fields.iter().any(|(key, value)| text::contains_token(key) || has_token(value)),
        Json::Array(items) => items.iter().any(has_token),
        Json::Text(string) => text::contains_token(string),
        Json::Other(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_detected_and_similar_texts_are_not() {
        for token in [
            "pak_0",
            "x=pak_abc-1",
            "pak%5Fabc",
            "%70ak_abc",
            "PAK_abc",
            r#"{"a":["p\u0061k_abc"]}"#,
            r#"{"\u0070ak_a":1}"#,
        ] {
            assert!(contains_token(token.as_bytes()), "{token}");
        }
        for other in ["pak_", "pak_ and then", "opak", r#"{"a":"\n"}"#] {
            assert!(!contains_token(other.as_bytes()), "{other}");
        }
    }
}
