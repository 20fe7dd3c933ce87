//! The page with the list of tokens.

use std::time::Duration;

use leadapi_core::{
    model::{Page, Timestamp},
    port::{TokenRecord, TokenState, TokenUse},
};
use maud::{Markup, html};

use super::{optional_time, page, pager, time};
use crate::settings::{
    person::Person,
    route::{TokenForm, path},
};

/// A token that expires within this time is marked as expiring soon.
const SOON: Duration = Duration::from_secs(14 * 24 * 60 * 60);

pub(in crate::settings) fn list(
    person: &Person,
    tokens: &Page<TokenRecord>,
    now: Timestamp,
    notice: Option<&str>,
) -> Markup {
    let new = path(person.business(), &["tokens", "new"]);
    let content = html! {
        @if let Some(notice) = notice {
            p.notice role="status" { (notice) }
        }
        div.top {
            p { "A token lets a program use the API for this business." }
            a.button.send href=(new) { "New token" }
        }
        @if tokens.data.is_empty() {
            p.quiet { @if tokens.total == 0 { "There are no tokens yet." } @else { "There are no tokens here." } }
        } @else {
            table {
                caption.hidden { "The tokens of this business" }
                thead { tr {
                    th scope="col" { "Name" }
                    th scope="col" { "Scopes" }
                    th scope="col" { "Created" }
                    th scope="col" { "Last used" }
                    th scope="col" { "Expires" }
                    th scope="col" { "State" }
                    th scope="col" { "Actions" }
                } }
                tbody {
                    @for token in &tokens.data { (row(person, token, now)) }
                }
            }
        }
        (pager(person, "tokens", tokens, "tokens"))
    };
    page(person, "tokens", "API tokens", &content)
}

fn row(person: &Person, token: &TokenRecord, now: Timestamp) -> Markup {
    let state = token.state(now);
    let link = |change: TokenForm, text: &str| {
        let path = path(person.business(), &["tokens", token.id.as_str(), change.name()]);
        let class = (change != TokenForm::Rotate).then_some("danger");
        html! { a class=[class] href=(path) aria-label=(format!("{text} {} {}", token.name, token.hint)) { (text) } }
    };
    html! {
        tr {
            th scope="row" data-label="Name" { (token.name) br; code { (token.hint) "…" } }
            td data-label="Scopes" { (token.scopes) }
            td data-label="Created" {
                (time(token.created_at))
                @if let Some(by) = &token.created_by { br; span.quiet { (by) } }
            }
            td data-label="Last used" { (last_used(token, now)) }
            td data-label="Expires" {
                (optional_time(token.expires_at))
                @if state == TokenState::Good && expires_soon(token, now) { br; strong.soon { "expires soon" } }
            }
            td data-label="State" {
                span.state data-state=(state) { (state) }
                @if let Some(at) = token.revoked_at { br; (time(at)) }
            }
            td.actions data-label="Actions" {
                @if state == TokenState::Good {
                    (link(TokenForm::Rotate, "Rotate")) " " (link(TokenForm::Revoke, "Revoke"))
                } @else {
                    (link(TokenForm::Delete, "Delete"))
                }
            }
        }
    }
}

fn last_used(token: &TokenRecord, now: Timestamp) -> Markup {
    match token.last_used_at {
        Some(at) if now.saturating_duration_since(at) < TokenUse::INTERVAL => html! { "in the last 15 minutes" },
        at => optional_time(at),
    }
}

fn expires_soon(token: &TokenRecord, now: Timestamp) -> bool {
    token.expires_at.is_some_and(|at| at.saturating_duration_since(now) <= SOON)
}
