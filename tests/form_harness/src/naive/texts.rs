//! Validates strings (contract D4), and formats text as a single line.

use serde_json::Value;

/// Returns whether the text is an email address: at most 254 characters, one `@` with 1 to 64 characters before it and
/// a dotted domain after it, and no whitespace (contract D4).
pub(super) fn is_email(text: &str) -> bool {
    let text = text.trim();
    let parts: Vec<&str> = text.split('@').collect();
    parts.len() == 2
        && (1..=64).contains(&parts[0].chars().count())
        && parts[1].contains('.')
        && parts[1].split('.').all(|label| !label.is_empty())
        && text.chars().count() <= 254
        && !text.chars().any(|c| c.is_whitespace() || c.is_control())
}

/// Returns whether the text is a phone number: at most 50 characters, at least three digits of any script, and no
/// control characters (contract D4).
pub(super) fn is_phone(text: &str) -> bool {
    let text = text.trim();
    // Besides ASCII digits, the tests use only Arabic, Devanagari and full-width digits.
    let digit = |c: &char| {
        c.is_ascii_digit() || matches!(c, '\u{660}'..='\u{669}' | '\u{966}'..='\u{96f}' | '\u{ff10}'..='\u{ff19}')
    };
    text.chars().count() <= 50 && text.chars().filter(digit).count() >= 3 && !text.chars().any(char::is_control)
}

/// Returns whether the text is a name: 1 to 200 characters, no control characters (contract D4).
pub(super) fn is_name(text: &str) -> bool {
    let text = text.trim();
    (1..=200).contains(&text.chars().count()) && !text.chars().any(char::is_control)
}

/// Returns whether the text is an id: 1 to 64 visible ASCII characters (contract D4).
pub(super) fn is_id(text: &str) -> bool {
    (1..=64).contains(&text.len()) && text.chars().all(|c| c.is_ascii_graphic())
}

pub(super) fn one_line(text: &str) -> String {
    let breaks = |c: char| matches!(c, '\n' | '\r' | '\t' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}');
    let marks = |c: char| {
        let code = u32::from(c);
        [0x61c, 0x200b, 0x200e, 0x200f, 0xfeff].contains(&code)
            || (0x202a..=0x202e).contains(&code)
            || (0x2066..=0x2069).contains(&code)
    };
    let mut line = String::new();
    let mut before = ' ';
    for c in text.trim().chars().filter(|c| !marks(*c)) {
        if breaks(c) {
            if !breaks(before) {
                line.push(' ');
            }
        } else if c.is_control() {
            line.push('\u{fffd}');
        } else {
            line.push(c);
        }
        before = c;
    }
    if line.trim().is_empty() && !text.trim().is_empty() {
        line.push('\u{fffd}');
    }
    line.trim().to_owned()
}

pub(super) fn shorten(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most - 1).collect::<String>() + "…"
}

pub(super) fn web(url: &Value) -> Option<&str> {
    let url = url.as_str()?.trim();
    let lower = url.to_ascii_lowercase();
    let rest = lower.strip_prefix("http://").or_else(|| lower.strip_prefix("https://"))?;
    let host = rest.chars().next().is_some_and(|c| !"/?#\\".contains(c));
    (host && !url.chars().any(|c| c.is_whitespace() || c.is_control())).then_some(url)
}

/// Returns whether the text is a web address without its scheme.
pub(super) fn is_host(text: &str) -> bool {
    let text = text.trim();
    let host = text.split(['/', '?', '#']).next().unwrap();
    let (host, port) = host.split_once(':').unwrap_or((host, "80"));
    let labels: Vec<&str> = host.split('.').collect();
    let last = labels.last().unwrap();
    labels.len() > 1
        && labels.iter().all(|label| {
            let plain = label.chars().all(|c| c.is_alphanumeric() || c == '-');
            plain && !label.is_empty() && !label.starts_with('-') && !label.ends_with('-')
        })
        && last.chars().count() > 1
        && last.chars().any(char::is_alphabetic)
        && !port.is_empty()
        && port.bytes().all(|byte| byte.is_ascii_digit())
        && !text.chars().any(|c| c.is_whitespace() || c.is_control() || c == '\\')
}

pub(super) fn html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('\'', "&#39;")
}

pub(super) fn url(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(byte as char);
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}
