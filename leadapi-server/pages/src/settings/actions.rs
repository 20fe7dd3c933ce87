//! The actions of the pages. They check the input, call the core, and render the result.

use http::StatusCode;
use leadapi_core::{
    auth::{BearerToken, Scope, Scopes},
    id::{SessionId, TokenId},
    model::{Page as Listed, Window},
    port::{AuditEntry, SessionEnded, TokenRecord, TokenRefusal},
    tokens::{NewToken, Rotation, TokenError},
};

use super::{
    Settings,
    pages::{self, create::CreateForm, lifetime},
    person::Person,
    problem::Problem,
    route::{TokenForm, path},
};
use crate::web::{Fields, Page, html, respond, see_other};

pub(super) async fn list(settings: &Settings, person: &Person, query: &Fields) -> Result<Page, Problem> {
    let tokens = settings.tokens.page(&person.admin(), window(query)?).await?;
    let notice = match query.get("done") {
        "revoke" => Some("The token was revoked. Running servers refuse it within 2 seconds."),
        "delete" => Some("The token was deleted."),
        _ => None,
    };
    Ok(html(StatusCode::OK, pages::tokens::list(person, &tokens, settings.now(), notice)))
}

pub(super) fn new(person: &Person) -> Page {
    html(StatusCode::OK, pages::create::form(person, &CreateForm::default()))
}

pub(super) async fn create(settings: &Settings, person: &Person, fields: &Fields) -> Result<Page, Problem> {
    let form = CreateForm::read(fields);
    let again = |fault: &str| html(StatusCode::BAD_REQUEST, pages::create::form(person, &form.clone().fault(fault)));
    let scopes: Vec<Scope> = form.scopes.iter().filter_map(|scope| scope.parse().ok()).collect();
    let Ok(scopes) = Scopes::try_from(scopes) else { return Ok(again("Choose at least one scope.")) };
    let now = settings.now();
    let mut new = NewToken::new(&*form.name, scopes);
    new.expires_at = lifetime::expiry(&form.expires, now)?;
    match settings.tokens.create(&person.admin(), new).await {
        Ok((token, secret)) => Ok(created(person, &token, &secret)),
        Err(TokenError::Name(rule)) => Ok(again(&format!("The name {rule}."))),
        Err(TokenError::Refused(TokenRefusal::NameTaken(_))) => {
            Ok(again("Another valid token has this name. Choose another name, or revoke that token first."))
        }
        Err(error) => Err(error.into()),
    }
}

fn created(person: &Person, token: &TokenRecord, secret: &BearerToken) -> Page {
    html(StatusCode::OK, pages::secret::page(person, token, secret))
}

/// Renders the form that asks for confirmation of a change.
pub(super) async fn confirm(
    settings: &Settings,
    person: &Person,
    change: TokenForm,
    id: &TokenId,
) -> Result<Page, Problem> {
    let token = settings.tokens.get(&person.admin(), id).await?.ok_or(Problem::NotFound)?;
    Ok(html(StatusCode::OK, pages::confirm::form(person, change, &token)))
}

pub(super) async fn change(
    settings: &Settings,
    person: &Person,
    change: TokenForm,
    id: &TokenId,
    fields: &Fields,
) -> Result<Page, Problem> {
    let admin = person.admin();
    match change {
        TokenForm::Rotate => {
            let mut rotation = Rotation::new(lifetime::overlap(fields.get("overlap"))?);
            rotation.expires_at = lifetime::expiry(fields.get("expires"), settings.now())?;
            let (token, secret) = settings.tokens.rotate(&admin, id, rotation).await?;
            return Ok(created(person, &token, &secret));
        }
        TokenForm::Revoke => match settings.tokens.revoke(&admin, id).await {
            Ok(_) | Err(TokenError::Refused(TokenRefusal::AlreadyRevoked(_))) => {}
            Err(error) => return Err(error.into()),
        },
        TokenForm::Delete => {
            settings.tokens.delete(&admin, id).await?;
        }
    }
    Ok(see_other(&format!("{}?done={}", path(person.business(), &["tokens"]), change.name())))
}

pub(super) async fn audit(settings: &Settings, person: &Person, query: &Fields) -> Result<Page, Problem> {
    let log = read_audit(settings, person, query).await?;
    Ok(html(StatusCode::OK, pages::audit::page(person, &log)))
}

pub(super) async fn audit_json(settings: &Settings, person: &Person, query: &Fields) -> Result<Page, Problem> {
    let log = read_audit(settings, person, query).await?;
    let json = serde_json::to_vec(&log).map_err(|error| Problem::Failed(error.to_string()))?;
    Ok(respond(StatusCode::OK, "application/json", json))
}

async fn read_audit(settings: &Settings, person: &Person, query: &Fields) -> Result<Listed<AuditEntry>, Problem> {
    Ok(settings.tokens.audit(&person.admin(), window(query)?).await?)
}

/// Reads the part of a list that a query selects.
fn window(query: &Fields) -> Result<Window, Problem> {
    const RULE: Problem = Problem::BadRequest("limit must be 1 to 200, and offset a whole number.");
    let number = |name| Some(query.get(name)).filter(|text| !text.is_empty()).map(str::parse::<u64>).transpose();
    let (limit, offset) = (number("limit").map_err(|_| RULE)?, number("offset").map_err(|_| RULE)?);
    let limit = u32::try_from(limit.unwrap_or(Window::DEFAULT_LIMIT.into())).map_err(|_| RULE)?;
    Window::new(limit, offset.unwrap_or(0)).map_err(|_| RULE)
}

pub(super) async fn sessions(settings: &Settings, person: &Person) -> Result<Page, Problem> {
    let sessions = settings.sessions.list(&person.admin()).await?;
    Ok(html(StatusCode::OK, pages::sessions::list(person, &sessions)))
}

pub(super) async fn end_session(settings: &Settings, person: &Person, id: &SessionId) -> Result<Page, Problem> {
    match settings.sessions.end(&person.admin(), id).await? {
        SessionEnded::Done => Ok(see_other(&path(person.business(), &["sessions"]))),
        SessionEnded::NotFound => Err(Problem::NotFound),
        _ => Err(Problem::NotAllowed),
    }
}

pub(super) async fn sign_out(settings: &Settings, person: &Person) -> Result<Page, Problem> {
    settings.sessions.sign_out(&person.signed_in, person.address()).await?;
    Ok(html(StatusCode::OK, pages::sign_in::signed_out()))
}
