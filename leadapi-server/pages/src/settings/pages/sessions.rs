//! The page with the list of sessions.

use leadapi_core::port::Session;
use maud::{Markup, html};

use super::{button, page, time};
use crate::settings::{person::Person, route::path};

pub(in crate::settings) fn list(person: &Person, sessions: &[Session]) -> Markup {
    let content = html! {
        p {
            "The people who are signed in to these settings. A session ends when it has not been used for 12 hours, and "
            "7 days after the sign-in. Each person can have 10 sessions."
        }
        table {
            caption.hidden { "The sessions of this business" }
            thead { tr {
                th scope="col" { "Person" }
                th scope="col" { "Signed in" }
                th scope="col" { "Last used" }
                th scope="col" { "Address" }
                th scope="col" { "Actions" }
            } }
            tbody {
                @for session in sessions { (row(person, session)) }
            }
        }
    };
    page(person, "sessions", "Sessions", &content)
}

fn row(person: &Person, session: &Session) -> Markup {
    let is_own = session.id == person.signed_in.session.id;
    let action = path(person.business(), &["sessions", session.id.as_str(), "end"]);
    let created = session.created_at.to_string();
    html! {
        tr {
            th scope="row" data-label="Person" { (session.email) }
            td data-label="Signed in" { (time(session.created_at)) }
            td data-label="Last used" { (time(session.last_used_at)) }
            td data-label="Address" {
                @match session.address { Some(address) => (address), None => "Unix socket" }
            }
            td.actions data-label="Actions" {
                @if is_own { span.quiet { "this session" } } @else {
                    (button(person, &action, "End", &format!("End the session of {} from {created}", session.email)))
                }
            }
        }
    }
}
