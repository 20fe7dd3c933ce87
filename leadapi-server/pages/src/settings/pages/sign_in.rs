//! The pages for people without a session.

use leadapi_core::{
    auth::{LoginToken, Role},
    port::Membership,
};
use maud::{Markup, html};

use super::plain;
use crate::settings::route::path;

/// Returns the page that a sign-in link opens. Only its button uses the link, because mail scanners and previews open
/// links too.
pub(in crate::settings) fn button(secret: &LoginToken) -> Markup {
    let content = html! {
        p { "The link works once, within 10 minutes of its creation." }
        form.sheet method="post" action="/sign-in" {
            input type="hidden" name="secret" value=(secret.expose());
            div.buttons { button.send type="submit" { "Sign in" } }
        }
    };
    plain("Sign in", &content)
}

/// Returns the page that lists the businesses of a person whose identity the proxy has verified.
pub(in crate::settings) fn businesses(email: &str, memberships: &[Membership]) -> Markup {
    let content = html! {
        p { "You are " strong { (email) } "." }
        @if memberships.is_empty() {
            p { "You are not a member of any business. An owner can add you." }
        } @else {
            ul {
                @for membership in memberships {
                    li {
                        @if membership.role == Role::Member {
                            (membership.business_name) " " span.quiet { "(only owners and admins manage tokens)" }
                        } @else {
                            a href=(path(&membership.business, &["tokens"])) { (membership.business_name) }
                            " " span.quiet { "(" (membership.role) ")" }
                        }
                    }
                }
            }
        }
    };
    plain("Choose a business", &content)
}

/// The way in which a person without a session can sign in.
#[derive(Debug, Default)]
pub(in crate::settings) enum SignIn {
    #[default]
    Link,
    /// With a link that this command creates.
    LinkFrom(&'static str),
    /// On a page of the host, at this URL.
    Host(String),
}

impl SignIn {
    pub(in crate::settings) fn help(&self) -> Markup {
        self.way_in(
            "",
            "You need a sign-in link. Someone with access to the server can create one for an owner or an admin",
        )
    }

    pub(in crate::settings) fn invalid_link(&self) -> Markup {
        self.way_in("It was used before, or it is older than 10 minutes. ", "Ask for a new one")
    }

    /// `ask` names the link that a person needs if the host has no page of its own.
    fn way_in(&self, reason: &str, ask: &str) -> Markup {
        match self {
            Self::Link => html! { p { (reason) (ask) "." } },
            Self::LinkFrom(command) => html! { p { (reason) (ask) ":" } pre { (command) } },
            Self::Host(url) => html! { p { (reason) a href=(url) { "Sign in" } " to continue." } },
        }
    }
}

pub(in crate::settings) fn not_allowed() -> Markup {
    html! {
        p { "Only an owner or an admin of the business may see and manage its tokens. Nothing was changed." }
        p { "If you are an owner or an admin, your session has ended: sign in again." }
    }
}

pub(in crate::settings) fn signed_out() -> Markup {
    plain("You are signed out", &html! { p { "You can close this page." } })
}
