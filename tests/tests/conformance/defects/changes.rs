//! Changes to requests and responses that simulate defects.

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Method, Request, Response, StatusCode, Uri};
use serde_json::Value;

// Changes to responses:

pub(super) fn status(mut response: Response<Bytes>, from: u16, to: u16) -> Response<Bytes> {
    if response.status() == from {
        *response.status_mut() = StatusCode::from_u16(to).unwrap();
    }
    response
}

pub(super) fn without(mut response: Response<Bytes>, name: &str) -> Response<Bytes> {
    response.headers_mut().remove(name);
    response
}

pub(super) fn with(mut response: Response<Bytes>, name: &'static str, value: &str) -> Response<Bytes> {
    response.headers_mut().insert(HeaderName::from_static(name), HeaderValue::from_str(value).unwrap());
    response
}

pub(super) fn with_replaced(response: Response<Bytes>, name: &'static str, from: &str, to: &str) -> Response<Bytes> {
    if response.headers().get(name).is_some_and(|value| value == from) { with(response, name, to) } else { response }
}

/// Edits the body if it is a JSON object.
pub(super) fn edited_response(response: Response<Bytes>, edit: impl FnOnce(&mut Value)) -> Response<Bytes> {
    let (mut head, body) = response.into_parts();
    let Ok(mut json @ Value::Object(_)) = serde_json::from_slice(&body) else {
        return Response::from_parts(head, body);
    };
    let before = json.clone();
    edit(&mut json);
    // Indexing an absent member as `body["…"]` inserts a null, so such nulls are removed.
    if let Some(object) = json.as_object_mut() {
        object.retain(|name, value| {
            !value.is_null() || before.get(name).is_some() || ["updated_at", "next"].contains(&name.as_str())
        });
    }
    if json == before {
        return Response::from_parts(head, body);
    }
    head.headers.remove("content-length");
    Response::from_parts(head, json.to_string().into())
}

pub(super) fn each_item(response: Response<Bytes>, edit: impl Fn(&mut Value)) -> Response<Bytes> {
    edited_response(response, |body| {
        if let Some(data) = body.get_mut("data").and_then(Value::as_array_mut) {
            data.iter_mut().for_each(edit);
        }
    })
}

pub(super) fn reversed(response: Response<Bytes>) -> Response<Bytes> {
    edited_response(response, |body| {
        if let Some(data) = body.get_mut("data").and_then(Value::as_array_mut) {
            data.reverse();
        }
    })
}

pub(super) fn drop_nulls(body: &mut Value) {
    if let Some(body) = body.as_object_mut() {
        body.retain(|_, value| !value.is_null());
    }
}

pub(super) fn is_list(request: &Request<Bytes>, path: &str) -> bool {
    request.method() == Method::GET && request.uri().path().ends_with(path)
}

pub(super) fn is_lead(request: &Request<Bytes>) -> bool {
    request.method() == Method::POST || request.uri().path().contains("/leads/")
}

// Changes to requests:

/// Edits the body if it is a JSON object.
pub(super) fn edited_request(request: Request<Bytes>, edit: impl FnOnce(&mut Value)) -> Request<Bytes> {
    let (head, body) = request.into_parts();
    let Ok(mut json @ Value::Object(_)) = serde_json::from_slice(&body) else { return Request::from_parts(head, body) };
    let before = json.clone();
    edit(&mut json);
    if let Some(object) = json.as_object_mut() {
        object.retain(|name, value| !value.is_null() || before.get(name).is_some());
    }
    if json == before { Request::from_parts(head, body) } else { Request::from_parts(head, json.to_string().into()) }
}

pub(super) fn with_query_replaced(mut request: Request<Bytes>, from: &str, to: &str) -> Request<Bytes> {
    let uri = request.uri().to_string().replace(from, to);
    *request.uri_mut() = uri.trim_end_matches('?').parse().unwrap();
    request
}

pub(super) fn with_path(mut request: Request<Bytes>, path: &str) -> Request<Bytes> {
    let mut parts = request.uri().clone().into_parts();
    let query = request.uri().query().map(|query| format!("?{query}")).unwrap_or_default();
    parts.path_and_query = Some(format!("{path}{query}").parse().unwrap());
    *request.uri_mut() = Uri::from_parts(parts).unwrap();
    request
}

/// Replaces a business's read-only or write-only token with the one that has both scopes.
pub(super) fn with_both_scopes(mut request: Request<Bytes>) -> Request<Bytes> {
    let authorization =
        request.headers().get("authorization").map(|header| String::from_utf8_lossy(header.as_bytes()).into_owned());
    if authorization.is_some_and(|value| value.contains("CheckRead") || value.contains("CheckWrite")) {
        let target: Value =
            serde_json::from_str(include_str!("../../../../leadapi-client/testkit/conformance/target.json")).unwrap();
        let both = format!("Bearer {}", target["tokens"]["both"].as_str().unwrap());
        request.headers_mut().insert("authorization", both.parse().unwrap());
    }
    request
}

pub(super) fn unauthorized(mut request: Request<Bytes>) -> Request<Bytes> {
    request.headers_mut().remove("authorization");
    request
}
