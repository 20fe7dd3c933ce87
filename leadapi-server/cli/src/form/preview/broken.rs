//! The page for a file that cannot be read or is not a form record.

use std::path::Path;

use maud::{Markup, html};

use super::page::document;
use crate::CommandError;

/// The number of lines to show before and after the line with the error.
const LINES_AROUND: usize = 3;
/// The number of characters to show before and after the error, because a file can be a single long line.
const CHARS_AROUND: usize = 60;

/// Returns a page with the error, and the lines around it if the file is not a form record.
pub(super) fn page(file: &Path, text: &str, error: &CommandError) -> Markup {
    let at = match error {
        CommandError::Form { source, .. } => Some((source.line(), source.column())),
        _ => None,
    };
    let lines = at.map(|(line, column)| excerpt(text, line, column)).unwrap_or_default();
    document(
        file,
        "The form cannot be read",
        None,
        &html! {
            main.broken #main tabindex="-1" {
                h1 { "The form cannot be read" }
                p.fault role="alert" { (error.to_string()) }
                @if !lines.is_empty() {
                    pre tabindex="0" aria-label="The lines around the error" {
                        @for (number, line, is_wrong) in &lines {
                            @if *is_wrong { mark { (number) "  " (line) } } @else { (number) "  " (line) }
                            "\n"
                        }
                    }
                }
                p { "Correct the file, and reload this page." }
            }
        },
    )
}

/// Returns the lines around an error: the number and the text of each line, and whether it contains the error.
fn excerpt(text: &str, line: usize, column: usize) -> Vec<(String, String, bool)> {
    let lines = text.lines().enumerate().map(|(at, text)| (at + 1, text));
    let around = lines.filter(|(number, _)| number.abs_diff(line) <= LINES_AROUND);
    let shown = around.map(|(number, text)| {
        let start = if number == line { column.saturating_sub(CHARS_AROUND) } else { 0 };
        let mut shown: String = text.chars().skip(start).take(2 * CHARS_AROUND).collect();
        if start > 0 {
            shown.insert(0, '…');
        }
        if text.chars().nth(start + 2 * CHARS_AROUND).is_some() {
            shown.push('…');
        }
        (format!("{number:>5}"), shown, number == line)
    });
    shown.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_around_an_error_are_shown() {
        let text = (1..=9).map(|line| format!("line {line}")).collect::<Vec<_>>().join("\n");
        let lines = excerpt(&text, 2, 5);
        let lines: Vec<_> =
            lines.iter().map(|(number, text, is_wrong)| (number.trim(), text.as_str(), *is_wrong)).collect();
        assert_eq!(lines[..2], [("1", "line 1", false), ("2", "line 2", true)]);
        assert_eq!(lines.len(), 5);
        let [(_, long, _)] = &excerpt(&"x".repeat(10_000), 1, 5_000)[..] else { panic!("one line") };
        assert_eq!(long.chars().count(), 122);
        assert!(long.starts_with('…') && long.ends_with('…'));
    }
}
