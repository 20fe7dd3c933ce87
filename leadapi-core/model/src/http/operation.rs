//! The table of the seven operations (contract 4). The service routes requests by this table, and the client builds
//! requests from it.

use http::{Method, StatusCode};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::{auth::Scope, id::LeadId};

/// One of the seven operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operation {
    /// `GET /leads`
    ListLeads,
    /// `POST /leads`
    CreateLead,
    /// `GET /leads/{id}`
    GetLead,
    /// `PATCH /leads/{id}`
    UpdateLead,
    /// `DELETE /leads/{id}`
    DeleteLead,
    /// `GET /pipelines`
    ListPipelines,
    /// `GET /clients`
    ListClients,
}

/// An entry in the table of operations.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Endpoint {
    /// The operation.
    pub operation: Operation,
    /// The HTTP method. HEAD is routed like GET (contract D7).
    pub method: Method,
    /// The path below the base path. `{id}` is the placeholder for the id of a lead.
    pub path: &'static str,
    /// The scope that a token needs for the operation.
    pub scope: Scope,
    /// The status of a successful response (contract D2).
    pub success: StatusCode,
    /// Whether the operation is idempotent, so that a retry after a lost response is safe.
    pub idempotent: bool,
}

/// The seven operations (contract 4 and D2).
///
/// ```
/// use leadapi_model::http::TABLE;
///
/// let lines: Vec<String> = TABLE.iter().map(|line| format!("{} {}", line.method, line.path)).collect();
/// assert_eq!(lines.join(", "), "GET /leads, POST /leads, GET /leads/{id}, PATCH /leads/{id}, DELETE /leads/{id}, \
///     GET /pipelines, GET /clients");
/// ```
pub static TABLE: [Endpoint; 7] = {
    use Operation::{CreateLead, DeleteLead, GetLead, ListClients, ListLeads, ListPipelines, UpdateLead};
    use Scope::{Read, Write};

    #[rustfmt::skip]
    const fn line(operation: Operation, method: Method, path: &'static str, scope: Scope, success: StatusCode, idempotent: bool) -> Endpoint {
        Endpoint { operation, method, path, scope, success, idempotent }
    }

    #[rustfmt::skip]
    let table = [
        line(ListLeads,     Method::GET,    "/leads",      Read,  StatusCode::OK,         true),
        line(CreateLead,    Method::POST,   "/leads",      Write, StatusCode::CREATED,    false),
        line(GetLead,       Method::GET,    "/leads/{id}", Read,  StatusCode::OK,         true),
        line(UpdateLead,    Method::PATCH,  "/leads/{id}", Write, StatusCode::OK,         true),
        line(DeleteLead,    Method::DELETE, "/leads/{id}", Write, StatusCode::NO_CONTENT, true),
        line(ListPipelines, Method::GET,    "/pipelines",  Read,  StatusCode::OK,         true),
        line(ListClients,   Method::GET,    "/clients",    Read,  StatusCode::OK,         true),
    ];
    table
};

/// The placeholder for the id of a lead in an [`Endpoint::path`].
pub const ID_PLACEHOLDER: &str = "{id}";

/// The characters to percent-encode in a path segment: all except the unreserved characters of RFC 3986.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

impl Operation {
    /// Returns the operation's entry in the table.
    ///
    /// ```
    /// use leadapi_model::{auth::Scope, http::Operation};
    ///
    /// assert_eq!(Operation::DeleteLead.endpoint().scope, Scope::Write);
    /// ```
    pub fn endpoint(self) -> &'static Endpoint {
        let [list, create, get, update, delete, pipelines, clients] = &TABLE;
        match self {
            Self::ListLeads => list,
            Self::CreateLead => create,
            Self::GetLead => get,
            Self::UpdateLead => update,
            Self::DeleteLead => delete,
            Self::ListPipelines => pipelines,
            Self::ListClients => clients,
        }
    }

    /// Returns the operation's name, for logs and metrics.
    ///
    /// ```
    /// assert_eq!(leadapi_model::http::Operation::ListLeads.name(), "list_leads");
    /// ```
    pub const fn name(self) -> &'static str {
        match self {
            Self::ListLeads => "list_leads",
            Self::CreateLead => "create_lead",
            Self::GetLead => "get_lead",
            Self::UpdateLead => "update_lead",
            Self::DeleteLead => "delete_lead",
            Self::ListPipelines => "list_pipelines",
            Self::ListClients => "list_clients",
        }
    }
}

/// Returns the path of one lead below the base path, with its id percent-encoded.
///
/// ```
/// use leadapi_model::{http::lead_path, id::LeadId};
///
/// assert_eq!(lead_path(&LeadId::parse("a/b")?), "/leads/a%2Fb");
/// # Ok::<(), leadapi_model::id::InvalidId>(())
/// ```
pub fn lead_path(id: &LeadId) -> String {
    lead_path_below("", id)
}

/// Returns the path of one lead including the base path, with its id percent-encoded.
///
/// ```
/// use leadapi_model::{http::lead_path_below, id::LeadId};
///
/// assert_eq!(lead_path_below("/v1", &LeadId::parse("l1")?), "/v1/leads/l1");
/// # Ok::<(), leadapi_model::id::InvalidId>(())
/// ```
pub fn lead_path_below(base: &str, id: &LeadId) -> String {
    let path = Operation::GetLead.endpoint().path;
    let before = path.strip_suffix(ID_PLACEHOLDER).unwrap_or(path);
    let mut path = String::with_capacity(base.len() + before.len() + id.as_str().len());
    path.extend([base, before]);
    // Ids that the service generates need no escaping. This check does not branch on each byte, so it is faster than
    // looking up each byte in `ESCAPED`.
    let is_plain = id.as_str().bytes().fold(true, |all, byte| all & (byte.is_ascii_alphanumeric() || byte == b'-'));
    if is_plain {
        path.push_str(id.as_str());
    } else {
        path.extend(utf8_percent_encode(id.as_str(), ESCAPED));
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_operation_is_on_its_own_line() {
        for line in &TABLE {
            assert_eq!(line.operation.endpoint(), line);
        }
    }
}
