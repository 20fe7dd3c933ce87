//! The expiries and overlaps that the forms offer.

use std::time::Duration;

use leadapi_core::model::Timestamp;
use maud::{Markup, html};

use crate::settings::problem::Problem;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The form value for a token that never expires.
const NEVER: &str = "never";
/// The preselected number of days.
pub(in crate::settings) const DEFAULT_DAYS: &str = "90";
const EXPIRIES: [(&str, u32, &str); 4] =
    [("7", 7, "7 days"), ("30", 30, "30 days"), (DEFAULT_DAYS, 90, "90 days"), ("365", 365, "1 year")];

const DEFAULT_OVERLAP: &str = "7";
const OVERLAPS: [(&str, u32, &str); 4] =
    [("0", 0, "Not at all"), ("1", 1, "1 day"), (DEFAULT_OVERLAP, 7, "7 days"), ("30", 30, "30 days")];

const UNKNOWN: Problem = Problem::BadRequest("Choose one of the offered periods.");

/// Returns the expiry time for the chosen value, or `None` if the token must not expire. Fails if the form does not
/// offer the value.
pub(in crate::settings) fn expiry(choice: &str, now: Timestamp) -> Result<Option<Timestamp>, Problem> {
    if choice == NEVER {
        return Ok(None);
    }
    now.checked_add(find(&EXPIRIES, choice)?).map(Some).ok_or(UNKNOWN)
}

/// Returns the chosen overlap of a rotation. Fails if the form does not offer the value.
pub(in crate::settings) fn overlap(choice: &str) -> Result<Duration, Problem> {
    find(&OVERLAPS, choice)
}

fn find(choices: &[(&str, u32, &str)], choice: &str) -> Result<Duration, Problem> {
    choices.iter().find(|(value, ..)| *value == choice).map(|(_, days, _)| DAY * *days).ok_or(UNKNOWN)
}

/// Returns the fields for choosing an expiry.
pub(super) fn expiry_field(legend: &str, chosen: &str) -> Markup {
    html! {
        fieldset aria-describedby="never" {
            legend { (legend) }
            (radios("expires", &EXPIRIES, chosen))
            label { input type="radio" name="expires" value=(NEVER) checked[chosen == NEVER]; "Never" }
            p.hint #never {
                strong { "Never is risky: " }
                "if the secret leaks, it works until somebody notices and revokes the token."
            }
        }
    }
}

/// Returns the fields for choosing an overlap.
pub(super) fn overlap_field() -> Markup {
    html! {
        fieldset {
            legend { "The old token stays valid for" }
            (radios("overlap", &OVERLAPS, DEFAULT_OVERLAP))
        }
    }
}

fn radios(name: &str, choices: &[(&str, u32, &str)], chosen: &str) -> Markup {
    html! {
        @for (value, _, text) in choices {
            label { input type="radio" name=(name) value=(value) checked[*value == chosen]; (text) }
        }
    }
}
