//! Sample strings for patterns, for proofs. A sample is only a guess. The proof validates it like any other answer.

use std::{iter::Peekable, str::Chars};

/// The maximum number of characters in a sample.
const MAX_CHARS: usize = 200;
/// The maximum depth of nested groups.
const MAX_DEPTH: usize = 20;

/// Returns a string that probably matches the pattern.
pub(super) fn sample(pattern: &str) -> Option<String> {
    let mut chars = pattern.chars().peekable();
    let text = alternatives(&mut chars, 0)?;
    (chars.next().is_none() && text.chars().count() <= MAX_CHARS).then_some(text)
}

/// Reads alternatives up to the end of the group, and returns a sample of the first alternative.
fn alternatives(chars: &mut Peekable<Chars<'_>>, depth: usize) -> Option<String> {
    let first = sequence(chars, depth)?;
    while chars.next_if_eq(&'|').is_some() {
        sequence(chars, depth)?;
    }
    Some(first)
}

fn sequence(chars: &mut Peekable<Chars<'_>>, depth: usize) -> Option<String> {
    let mut text = String::new();
    while let Some(c) = chars.next_if(|c| !matches!(c, '|' | ')')) {
        let atom = match c {
            '^' | '$' => continue,
            '(' => {
                group_flags(chars)?;
                let inner = alternatives(chars, (depth < MAX_DEPTH).then_some(depth + 1)?)?;
                chars.next_if_eq(&')')?;
                inner
            }
            '[' => class(chars)?.to_string(),
            '.' => "x".to_owned(),
            '\\' => escaped(chars.next()?)?.to_string(),
            c => c.to_string(),
        };
        let atom = atom.repeat(repetitions(chars)?);
        text.push_str(&atom);
        if text.len() > 4 * MAX_CHARS {
            return None;
        }
    }
    Some(text)
}

/// Skips `?:` or a name at the beginning of a group.
fn group_flags(chars: &mut Peekable<Chars<'_>>) -> Option<()> {
    if chars.next_if_eq(&'?').is_none() {
        return Some(());
    }
    match chars.next()? {
        ':' => Some(()),
        'P' | '<' => chars.find(|c| *c == '>').map(|_| ()),
        _ => None,
    }
}

/// Reads a quantifier, and returns the smallest number of repetitions that it allows. Returns 1 for an optional part,
/// so that the part is present.
fn repetitions(chars: &mut Peekable<Chars<'_>>) -> Option<usize> {
    let count = match chars.next_if(|c| matches!(c, '?' | '*' | '+' | '{')) {
        None => return Some(1),
        Some('{') => {
            let inner: String = chars.by_ref().take_while(|c| *c != '}').collect();
            let least: usize = inner.split(',').next()?.trim().parse().ok()?;
            if least == 0 && inner.trim() != "0" { 1 } else { least }
        }
        Some(_) => 1,
    };
    // A lazy quantifier allows the same numbers of repetitions.
    chars.next_if_eq(&'?');
    (count <= MAX_CHARS).then_some(count)
}

/// Reads a class after its opening bracket, and returns one of its characters.
fn class(chars: &mut Peekable<Chars<'_>>) -> Option<char> {
    let negated = chars.next_if_eq(&'^').is_some();
    let mut members = Vec::new();
    while let Some(c) = chars.next() {
        match c {
            ']' if !members.is_empty() => break,
            '\\' => members.push(escaped(chars.next()?)?),
            // The end of a range is a member too.
            '-' if !members.is_empty() && chars.peek() != Some(&']') => {}
            c => members.push(c),
        }
    }
    if negated { "x0 -é".chars().find(|c| !members.contains(c)) } else { members.first().copied() }
}

/// Returns a character that an escape stands for.
fn escaped(c: char) -> Option<char> {
    Some(match c {
        'd' => '1',
        'w' | 'D' | 'S' => 'x',
        's' => ' ',
        'W' => '-',
        't' => '\t',
        c if c.is_ascii_alphanumeric() => return None,
        c => c,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_match_their_patterns() {
        for pattern in [
            "^[0-9]{5}$",
            r"^\+?[1-9]\d{6,14}$",
            "^[A-Z]{2}[0-9A-Z]{2,12}$",
            r"^(?:DE|AT)-\d+( \d+)*$",
            r"^https?://[^\s]+\.pdf$",
            "^[^@]+@example\\.org$",
            r"^(?P<a>x{0,3})(y|z)?[]-]\.$",
            "a+?b*",
            "^[äöü-]+$",
        ] {
            let text = sample(pattern).unwrap_or_else(|| panic!("{pattern}"));
            assert!(regex_lite::Regex::new(pattern).unwrap().is_match(&text), "{pattern} {text:?}");
        }
        for hard in [r"\bx", r"x{300}", "(?i)x", "a)", &"(".repeat(30)] {
            assert_eq!(sample(hard), None, "{hard}");
        }
    }
}
