//! Witnesses for text tests: at least one string for each satisfiable combination of tests.
//!
//! A witness consists of a start, some contained parts and an end, separated by a character that occurs in no test. It
//! passes only the tests that every string with the same start, parts and end passes. Therefore, the witnesses
//! represent all strings.

use std::collections::{BTreeSet, HashSet};

use super::signature::{Outcomes, Parts};

/// The maximum number of combinations of tests for which strings are generated.
const MAX_COMBINATIONS: usize = 512;

/// The maximum number of comparisons of generated strings with tests.
const MAX_COMPARISONS: usize = 1 << 20;

/// Strings for the combinations of tests.
pub(super) struct Witnesses {
    pub texts: Vec<String>,
    /// The outcomes of all satisfiable combinations, if the combinations are few enough to try all of them.
    pub combinations: Option<BTreeSet<Outcomes>>,
}

/// Generates strings for all combinations of tests. If possible, they differ from the `constants`, the strings that
/// rules compare answers with. If answers are `restricted` by a syntax, a length or a pattern, generates more strings
/// for each combination, because some of them may be invalid.
pub(super) fn witnesses(parts: &Parts<'_>, constants: &[&str], restricted: bool, lengths: &[usize]) -> Witnesses {
    let all = parts.starts.iter().chain(&parts.ends).chain(&parts.contains).chain(constants);
    let used: HashSet<char> = all.flat_map(|text| text.chars()).collect();
    let is_fresh = |c: &char| !used.contains(c);
    let letter = "xyzqwvkjbupmhgfdcnolrtsaie".chars().chain('\u{4e00}'..='\u{9fff}').find(is_fresh);
    let digit = ('0'..='9').find(is_fresh).unwrap_or('0');
    let separators = Separators { letter: letter.unwrap_or('x'), digit, restricted, lengths };
    let count = 1_usize.checked_shl(u32::try_from(parts.contains.len()).unwrap_or(u32::MAX)).unwrap_or(usize::MAX);
    let ends = (parts.starts.len() + 1).saturating_mul(parts.ends.len() + 1);
    let combinations = count.saturating_mul(ends);
    let complete = letter.is_some()
        && combinations <= MAX_COMBINATIONS
        && combinations.saturating_mul(parts.len()) <= MAX_COMPARISONS;
    let mut witnesses = Witnesses { texts: Vec::new(), combinations: complete.then(BTreeSet::new) };
    if !complete {
        let few = MAX_COMPARISONS / parts.len().max(1);
        let single = parts.starts.iter().map(|start| (*start, None, ""));
        let single = single.chain(parts.ends.iter().map(|end| ("", None, *end)));
        let single = single.chain(parts.contains.iter().map(|part| ("", Some(*part), "")));
        for (start, part, end) in [("", None, "")].into_iter().chain(single).take(few.min(MAX_COMBINATIONS)) {
            separators.make(start, &part.into_iter().collect::<Vec<_>>(), end, &mut witnesses.texts);
        }
        return witnesses;
    }
    for start in parts.starts.iter().copied().chain([""]) {
        for end in parts.ends.iter().copied().chain([""]) {
            for subset in 0..count {
                let chosen = parts.contains.iter().enumerate().filter(|(at, _)| subset >> at & 1 == 1);
                let chosen: Vec<&str> = chosen.map(|(_, part)| *part).collect();
                let plain = join(start, &chosen, end, &separators.letter.to_string());
                if let Some(combinations) = &mut witnesses.combinations {
                    // If an earlier subset produced the same outcomes, no more strings are needed.
                    if !combinations.insert(parts.outcomes(&plain)) {
                        continue;
                    }
                }
                separators.make(start, &chosen, end, &mut witnesses.texts);
            }
        }
    }
    witnesses
}

struct Separators<'l> {
    /// A letter and a digit that, if possible, no test contains.
    letter: char,
    digit: char,
    restricted: bool,
    /// The lengths that a string may need.
    lengths: &'l [usize],
}

impl Separators<'_> {
    /// Generates strings with these parts.
    fn make(&self, start: &str, parts: &[&str], end: &str, texts: &mut Vec<String>) {
        let (letter, digit) = (self.letter.to_string(), self.digit.to_string());
        // This string is neither an email address nor a phone number, so it contributes no contact details to a lead.
        let useless = format!("{} {letter}", letter.repeat(60));
        texts.extend([&letter, &useless].map(|separator| join(start, parts, end, separator)));
        if !self.restricted {
            return;
        }
        let spaced = format!("{letter} {letter}");
        let separators = [&digit, &spaced, &digit.repeat(3), &format!("{letter}{digit}")];
        texts.extend(separators.map(|separator| join(start, parts, end, separator)));
        // Email addresses and URLs.
        let local = join(start, parts, "", &letter);
        let hosts = if end.is_empty() {
            vec![format!("{letter}.{letter}")]
        } else {
            vec![end.to_owned(), format!("{letter}{end}"), format!("{letter}.{end}"), format!("{letter}.{letter}{end}")]
        };
        for host in hosts {
            texts.extend([format!("{local}@{host}"), format!("{local}{host}"), format!("{local}.{host}")]);
        }
        let path = join("", parts, end, &letter);
        texts.push(format!("https://{letter}.{letter}/{path}"));
        texts.push(format!("{start}{letter}.{letter}/{path}"));
        texts.push(format!("{start}://{letter}.{letter}/{path}"));
        // Strings without separators, and strings of exactly the minimum and the maximum length.
        let bare = format!("{start}{}{end}", parts.concat());
        for length in self.lengths {
            let missing = length.saturating_sub(bare.chars().count());
            for filler in [&letter, &digit] {
                texts.push(format!("{start}{}{}{end}", parts.concat(), filler.repeat(missing)));
                texts.push(format!("{start}{}{}{end}", filler.repeat(missing), parts.concat()));
            }
        }
        texts.push(bare);
    }
}

fn join(start: &str, parts: &[&str], end: &str, separator: &str) -> String {
    let mut text = format!("{start}{separator}");
    for part in parts {
        text.push_str(part);
        text.push_str(separator);
    }
    text.push_str(end);
    text
}
