//! Predicates for the kinds of errors that callers distinguish.

use http::StatusCode;

use super::{Cause, Error, NotFound};

impl Error {
    /// Returns whether the request is invalid: the service responded with 400, or the client rejected the request
    /// without sending it. Correct the request before retrying.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # let error = support::answered(400);
    /// if error.is_invalid() {
    ///     println!("invalid: {}", error.message());
    /// }
    /// # assert!(error.is_invalid());
    /// ```
    pub fn is_invalid(&self) -> bool {
        matches!(self.0.cause, Cause::InvalidRequest(_)) || self.has(StatusCode::BAD_REQUEST)
    }

    /// Returns whether the token is invalid (status 401).
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # let error = support::answered(401);
    /// if error.is_unauthorized() {
    ///     println!("the token is unknown, expired or revoked");
    /// }
    /// # assert!(error.is_unauthorized());
    /// ```
    pub fn is_unauthorized(&self) -> bool {
        self.has(StatusCode::UNAUTHORIZED)
    }

    /// Returns whether the service responded with 403: the token lacks the required scope, or the token's business does
    /// not own the client account.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # let error = support::answered(403);
    /// if error.is_forbidden() {
    ///     println!("not allowed with this token: {}", error.message());
    /// }
    /// # assert!(error.is_forbidden());
    /// ```
    pub fn is_forbidden(&self) -> bool {
        self.has(StatusCode::FORBIDDEN)
    }

    /// Returns whether the token lacks the scope that the operation requires. Unlike a 403 for a client account, a
    /// missing scope affects every call to the operation.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # let error = support::answered(403);
    /// if error.lacks_scope() {
    ///     println!("the token lacks the required scope");
    /// }
    /// # assert!(!error.lacks_scope(), "a 403 without a challenge is about the client account");
    /// ```
    pub fn lacks_scope(&self) -> bool {
        self.is_forbidden() && self.response().is_some_and(|response| response.lacks_scope)
    }

    /// Returns whether the service says that the lead does not exist. Any other 404, for example from a proxy, counts
    /// as an error in the [configuration](Self::is_configuration).
    ///
    /// ```
    /// use leadapi_client::id::LeadId;
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # support::run(async |client| {
    /// match client.leads().delete(&LeadId::parse("nobody")?).await {
    ///     Ok(()) => println!("deleted"),
    ///     Err(error) if error.is_not_found() => println!("the lead does not exist"),
    ///     Err(error) => return Err(error.into()),
    /// }
    /// # Ok(()) });
    /// ```
    pub fn is_not_found(&self) -> bool {
        self.response().is_some_and(|response| response.not_found == Some(NotFound::Lead))
    }

    /// Returns whether the base URL is probably wrong, because the service does not handle the operation there. The
    /// response is then a redirect, a 405, or a 404 other than the service's own 404 for a nonexistent lead. The
    /// error's text names the URL, without the lead's id.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # let error = support::answered(404);
    /// if error.is_configuration() {
    ///     println!("is the base URL right? {error}");
    /// }
    /// # assert!(error.is_configuration());
    /// ```
    pub fn is_configuration(&self) -> bool {
        let not_found = self.response().and_then(|response| response.not_found.as_ref());
        matches!(not_found, Some(NotFound::Operation(_)))
    }

    /// Returns whether the token's rate limit is exceeded: the service responded with 429, or the wait that a 429
    /// requires would exceed the call's timeout. [`retry_after`](Self::retry_after) returns how long to wait.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # let error = support::answered(429);
    /// if error.is_rate_limited() {
    ///     println!("retry in {:?}", error.retry_after());
    /// }
    /// # assert!(error.is_rate_limited());
    /// ```
    pub fn is_rate_limited(&self) -> bool {
        matches!(self.0.cause, Cause::DeadlineExceeded { refused: true, .. }) || self.has(StatusCode::TOO_MANY_REQUESTS)
    }

    /// Returns whether the service or a proxy failed (any status from 500 to 599).
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # let error = support::answered(503);
    /// if error.is_server_error() {
    ///     println!("the service failed: {error}");
    /// }
    /// # assert!(error.is_server_error());
    /// ```
    pub fn is_server_error(&self) -> bool {
        self.status().is_some_and(|status| status.is_server_error())
    }

    /// Returns whether the call timed out while connecting or waiting for the response, or failed because the
    /// client-side rate limit would have delayed it beyond its timeout.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # let error = support::answered(500);
    /// if error.is_timeout() {
    ///     println!("too slow: {:?}", error.elapsed());
    /// }
    /// # assert!(!error.is_timeout());
    /// ```
    pub fn is_timeout(&self) -> bool {
        match &self.0.cause {
            Cause::Transport(error) => error.is_timeout(),
            Cause::DeadlineExceeded { refused, .. } => !refused,
            _ => false,
        }
    }

    /// Returns whether connecting failed.
    ///
    /// ```
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # let error = support::answered(500);
    /// if error.is_connect() {
    ///     println!("could not connect: {error}");
    /// }
    /// # assert!(!error.is_connect());
    /// ```
    pub fn is_connect(&self) -> bool {
        matches!(&self.0.cause, Cause::Transport(error) if error.is_connect())
    }

    fn has(&self, status: StatusCode) -> bool {
        self.status() == Some(status)
    }
}
