//! The page: the form as the visitor sees it, next to the path, the score and the lead that result from the answers.

use std::path::Path;

use leadapi_form::{Finding, FormRecord, Questionnaire, Version};
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::{
    FormVersion, findings, lead, path,
    theme::Look,
    visit::{Visit, url},
    visitor,
};
use leadapi_pages::web::head;

/// Returns the page of a visit.
pub(super) fn page(
    file: &Path,
    locale: Option<&str>,
    record: &FormRecord,
    form: &Questionnaire<'_>,
    visit: &Visit,
    findings: &[Finding],
) -> Markup {
    let look = Look::new(form.theme());
    let counted = visit.counted(form);
    let (walk, counted) = (form.walk(&visit.answers), form.walk(&counted));
    let visitor = visitor::Visitor { record, form, walk: &walk, visit, look: &look };
    let title = visitor.title();
    let title = if visitor.has_problems() { format!("Error: {title}") } else { title };
    document(
        file,
        &title,
        Some(visit.version),
        &html! {
            div.preview {
                main.visitor #main tabindex="-1" lang=[locale] { (visitor.markup()) }
                aside.inspector aria-label="What the engine does" {
                    (status(form, visit))
                    p { a href="#findings" { (findings::summary(findings)) } }
                    (lead::section(&walk, visit))
                    (path::section(&walk, visit, &counted))
                    (findings::section(findings, visit.version, &look))
                }
            }
        },
    )
}

/// Returns a line that names the compiled version and links to the other version.
fn status(form: &Questionnaire<'_>, visit: &Visit) -> Markup {
    let (this, other, name) = match form.version() {
        Version::Live => ("published version", FormVersion::Draft, "draft"),
        Version::Draft => ("draft", FormVersion::Live, "published version"),
    };
    html! {
        p.status {
            "This is the " (this) ". "
            @if form.version() == Version::Draft && visit.version == FormVersion::Live {
                "The form was never published."
            } @else {
                a href=(url(other, &visit.answers, visit.at)) { "Show the " (name) }
            }
            @if !form.is_active() { " The form is not active: " code { "is_active" } " is false." }
        }
    }
}

/// Returns an HTML document with this body. If the body contains a form, `version` selects the theme.
pub(super) fn document(file: &Path, title: &str, version: Option<FormVersion>, body: &Markup) -> Markup {
    let theme = version.map(|version| format!("/theme.css?version={}", version.as_str()));
    let style_sheets: Vec<&str> = ["/preview.css"].into_iter().chain(theme.as_deref()).collect();
    html! {
        (DOCTYPE)
        html lang="en" {
            (PreEscaped(head(&format!("{title} – form preview"), &style_sheets)))
            body {
                a.skip href="#main" { "Skip to the form" }
                header.bar {
                    a.brand href={ "/" @if let Some(version) = version { "?version=" (version.as_str()) } } {
                        img src="/icon.svg" alt="" width="24" height="24";
                        span { "Form preview" }
                    }
                    span.file { (file.display()) }
                }
                (body)
            }
        }
    }
}
