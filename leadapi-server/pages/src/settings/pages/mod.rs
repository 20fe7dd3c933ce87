//! The HTML of the pages of the API settings.

pub(super) mod audit;
pub(super) mod confirm;
pub(super) mod create;
pub(super) mod lifetime;
pub(super) mod secret;
pub(super) mod sessions;
pub(super) mod sign_in;
pub(super) mod tokens;

use leadapi_core::model::{Page, Timestamp};
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::{
    form::{TOKEN_FIELD, form_token},
    person::Person,
    route::path,
};
use crate::web::head;

/// The pages in a business's navigation, each with the last segment of its path.
const NAVIGATION: [(&str, &str); 3] = [("tokens", "API tokens"), ("audit", "Audit log"), ("sessions", "Sessions")];

/// Returns a page for a person with a session. `here` is the segment of the current page in `NAVIGATION`.
fn page(person: &Person, here: &str, title: &str, content: &Markup) -> Markup {
    let membership = &person.signed_in.membership;
    let business = &membership.business;
    document(
        title,
        &html! {
            div.who {
                span { (membership.business_name) }
                span.quiet { (membership.email) " (" (membership.role) ")" }
                (button(person, &path(business, &["sign-out"]), "Sign out", ""))
            }
        },
        &html! {
            nav.tabs aria-label="API settings" {
                @for (segment, name) in NAVIGATION {
                    a href=(path(business, &[segment])) aria-current=[(segment == here).then_some("page")] { (name) }
                }
            }
            main #main tabindex="-1" {
                h1 { (title) }
                (content)
            }
        },
    )
}

/// Returns a page that needs no session.
pub(super) fn plain(title: &str, content: &Markup) -> Markup {
    document(
        title,
        &html! {},
        &html! {
            main #main tabindex="-1" {
                h1 { (title) }
                (content)
                p { a href="/" { "Go to the start page" } }
            }
        },
    )
}

fn document(title: &str, who: &Markup, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            (PreEscaped(head(&format!("{title} – API settings"), &[])))
            body.settings {
                a.skip href="#main" { "Skip to content" }
                header.bar {
                    a.brand href="/" { img src="/icon.svg" alt="" width="24" height="24"; span { "API settings" } }
                    (who)
                }
                (body)
            }
        }
    }
}

pub(super) fn text(text: &str) -> Markup {
    html! { p { (text) } }
}

/// Returns the hidden field with the form token.
fn hidden_token(person: &Person, path: &str) -> Markup {
    html! { input type="hidden" name=(TOKEN_FIELD) value=(form_token(&person.secret, path)); }
}

/// Returns a form that consists of a button. `label` lets screen readers distinguish buttons with the same text.
fn button(person: &Person, path: &str, text: &str, label: &str) -> Markup {
    html! {
        form method="post" action=(path) {
            (hidden_token(person, path))
            button type="submit" aria-label=[(!label.is_empty()).then_some(label)] { (text) }
        }
    }
}

/// Returns the path of another page of a list. `segment` is the last segment of the list's path.
fn page_path<T>(person: &Person, segment: &str, page: &Page<T>, offset: u64) -> String {
    format!("{}?limit={}&offset={offset}", path(person.business(), &[segment]), page.limit)
}

/// Returns the links to the neighbors of a page of a list that is sorted newest first.
fn pager<T>(person: &Person, segment: &str, page: &Page<T>, items: &str) -> Markup {
    let next = page.offset.saturating_add(page.data.len() as u64);
    let previous = page.offset.saturating_sub(page.limit.into());
    html! {
        div.buttons {
            @if page.offset > 0 { a href=(page_path(person, segment, page, previous)) { "Newer " (items) } }
            @if next < page.total { a href=(page_path(person, segment, page, next)) { "Older " (items) } }
        }
    }
}

/// Formats a time to the minute.
fn time(at: Timestamp) -> Markup {
    let text = at.to_string();
    let (date, time) = (text.get(..10).unwrap_or_default(), text.get(11..16).unwrap_or_default());
    html! { time datetime=(text) { (date) " " (time) " UTC" } }
}

fn optional_time(at: Option<Timestamp>) -> Markup {
    at.map_or_else(|| html! { "never" }, time)
}
