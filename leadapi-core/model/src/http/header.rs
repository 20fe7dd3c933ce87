//! The header names that the API defines, shared by client and service.

use http::HeaderName;

/// The request header that identifies a create, so that a retry does not create a second lead (contract D10).
pub const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// The response header that has the value `true` on a replay, that is, if an earlier request created the lead (contract
/// D10).
pub const IDEMPOTENCY_REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

/// The header that identifies a request in the logs (contract D2). The host sets it; the service neither reads nor sets
/// it.
pub const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
