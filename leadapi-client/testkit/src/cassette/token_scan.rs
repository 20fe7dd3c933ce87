//! Detects text that looks like a token.

use percent_encoding::percent_decode;

use super::json::Json;

const PREFIX: &str = "pak_";

/// Returns whether a body, URL or header contains text that looks like a token, including URL-escaped or JSON-escaped
/// text.
pub(super) fn contains_token(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    // Decoding leaves text without escapes unchanged.
    has_plain_token(&percent_decode(bytes).decode_utf8_lossy()) || has_token_in_json(&text)
}

/// Masks any tokens in a message.
pub(super) fn mask_tokens(text: &str) -> String {
    let mut pieces = text.split(PREFIX);
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |masked, piece| masked + "pak_[token]" + piece.trim_start_matches(is_token_char))
}

fn has_plain_token(text: &str) -> bool {
    text.split(PREFIX).skip(1).any(|after| after.starts_with(is_token_char))
}

fn is_token_char(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '_' | '-')
}

fn has_token_in_json(text: &str) -> bool {
    // If the text has no JSON escapes, the plain-text search has already found every token.
    if !text.contains('\\') {
        return false;
    }
    Json::parse(text).is_some_and(|json| has_token(&json))
}

fn has_token(json: &Json) -> bool {
    match json {
        Json::Object(fields) => fields.iter().any(|(key, value)| has_plain_token(key) || has_token(value)),
        Json::Array(items) => items.iter().any(has_token),
        Json::Text(text) => has_plain_token(text),
        Json::Other(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_detected_and_similar_texts_are_not() {
        for token in
            ["pak_0", "x=pak_abc-1", "pak%5Fabc", "%70ak_abc", r#"{"a":["p\u0061k_abc"]}"#, r#"{"\u0070ak_a":1}"#]
        {
            assert!(contains_token(token.as_bytes()), "{token}");
        }
        for other in ["pak_", "pak_ and then", "opak", r#"{"a":"\n"}"#, "PAK_abc"] {
            assert!(!contains_token(other.as_bytes()), "{other}");
        }
        assert_eq!(mask_tokens("a pak_01-x, pak_"), "a pak_[token], pak_[token]");
    }
}
