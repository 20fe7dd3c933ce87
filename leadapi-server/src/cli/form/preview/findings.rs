//! The findings of `form check`.

use leadapi_core::form::{Finding, Severity};
use maud::{Markup, html};

use super::{FormVersion, theme::Look, visit::url};

pub(super) fn section(findings: &[Finding], version: FormVersion, look: &Look) -> Markup {
    let count = |severity| findings.iter().filter(|found| found.severity() == severity).map(|found| found.count).sum();
    let [errors, warnings, notes]: [usize; 3] = [Severity::Error, Severity::Warning, Severity::Note].map(count);
    html! {
        section aria-labelledby="findings" {
            h2 #findings { "Findings" }
            p { (errors) " errors, " (warnings) " warnings, " (notes) " notes" }
            @if !look.ignored.is_empty() {
                p { "The preview does not understand these values of the theme: " code { (look.ignored.join(", ")) } }
            }
            @for found in findings { (finding(found, version)) }
        }
    }
}

fn finding(finding: &Finding, version: FormVersion) -> Markup {
    html! {
        details.finding open[finding.severity() == Severity::Error] {
            summary {
                span.tag data-level=(finding.severity().as_str()) { (finding.severity()) } " " (finding.message)
            }
            @if finding.count == 1 { p { (finding.code.advice()) } }
            p { code { (finding.code) } " at " code { (finding.pointer) } }
            @if let Some(answers) = &finding.witness {
                // The walk limits the number of the page, so this is the last page that the answers reach.
                p { a href=(url(version, answers, usize::MAX)) { "Walk with answers that demonstrate it" } }
            }
        }
    }
}
