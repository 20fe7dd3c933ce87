//! The lead of a finished walk, or the reason why there is none.

use leadapi_form::{Finish, FormLead, NameSource, NoLead, Outcome, VerificationKind, Walk};
use maud::{Markup, html};
use serde_json::Value;

use super::visit::Visit;

pub(super) fn section(walk: &Walk<'_>, visit: &Visit) -> Markup {
    let is_finished = visit.at >= walk.steps().count();
    let lead = if is_finished { walk.lead() } else { Err(NoLead::NotFinished) };
    html! {
        section aria-labelledby="lead" {
            h2 #lead { "Lead" }
            @match &lead {
                Ok(made) => (fields(made)),
                Err(reason) => p { "No lead: " (reason) "." },
            }
            @if is_finished {
                @if let Outcome::Finished(finish) = walk.outcome() { (ending(&finish)) }
                @for verification in walk.verifications() {
                    p {
                        "Before it creates the lead, the host verifies the "
                        @if verification.kind == VerificationKind::Email { "email address" } @else { "phone number" }
                        " " b { (verification.text) } "."
                    }
                }
            }
        }
    }
}

fn fields(made: &FormLead<'_>) -> Markup {
    let lead = serde_json::to_value(&made.lead).unwrap_or_default();
    let fields = lead.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null());
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    html! {
        dl.lead {
            @for (name, value) in fields { div { dt { code { (name) } } dd { (text(value)) } } }
        }
        @if made.name_source != NameSource::Name { p { "The name comes from: " code { (made.name_source.as_str()) } } }
        @if !made.attributes.is_empty() {
            h3 { "Attributes" }
            dl.lead {
                @for attribute in &made.attributes {
                    div { dt { code { (attribute.key.unwrap_or(attribute.question)) } } dd { (attribute.text) } }
                }
            }
        }
    }
}

fn ending(finish: &Finish<'_>) -> Markup {
    html! {
        h3 { "Ending" }
        dl.lead {
            div { dt { "id" } dd { (finish.id.unwrap_or("built-in confirmation")) } }
            div { dt { "creates a lead" } dd { @if finish.creates_lead { "yes" } @else { "no" } } }
            @if let Some(event) = finish.meta_event { div { dt { "event" } dd { (event) } } }
            @if let Some(url) = &finish.redirect { div { dt { "redirects to" } dd { (url) } } }
        }
    }
}
