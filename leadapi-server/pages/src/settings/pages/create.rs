//! The page with the form for a new token.

use maud::{Markup, html};

use super::{
    hidden_token,
    lifetime::{DEFAULT_DAYS, expiry_field},
    page,
};
use crate::{
    settings::{person::Person, route::path},
    web::Fields,
};

/// The input of the form, so that it can be shown again with an error.
#[derive(Debug, Clone)]
pub(in crate::settings) struct CreateForm {
    pub(in crate::settings) name: String,
    pub(in crate::settings) scopes: Vec<String>,
    pub(in crate::settings) expires: String,
    fault: Option<String>,
}

impl Default for CreateForm {
    fn default() -> Self {
        Self { name: String::new(), scopes: vec!["read".to_owned()], expires: DEFAULT_DAYS.to_owned(), fault: None }
    }
}

impl CreateForm {
    pub(in crate::settings) fn read(fields: &Fields) -> Self {
        Self {
            name: fields.get("name").to_owned(),
            scopes: fields.all("scope").map(str::to_owned).collect(),
            expires: fields.get("expires").to_owned(),
            fault: None,
        }
    }

    /// Adds the reason why the input was not accepted.
    pub(in crate::settings) fn fault(self, fault: impl Into<String>) -> Self {
        Self { fault: Some(fault.into()), ..self }
    }
}

pub(in crate::settings) fn form(person: &Person, form: &CreateForm) -> Markup {
    let business = person.business();
    let action = path(business, &["tokens"]);
    let has = |scope: &str| form.scopes.iter().any(|chosen| chosen == scope);
    let content = html! {
        form.sheet method="post" action=(action) {
            @if let Some(fault) = &form.fault {
                p.fault role="alert" #fault { (fault) }
            }
            (hidden_token(person, &action))
            label for="name" { "Name" }
            p.hint #name-hint { "What uses the token, such as “Website form”. 1 to 100 characters." }
            input #name name="name" value=(form.name) maxlength="100" required autocomplete="off"
                aria-describedby=(if form.fault.is_some() { "fault name-hint" } else { "name-hint" });
            fieldset {
                legend { "Scopes" }
                label { input type="checkbox" name="scope" value="read" checked[has("read")];
                    "Read: list and get leads, pipelines and client accounts" }
                label { input type="checkbox" name="scope" value="write" checked[has("write")];
                    "Write: create, change and delete leads" }
            }
            (expiry_field("Expires after", &form.expires))
            div.buttons {
                button.send type="submit" { "Create token" }
                a href=(action) { "Cancel" }
            }
        }
    };
    page(person, "tokens", "New token", &content)
}
