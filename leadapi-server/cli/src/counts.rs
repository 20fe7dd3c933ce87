//! Formatting of counts for messages.

/// Formats counts as human-readable text, omitting zeros: `1 error and 2 warnings`.
pub(super) fn format_counts(counts: &[(usize, &str)]) -> String {
    let plural = |count: usize| if count == 1 { "" } else { "s" };
    let counts = counts.iter().filter(|(count, _)| *count > 0);
    let mut counts: Vec<String> = counts.map(|(count, what)| format!("{count} {what}{}", plural(*count))).collect();
    match (counts.pop(), counts.is_empty()) {
        (Some(last), false) => format!("{} and {last}", counts.join(", ")),
        (last, _) => last.unwrap_or_default(),
    }
}
