//! How texts from outside are shown: on one line, bounded, and without the token.

use leadapi_core::auth::BearerToken;

/// The most characters of a server's own message.
pub(crate) const MESSAGE_CHARS: usize = 2_000;
/// The most characters of a body that is not the server's own, such as the page of a proxy.
pub(crate) const FOREIGN_CHARS: usize = 200;

/// A text as it may stand in a log.
///
/// Some proxies answer with the headers that they were sent, so the token is taken out before the text is cut: half a
/// token would no longer be found.
pub(crate) fn shown(text: &str, token: &BearerToken, most: usize) -> String {
    let clean = without_tokens(&text.replace(token.expose(), "pak_[token]"));
    let mut chars = clean.trim().chars().map(harmless);
    let mut shown: String = chars.by_ref().take(most).collect();
    if chars.next().is_some() {
        shown.push('…');
    }
    shown
}

/// Any other token, and any beginning of ours, is taken out as well.
fn without_tokens(text: &str) -> String {
    let mut pieces = text.split("pak_");
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |shown, piece| {
        let rest = piece.strip_prefix("[token]").unwrap_or(piece).trim_start_matches(is_of_a_token);
        shown + "pak_[token]" + rest
    })
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
}
