//! The only page that shows a secret. The page is the response to the POST that created the token, so neither a reload
//! nor the back button shows the secret again.

use leadapi_core::{auth::BearerToken, port::TokenRecord};
use maud::{Markup, html};

use super::optional_time;
use crate::settings::{person::Person, route::path};

pub(in crate::settings) fn page(person: &Person, token: &TokenRecord, secret: &BearerToken) -> Markup {
    let content = html! {
        p role="status" {
            "The token " strong { (token.name) } " was created. Its scopes: " (token.scopes)
            ". It expires: " (optional_time(token.expires_at)) "."
        }
        div.sheet {
            label for="secret" { "Secret" }
            input.secret #secret readonly value=(secret.expose()) spellcheck="false" autocomplete="off"
                aria-describedby="once";
            p.notice #once {
                strong { "Copy the secret now. " }
                "It is stored only as a hash, so nobody can show it again. If it is lost, rotate the token."
            }
            div.buttons { a.button href=(path(person.business(), &["tokens"])) { "Done" } }
        }
    };
    super::page(person, "tokens", "Copy the secret", &content)
}
