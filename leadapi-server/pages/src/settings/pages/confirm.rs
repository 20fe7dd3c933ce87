//! The forms that ask for confirmation of a change to a token.

use leadapi_core::port::TokenRecord;
use maud::{Markup, html};

use super::{
    hidden_token,
    lifetime::{DEFAULT_DAYS, expiry_field, overlap_field},
    page,
};
use crate::settings::{
    person::Person,
    route::{TokenForm, path},
};

pub(in crate::settings) fn form(person: &Person, change: TokenForm, token: &TokenRecord) -> Markup {
    let business = person.business();
    let action = path(business, &["tokens", token.id.as_str(), change.name()]);
    let (title, submit) = match change {
        TokenForm::Rotate => ("Rotate the token?", "Rotate token"),
        TokenForm::Revoke => ("Revoke the token?", "Revoke token"),
        TokenForm::Delete => ("Delete the token?", "Delete token"),
    };
    let content = html! {
        p { strong { (token.name) } " " code { (token.hint) "…" } }
        p {
            @match change {
                TokenForm::Rotate => {
                    "A new token with the same name and scopes replaces it. For a while both are valid, so that you "
                    "can change the secret in your integration without an interruption."
                },
                TokenForm::Revoke => {
                    "Every later request with this token will be refused. A revocation cannot be undone."
                },
                TokenForm::Delete => { "The token will disappear from the list. The audit log keeps its name." },
            }
        }
        form.sheet method="post" action=(action) {
            (hidden_token(person, &action))
            @if change == TokenForm::Rotate {
                (overlap_field())
                (expiry_field("The new token expires after", DEFAULT_DAYS))
            }
            div.buttons {
                button type="submit" class=(if change == TokenForm::Rotate { "send" } else { "danger" }) { (submit) }
                a href=(path(business, &["tokens"])) { "Cancel" }
            }
        }
    };
    page(person, "tokens", title, &content)
}
