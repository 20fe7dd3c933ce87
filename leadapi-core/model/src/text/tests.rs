use proptest::prelude::*;

use super::*;

/// A token in upper or lower case, with each character plain or escaped.
fn token() -> impl Strategy<Value = String> {
    let characters = "pak_[A-Za-z0-9_-]{12,30}".prop_map(|token| token.chars().collect::<Vec<_>>());
    let spelled = |c: char| {
        let code = u32::from(c);
        let other_case = if c.is_ascii_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() };
        prop_oneof![
            8 => Just(c.to_string()),
            2 => Just(other_case.to_string()),
            1 => Just(format!("%{code:02X}")),
            1 => Just(format!("%2525{code:02x}")),
            1 => Just(format!("\\u{code:04x}")),
        ]
    };
    characters.prop_flat_map(move |all| all.into_iter().map(spelled).collect::<Vec<_>>()).prop_map(|all| all.concat())
}

/// Text without the prefix of a token, with the characters that surround a token in URLs, JSON and headers.
fn other_text() -> impl Strategy<Value = String> {
    "[a-oq-zA-OQ-Zé \"'<,;)}/?=&%\n\u{202e}]{0,20}"
}

proptest! {
    #[test]
    fn a_token_is_found_and_masked_wherever_it_stands(before in other_text(), token in token(), after in other_text()) {
        let text = format!("{before}{token}\n{after}");
        prop_assert_eq!(find_token(text.as_bytes()), Some(before.len()));
        prop_assert!(contains_token(text.as_bytes()));
        prop_assert_eq!(mask_tokens(&text), format!("{before}{MASK}\n{after}"));
    }

    #[test]
    fn masking_removes_every_token_and_nothing_else(text in "([pPaAkK_%5fF\\\\u0 \"x,]|pak_|pak_\\[token\\]|é){0,40}") {
        let masked = mask_tokens(&text);
        prop_assert_eq!(find_token(masked.replace(MASK, "").as_bytes()), None);
        prop_assert!(!contains_token(masked.as_bytes()));
        prop_assert_eq!(mask_tokens(&masked), masked.as_ref());
        prop_assert_eq!(find_token(text.as_bytes()).is_none(), masked == text && !text.contains(MASK));
    }

    #[test]
    fn no_part_of_a_known_token_stays(token in "pak_[A-Za-z0-9]{20,40}", from in 0_usize..10, before in other_text()) {
        let part = token.get(from..from + 14).unwrap_or_default();
        let spaced: String = part.chars().flat_map(|c| [c, '\n']).collect();
        for text in [format!("{before}{part}"), format!("{before} {spaced}")] {
            let masked = mask_known_token(&text, &token);
            prop_assert!(masked.contains(MASK) && !masked.contains(part.get(4..).unwrap_or_default()), "{masked}");
        }
    }

    #[test]
    fn one_line_has_no_unsafe_character_and_keeps_all_others(text in "\\PC{0,10}[a-z\n\r\t\u{b}\u{85}\u{2028}\u{200b}\u{202e}\0 é]{0,30}") {
        let line = one_line(&text);
        prop_assert!(!line.contains(is_unsafe), "{line:?}");
        prop_assert_eq!(line.trim(), line.as_ref());
        prop_assert_eq!(one_line(&line), line.as_ref());
        prop_assert_eq!(line.is_empty(), text.trim().is_empty());
        let kept = |text: &str| text.chars().filter(|c| !is_unsafe(*c) && *c != '\u{fffd}' && *c != ' ').collect::<String>();
        prop_assert_eq!(kept(&line), kept(text.trim()));
    }
}

#[test]
fn a_mention_of_the_prefix_is_no_token() {
    for text in ["pak_", "pak_ and then", "opak", r#"{"a":"\n"}"#, "Bearer pak_...", "Bearer pak_…", MASK] {
        assert!(!contains_token(text.as_bytes()), "{text}");
    }
    assert_eq!(find_token(b"a PAK_"), Some(2));
    assert_eq!(mask_tokens("a pak_01-x, pak_"), "a pak_[token], pak_[token]");
    assert!(matches!(mask_tokens("no token, opak %5F"), Cow::Borrowed(_)));
}

#[test]
fn lines_are_joined_and_unsafe_characters_replaced() {
    for (text, line) in [
        (" plain ", "plain"),
        ("a\r\nb", "a b"),
        ("a\n\n\tb", "a b"),
        ("a\u{2028}b\u{85}c\u{b}d", "a b c d"),
        ("a\0b\u{1b}", "a\u{fffd}b\u{fffd}"),
        ("gpj.\u{202e}exe", "gpj.exe"),
        ("\u{202a}+49 171 1\u{202c}", "+49 171 1"),
        ("a\n\u{200b}\nb", "a b"),
        ("\u{feff} a", "a"),
        ("\u{200f}", "\u{fffd}"),
        ("\u{0}", "\u{fffd}"),
        ("\u{2028}", ""),
    ] {
        assert_eq!(one_line(text), line, "{text:?}");
    }
    assert!(matches!(one_line("مرحبا 👩‍👩‍👧"), Cow::Borrowed(_)));
}
