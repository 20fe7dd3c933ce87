//! The findings of `form check`.

use leadapi_form::{Finding, Severity};
use maud::{Markup, html};

use super::{FormVersion, theme::Look, visit::url};
use crate::counts::format_counts;

pub(super) fn section(findings: &[Finding], version: FormVersion, look: &Look) -> Markup {
    html! {
        section aria-labelledby="findings" {
            h2 #findings { "Findings" }
            p { (summary(findings)) }
            @if !look.ignored.is_empty() {
                p { "The preview does not understand these values of the theme: " code { (look.ignored.join(", ")) } }
            }
            @for found in findings { (finding(found, version)) }
        }
    }
}

/// Returns the number of findings of each severity.
pub(super) fn summary(findings: &[Finding]) -> String {
    let count = |severity| findings.iter().filter(|found| found.severity() == severity).map(|found| found.count).sum();
    let severities = [(Severity::Error, "error"), (Severity::Warning, "warning"), (Severity::Note, "note")];
    let counts = severities.map(|(severity, name)| (count(severity), name));
    if findings.is_empty() { "no findings".to_owned() } else { format_counts(&counts) }
}

fn finding(finding: &Finding, version: FormVersion) -> Markup {
    html! {
        details.finding open[finding.severity() == Severity::Error] {
            summary {
                span.tag data-level=(finding.severity().as_str()) { (finding.severity()) } " " (finding.message)
            }
            @if finding.count == 1 { p { (finding.fix) } }
            p { code { (finding.code) } " at " code { (finding.pointer) } }
            @if let Some(answers) = &finding.witness {
                // `Visit::read` limits the page number, so this is the last page that the answers reach.
                p { a href=(url(version, answers, usize::MAX)) { "Walk with answers that demonstrate it" } }
            }
        }
    }
}
