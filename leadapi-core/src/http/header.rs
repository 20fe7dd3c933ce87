//! The names of the headers that the API has of its own, for both of its ends.

use http::HeaderName;

/// Names a create, so that it can be sent again without making a second lead (contract D10).
pub const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// `true` on the answer to a create that had been answered before (contract D10).
pub const IDEMPOTENCY_REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

/// By which a request is found in the logs (contract D2); the host sets it, the service does not know of it.
pub const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
