//! The API on seven lines (contract 4): the service routes by this table and the client builds its requests from it.

use http::{Method, StatusCode};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::{auth::Scope, id::LeadId};

/// One of the seven operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
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

/// A line of the table: how an operation is asked for and how it succeeds.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Endpoint {
    /// The operation.
    pub operation: Operation,
    /// Its method; HEAD goes where GET goes (contract D7).
    pub method: Method,
    /// Its path below the base path, `{id}` standing for the id of a lead.
    pub path: &'static str,
    /// What a token must allow.
    pub scope: Scope,
    /// The status of its success (contract D2).
    pub success: StatusCode,
    /// Whether doing it twice leaves what doing it once leaves, so that it may be sent again when its answer was lost.
    pub idempotent: bool,
}

/// The seven operations (contract 4 and D2).
///
/// ```
/// use leadapi_core::http::TABLE;
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

/// Where the id of a lead stands in a path.
pub(crate) const ID: &str = "{id}";

/// What needs no escape in a segment of a path (RFC 3986, unreserved).
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

impl Operation {
    /// The operation's line of the table.
    ///
    /// ```
    /// use leadapi_core::{auth::Scope, http::Operation};
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

    /// The operation's name, for logs and metrics.
    ///
    /// ```
    /// assert_eq!(leadapi_core::http::Operation::ListLeads.name(), "list_leads");
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

/// The path of one lead below the base path, its id escaped.
///
/// ```
/// use leadapi_core::{http::lead_path, id::LeadId};
///
/// assert_eq!(lead_path(&LeadId::parse("a/b")?), "/leads/a%2Fb");
/// # Ok::<(), leadapi_core::id::InvalidId>(())
/// ```
pub fn lead_path(id: &LeadId) -> String {
    lead_path_below("", id)
}

/// The same with the base path before it.
pub(crate) fn lead_path_below(base: &str, id: &LeadId) -> String {
    let path = Operation::GetLead.endpoint().path;
    let before = path.strip_suffix(ID).unwrap_or(path);
    let mut path = String::with_capacity(base.len() + before.len() + id.as_str().len());
    path.extend([base, before]);
    // As those that the service makes are, and seen sooner, without a branch for each byte, than each is looked up among
    // those that need an escape.
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
