//! Builds and validates the request of each operation without sending it (contract 4).

use bytes::Bytes;
use http::{
    HeaderValue, Request,
    header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, USER_AGENT},
};
use leadapi_model::{
    auth::BearerToken,
    http::{Operation, header::IDEMPOTENCY_KEY, lead_path},
    id::LeadId,
    model::{IdempotencyKey, LeadPatch, LeadQuery, NewLead, Window},
    validate::FieldErrors,
};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Serialize;

use crate::base_url::BaseUrl;

/// The `User-Agent` of the client, without the name of the calling program.
pub(crate) const CLIENT_NAME: &str = concat!("leadapi-client/", env!("CARGO_PKG_VERSION"));
const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// The base URL, the credentials and the user agent of a client. `Debug` masks the credentials.
#[derive(Debug)]
pub(crate) struct Origin {
    pub(crate) base: BaseUrl,
    pub(crate) token: BearerToken,
    /// The value of the `Authorization` header, which contains the token and is marked as sensitive.
    pub(crate) authorization: HeaderValue,
    pub(crate) user_agent: HeaderValue,
}

/// A valid request, which all attempts of a call send unchanged.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(crate) operation: Operation,
    path_and_query: String,
    body: Option<Bytes>,
    pub(crate) key: Option<IdempotencyKey>,
}

