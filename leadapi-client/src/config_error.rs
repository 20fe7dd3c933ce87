//! Errors in a client's settings.

use leadapi_model::{BoxError, auth::MalformedToken};

/// An error in a client's settings. Its text contains neither the token nor the base URL, which may contain a password.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The base URL is invalid.
    #[error("the base URL {rule}")]
    BaseUrl {
        /// The rule that the base URL breaks.
        rule: &'static str,
    },
    /// The token is malformed.
    #[error("the token must be pak_ followed by visible ASCII characters, without a leading Bearer")]
    Token(#[source] MalformedToken),
    /// The application name is not valid in a header.
    #[error("the application name must consist of visible ASCII characters and spaces")]
    UserAgent,
    /// An environment variable is not set or is not UTF-8.
    #[error("the environment variable {name} is not set or is not UTF-8")]
    Variable {
        /// The name of the variable.
        name: &'static str,
    },
    /// No transport is set, and the crate was built without the default transport.
    #[error("no transport is set; call ClientBuilder::transport or enable the `reqwest` feature")]
    NoTransport,
    /// The transport could not be set up.
    #[error("the transport could not be set up")]
    Transport(#[source] BoxError),
}
