//! The page with the audit log.

use leadapi_core::{
    model::Page,
    port::{AuditAction, AuditEntry},
};
use maud::{Markup, html};

use super::{page as frame, page_path, pager, time};
use crate::settings::person::Person;

pub(in crate::settings) fn page(person: &Person, log: &Page<AuditEntry>) -> Markup {
    let content = html! {
        p {
            "All changes to the tokens and members of this business, and all sign-ins, newest first. "
            a href=(page_path(person, "audit.json", log, log.offset)) { "This page as JSON" }
        }
        table {
            caption.hidden { "The audit log of this business" }
            thead { tr {
                th scope="col" { "Time" }
                th scope="col" { "Person" }
                th scope="col" { "Action" }
                th scope="col" { "Token" }
                th scope="col" { "Address" }
            } }
            tbody {
                @for entry in &log.data { (row(entry)) }
            }
        }
        @if log.data.is_empty() { p.quiet { "There are no entries here." } }
        (pager(person, "audit", log, "entries"))
    };
    frame(person, "audit", "Audit log", &content)
}

fn row(entry: &AuditEntry) -> Markup {
    html! {
        tr {
            td data-label="Time" { (time(entry.at)) }
            td data-label="Person" { (entry.email) }
            td data-label="Action" {
                (describe(entry.action))
                @if let Some(detail) = &entry.detail { br; span.quiet { (detail) } }
            }
            td data-label="Token" {
                @if let Some(name) = &entry.token_name { (name) }
                @if let Some(id) = &entry.token_id { br; code.id { (id) } }
            }
            td data-label="Address" {
                @match entry.address { Some(address) => (address), None => "command line" }
            }
        }
    }
}

fn describe(action: AuditAction) -> String {
    match action {
        AuditAction::TokenCreated => "created a token".to_owned(),
        AuditAction::TokenRotated => "rotated a token".to_owned(),
        AuditAction::TokenRevoked => "revoked a token".to_owned(),
        AuditAction::TokenDeleted => "deleted a token".to_owned(),
        AuditAction::TokenRevokedOnRemoval => "was removed, and lost a token".to_owned(),
        AuditAction::MemberAdded => "was added to the business".to_owned(),
        AuditAction::MemberRoleChanged => "got another role".to_owned(),
        AuditAction::MemberRenamed => "got another email address".to_owned(),
        AuditAction::MemberRemoved => "was removed from the business".to_owned(),
        AuditAction::LoginLinkCreated => "got a sign-in link".to_owned(),
        AuditAction::SignedIn => "signed in with a link".to_owned(),
        AuditAction::SignedInByProxy => "signed in through the proxy".to_owned(),
        AuditAction::SignedOut => "signed out".to_owned(),
        AuditAction::SessionEnded => "ended a session".to_owned(),
        other => other.to_string(),
    }
}