/// The reason why the client rejects a request without sending it.
#[derive(Debug, thiserror::Error)]
pub(crate) enum InvalidRequest {
    /// The request breaks a rule. The service would reject it with the same text.
    #[error(transparent)]
    FieldErrors(#[from] FieldErrors),
    /// The id is `.` or `..`. URL parsers remove such segments, so the request would go to a different path.
    #[error("id must not be . or .., which URL parsers remove from a path")]
    Unaddressable,
    /// A value cannot be serialized as JSON. This should never happen, because every field can be serialized.
    #[error("body cannot be serialized as JSON")]
    Unserializable(#[from] serde_json::Error),
}

impl Prepared {
    pub(crate) fn list_leads(query: &LeadQuery) -> Self {
        let mut path_and_query = list(Operation::ListLeads, query.window);
        let filters = [
            ("client_id", query.client.as_ref().map(AsRef::as_ref)),
            ("stage_id", query.stage.as_ref().map(AsRef::as_ref)),
        ];
        for (name, value) in filters {
            if let Some(value) = value {
                path_and_query.extend(["&", name, "="]);
                path_and_query.extend(utf8_percent_encode(value, NON_ALPHANUMERIC));
            }
        }
        Self::bare(Operation::ListLeads, path_and_query)
    }

    pub(crate) fn create_lead(new: &NewLead, key: Option<&IdempotencyKey>) -> Result<Self, InvalidRequest> {
        new.check()?;
        let operation = Operation::CreateLead;
        let path = operation.endpoint().path.to_owned();
        Ok(Self { body: Some(json(new)?), key: key.cloned(), ..Self::bare(operation, path) })
    }

    pub(crate) fn get_lead(id: &LeadId) -> Result<Self, InvalidRequest> {
        Ok(Self::bare(Operation::GetLead, addressable(id)?))
    }

    pub(crate) fn update_lead(id: &LeadId, patch: &LeadPatch) -> Result<Self, InvalidRequest> {
        patch.check()?;
        Ok(Self { body: Some(json(patch)?), ..Self::bare(Operation::UpdateLead, addressable(id)?) })
    }

    pub(crate) fn delete_lead(id: &LeadId) -> Result<Self, InvalidRequest> {
        Ok(Self::bare(Operation::DeleteLead, addressable(id)?))
    }

    pub(crate) fn pipelines(window: Window) -> Self {
        Self::bare(Operation::ListPipelines, list(Operation::ListPipelines, window))
    }

    pub(crate) fn clients(window: Window) -> Self {
        Self::bare(Operation::ListClients, list(Operation::ListClients, window))
    }

    const fn bare(operation: Operation, path_and_query: String) -> Self {
        Self { operation, path_and_query, body: None, key: None }
    }

    /// Returns whether executing the request twice has the same effect as executing it once.
    pub(crate) fn is_idempotent(&self) -> bool {
        self.key.is_some() || self.operation.endpoint().idempotent
    }

    /// Builds the request. The request's only secret, the `Authorization` header, is marked as sensitive.
    pub(crate) fn request(&self, origin: &Origin) -> Result<Request<Bytes>, http::Error> {
        let mut request = Request::builder()
            .method(self.operation.endpoint().method.clone())
            .uri(origin.base.join(&self.path_and_query))
            .header(AUTHORIZATION, &origin.authorization)
            .header(ACCEPT, JSON)
            .header(USER_AGENT, &origin.user_agent);
        if self.body.is_some() {
            request = request.header(CONTENT_TYPE, JSON);
        }
        if let Some(key) = &self.key {
            request = request.header(IDEMPOTENCY_KEY, key.as_str());
        }
        request.body(self.body.clone().unwrap_or_default())
    }
}

/// Returns the path and query of a list. The query always contains the window, so the page does not depend on the
/// service's default.
fn list(operation: Operation, window: Window) -> String {
    format!("{}?limit={}&offset={}", operation.endpoint().path, window.limit(), window.offset())
}

fn addressable(id: &LeadId) -> Result<String, InvalidRequest> {
    // All other ids are percent-encoded, so URL parsers do not change them.
    if matches!(id.as_str(), "." | "..") { Err(InvalidRequest::Unaddressable) } else { Ok(lead_path(id)) }
}

fn json(value: &impl Serialize) -> Result<Bytes, InvalidRequest> {
    Ok(serde_json::to_vec(value)?.into())
}

#[cfg(test)]
mod tests {
    use leadapi_model::{
        http::TABLE,
        id::{ClientId, StageId},
    };

    use super::*;

    fn line(call: &Prepared) -> String {
        format!("{} {}", call.operation.endpoint().method, call.path_and_query)
    }

    #[test]
    fn every_operation_uses_its_endpoint_in_the_operation_table() {
        let (id, patch) = (LeadId::parse("l1").unwrap(), LeadPatch::new().name("Ann"));
        let new = NewLead::new(&ClientId::parse("c1").unwrap(), "Ann");
        let calls = [
            Prepared::list_leads(&LeadQuery::new()),
            Prepared::create_lead(&new, None).unwrap(),
            Prepared::get_lead(&id).unwrap(),
            Prepared::update_lead(&id, &patch).unwrap(),
            Prepared::delete_lead(&id).unwrap(),
            Prepared::pipelines(Window::default()),
            Prepared::clients(Window::default()),
        ];
        for (call, endpoint) in calls.iter().zip(&TABLE) {
            let line = line(call).replace("l1", "{id}").replace("?limit=50&offset=0", "");
            assert_eq!(line, format!("{} {}", endpoint.method, endpoint.path));
        }
    }

    #[test]
    fn ids_are_escaped() {
        let query = LeadQuery::new()
            .client(ClientId::parse("a&b=c#d").unwrap())
            .stage(StageId::parse("100%+1").unwrap())
            .window(Window::new(7, 9).unwrap());
        let expected = "GET /leads?limit=7&offset=9&client_id=a%26b%3Dc%23d&stage_id=100%25%2B1";
        assert_eq!(line(&Prepared::list_leads(&query)), expected);
        for (id, segment) in [("a/b", "a%2Fb"), ("?x", "%3Fx"), ("%2e", "%252e"), ("...", "..."), ("\\", "%5C")] {
            let call = Prepared::get_lead(&LeadId::parse(id).unwrap()).unwrap();
            assert_eq!(line(&call), format!("GET /leads/{segment}"));
        }
    }

    #[test]
    fn an_id_of_dots_is_not_sent() {
        for id in [".", ".."].map(|id| LeadId::parse(id).unwrap()) {
            assert!(matches!(Prepared::get_lead(&id), Err(InvalidRequest::Unaddressable)));
            assert!(matches!(Prepared::delete_lead(&id), Err(InvalidRequest::Unaddressable)));
            let patch = LeadPatch::new().name("Ann");
            assert!(matches!(Prepared::update_lead(&id, &patch), Err(InvalidRequest::Unaddressable)));
        }
    }

    #[test]
    fn an_invalid_request_is_not_sent() {
        let nobody = NewLead::default();
        let (ours, theirs) = (Prepared::create_lead(&nobody, None).unwrap_err(), nobody.check().unwrap_err());
        assert_eq!(ours.to_string(), theirs.to_string());
        let nothing = Prepared::update_lead(&LeadId::parse("l1").unwrap(), &LeadPatch::new()).unwrap_err();
        assert_eq!(nothing.to_string(), "body has no field to change");
        let nan = NewLead::new(&ClientId::parse("c1").unwrap(), "Ann").value(f64::NAN);
        assert!(matches!(Prepared::create_lead(&nan, None), Err(InvalidRequest::FieldErrors(_))), "JSON has no NaN");
    }

    #[test]
    fn a_request_has_its_headers() {
        let mut authorization = HeaderValue::from_static("Bearer pak_secret");
        authorization.set_sensitive(true);
        let origin = Origin {
            base: BaseUrl::parse("https://api.example.com/v1").unwrap(),
            token: BearerToken::parse("pak_secret").unwrap(),
            authorization,
            user_agent: HeaderValue::from_static(CLIENT_NAME),
        };
        let new = NewLead::new(&ClientId::parse("c1").unwrap(), "Ann");
        let key = IdempotencyKey::parse("row-1").unwrap();
        let create = Prepared::create_lead(&new, Some(&key)).unwrap().request(&origin).unwrap();
        assert_eq!(create.uri(), "https://api.example.com/v1/leads");
        assert_eq!(create.headers()["idempotency-key"], "row-1");
        assert_eq!(create.headers()["content-type"], "application/json");
        assert_eq!(create.body(), r#"{"client_id":"c1","name":"Ann"}"#);
        assert!(!format!("{create:?}").contains("secret"));

        let list = Prepared::list_leads(&LeadQuery::new()).request(&origin).unwrap();
        assert_eq!(list.headers().get("content-type"), None);
        assert_eq!(list.headers()["authorization"], "Bearer pak_secret");
        assert!(list.headers()["user-agent"].to_str().unwrap().starts_with("leadapi-client/0."));
    }
}
