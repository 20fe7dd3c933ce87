//! Whether something looks like a token.

use percent_encoding::percent_decode;

use super::json::Json;

const PREFIX: &str = "pak_";

/// Whether a body, a URL or a header holds what looks like a token, plainly or behind the escapes of a URL or of JSON.
pub(super) fn sings(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    // Taking escapes away leaves what has none as it is.
    plainly(&percent_decode(bytes).decode_utf8_lossy()) || in_json(&text)
}

/// The text without its tokens, for a sentence that people read.
pub(super) fn masked(text: &str) -> String {
    let mut pieces = text.split(PREFIX);
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |shown, piece| shown + "pak_[token]" + piece.trim_start_matches(is_of_a_token))
}

fn plainly(text: &str) -> bool {
    text.split(PREFIX).skip(1).any(|after| after.starts_with(is_of_a_token))
}

fn is_of_a_token(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '_' | '-')
}

fn in_json(text: &str) -> bool {
    // Only escapes can hide it from a plain look.
    if !text.contains('\\') {
        return false;
    }
    Json::parse(text).is_some_and(|json| found(&json))
}

fn found(json: &Json) -> bool {
    match json {
        Json::Object(fields) => fields.iter().any(|(key, value)| plainly(key) || found(value)),
        Json::Array(items) => items.iter().any(found),
        Json::Text(text) => plainly(text),
        Json::Other(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_and_what_is_none() {
        for token in
            ["pak_0", "x=pak_abc-1", "pak%5Fabc", "%70ak_abc", r#"{"a":["p\u0061k_abc"]}"#, r#"{"\u0070ak_a":1}"#]
        {
            assert!(sings(token.as_bytes()), "{token}");
        }
        for harmless in ["pak_", "pak_ and then", "opak", r#"{"a":"\n"}"#, "PAK_abc"] {
            assert!(!sings(harmless.as_bytes()), "{harmless}");
        }
        assert_eq!(masked("a pak_01-x, pak_"), "a pak_[token], pak_[token]");
    }
}
