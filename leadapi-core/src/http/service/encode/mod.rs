//! The last step: encodes the outcome of a call as a response (contract D2).

mod json;

use std::sync::Arc;

use bytes::Bytes;
use http::{
    HeaderValue, Response,
    header::{ALLOW, InvalidHeaderValue, LOCATION, RETRY_AFTER, WWW_AUTHENTICATE},
};
use serde::Serialize;

use super::error::{ApiError, Kind, Unauthorized};
use crate::{
    BoxError,
    auth::MalformedToken,
    http::{Operation, ResponseBody, error_response, header::IDEMPOTENCY_REPLAYED, json_response, lead_path_below},
    model::{ClientAccount, Lead, Page, Pipeline},
    port::StoreError,
};

/// The outcome of a successful call.
pub(super) enum Reply {
    Leads(Page<Arc<Lead>>),
    Created { lead: Arc<Lead>, replayed: bool },
    Lead(Arc<Lead>),
    Deleted,
    Pipelines(Page<Pipeline>),
    Clients(Page<ClientAccount>),
}

/// Builds the response to a successful call. Every reply can be encoded, so an error indicates a bug in this crate.
pub(super) fn encode(
    operation: Operation,
    reply: Reply,
    public_path: &str,
) -> Result<Response<ResponseBody>, BoxError> {
    let mut created = None;
    let body = match reply {
        Reply::Leads(page) => json::page(&page).into(),
        Reply::Lead(lead) => json::lead(&lead).into(),
        Reply::Created { lead, replayed } => {
            let location = HeaderValue::try_from(lead_path_below(public_path, &lead.id))?;
            created = Some((location, replayed));
            json::lead(&lead).into()
        }
        Reply::Deleted => Bytes::new(),
        Reply::Pipelines(page) => generic(&page)?,
        Reply::Clients(page) => generic(&page)?,
    };
    let mut response = json_response(operation.endpoint().success, body);
    if let Some((location, replayed)) = created {
        response.headers_mut().insert(LOCATION, location);
        if replayed {
            response.headers_mut().insert(IDEMPOTENCY_REPLAYED, HeaderValue::from_static("true"));
        }
    }
    Ok(response)
}

/// Builds the response to a request that failed.
pub(super) fn refuse(error: &ApiError) -> Response<ResponseBody> {
    let mut response = error_response(error.status(), &error.to_string());
    if let Ok(Some((name, value))) = header_of(error) {
        response.headers_mut().insert(name, value);
    }
    response
}

/// Returns the header that this error's status requires, if any.
fn header_of(error: &ApiError) -> Result<Option<(http::HeaderName, HeaderValue)>, InvalidHeaderValue> {
    Ok(Some(match error.kind() {
        Kind::MethodNotAllowed { allow, .. } => (ALLOW, HeaderValue::try_from(allow)?),
        Kind::Unauthorized(reason) => (WWW_AUTHENTICATE, challenge(*reason)?),
        Kind::RateLimited { retry_after } => (RETRY_AFTER, ApiError::retry_after_secs(*retry_after).into()),
        // Nothing was written, and a retry may succeed, as after any other overload.
        Kind::Internal(cause) if matches!(cause.downcast_ref(), Some(StoreError::Unavailable(_))) => {
            (RETRY_AFTER, 1.into())
        }
        Kind::MissingScope(scope) => {
            let challenge = format!(r#"Bearer error="insufficient_scope", scope="{scope}""#);
            (WWW_AUTHENTICATE, HeaderValue::try_from(challenge)?)
        }
        Kind::NoSuchPath { .. }
        | Kind::Invalid(_)
        | Kind::NoSuchLead
        | Kind::InvalidReference(_)
        | Kind::KeyReused
        | Kind::Internal(_) => return Ok(None),
    }))
}

/// Builds the `WWW-Authenticate` challenge. It contains no error code if the request had no token (RFC 6750, 3.1).
fn challenge(reason: Unauthorized) -> Result<HeaderValue, InvalidHeaderValue> {
    match reason {
        Unauthorized::Header(MalformedToken::Missing) => Ok(HeaderValue::from_static(r#"Bearer realm="leadapi""#)),
        _ => format!(r#"Bearer realm="leadapi", error="invalid_token", error_description="{reason}""#).try_into(),
    }
}

fn generic(value: &impl Serialize) -> serde_json::Result<Bytes> {
    serde_json::to_vec(value).map(Bytes::from)
}
