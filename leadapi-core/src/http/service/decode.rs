//! Step 6 of contract D1: decodes the query, headers and body into a valid call. All errors are reported together.

use bytes::Bytes;
use http::HeaderMap;

use super::{body, json, query, route::Route};
use crate::{
    http::{Operation, header::IDEMPOTENCY_KEY},
    id::LeadId,
    model::{IdempotencyKey, InvalidIdempotencyKey, LeadPatch, LeadQuery, NewLead, Window},
    validate::{FieldError, FieldErrors, InvalidReference, LeadDraft, LeadEdit},
};

/// A decoded call. Only the checks that need a lookup remain.
///
/// `LeadEdit` is boxed to keep the enum small. A request's future contains several copies of the enum, and moving the
/// future moves them all.
///
/// Malformed ids never reach a store. A malformed lead id becomes `None`. A malformed filter becomes an
/// [`InvalidReference`], and the list request is rejected.
pub(super) enum Call {
    ListLeads(LeadQuery, Option<InvalidReference>),
    CreateLead(LeadDraft, Option<IdempotencyKey>),
    GetLead(Option<LeadId>),
    UpdateLead(Option<LeadId>, Box<LeadEdit>),
    DeleteLead(Option<LeadId>),
    ListPipelines(Window),
    ListClients(Window),
}

/// Decodes a request. `body` is the complete body or the error from reading it. It is empty for an operation that takes
/// no body.
pub(super) fn decode(
    route: Route<'_>,
    query: Option<&str>,
    headers: &HeaderMap,
    body: Result<Bytes, FieldError>,
) -> Result<Call, FieldErrors> {
    let mut errors = FieldErrors::default();
    let call = match route.operation {
        Operation::ListLeads => {
            let (query, invalid) = query::leads(query, &mut errors);
            Some(Call::ListLeads(query, invalid))
        }
        Operation::ListPipelines => Some(Call::ListPipelines(query::window(query, &mut errors))),
        Operation::ListClients => Some(Call::ListClients(query::window(query, &mut errors))),
        Operation::GetLead => {
            query::none(query, &mut errors);
            Some(Call::GetLead(route.lead()))
        }
        Operation::DeleteLead => {
            query::none(query, &mut errors);
            Some(Call::DeleteLead(route.lead()))
        }
        Operation::CreateLead => {
            query::none(query, &mut errors);
            let key = idempotency_key(headers).map_err(|error| errors.push(error)).unwrap_or_default();
            let draft = decode_body(headers, body, &mut errors, json::new_lead, NewLead::check_with);
            draft.map(|draft| Call::CreateLead(draft, key))
        }
        Operation::UpdateLead => {
            query::none(query, &mut errors);
            let edit = decode_body(headers, body, &mut errors, json::lead_patch, LeadPatch::check_with);
            edit.map(|edit| Call::UpdateLead(route.lead(), edit.into()))
        }
    };
    match call {
        Some(call) if errors.is_empty() => Ok(call),
        _ => Err(errors),
    }
}

/// Reads and checks the body, or returns `None` if it is invalid. The errors of the body are collected separately,
/// because an error in a query parameter could otherwise hide an error in the body field of the same name.
fn decode_body<R, T>(
    headers: &HeaderMap,
    body: Result<Bytes, FieldError>,
    errors: &mut FieldErrors,
    read: fn(&[u8], &mut FieldErrors) -> Option<R>,
    check: fn(R, FieldErrors) -> Result<T, FieldErrors>,
) -> Option<T> {
    let content_type = body::check_content_type(headers).map_err(|error| errors.push(error));
    let bytes = body.map_err(|error| errors.push(error));
    // If the content type is not JSON, the body is not parsed.
    let bytes = content_type.and(bytes).ok()?;
    let mut own = FieldErrors::default();
    let checked = match read(&bytes, &mut own) {
        Some(value) => check(value, own),
        None => Err(own),
    };
    checked.map_err(|own| errors.append(own)).ok()
}

fn idempotency_key(headers: &HeaderMap) -> Result<Option<IdempotencyKey>, FieldError> {
    let mut values = headers.get_all(IDEMPOTENCY_KEY).iter();
    let Some(value) = values.next() else { return Ok(None) };
    let key = value.to_str().map_err(|_| InvalidIdempotencyKey).and_then(IdempotencyKey::parse);
    match key {
        Ok(key) if values.next().is_none() => Ok(Some(key)),
        Ok(_) => Err(FieldError::new("Idempotency-Key", "is given more than once")),
        Err(error) => Err(FieldError::new("Idempotency-Key", error.to_string())),
    }
}
