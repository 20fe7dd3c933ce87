//! What can be wrong with a client's settings.

use leadapi_core::{BoxError, auth::MalformedToken};

/// What is wrong with a client's settings. It shows neither the token nor the base URL, in which a password may stand.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The base URL is none that requests could go to.
    #[error("the base URL {rule}")]
    BaseUrl {
        /// The rule that it breaks.
        rule: &'static str,
    },
    /// The token does not have the form of one.
    #[error("the token must be pak_ and then visible ASCII characters, without Bearer before it")]
    Token(#[source] MalformedToken),
    /// The text that follows the client's name cannot stand in a header.
    #[error("the application's name must be visible ASCII characters and spaces")]
    UserAgent,
    /// A variable of the environment is not set, or is not a text.
    #[error("the variable {name} is not set")]
    Variable {
        /// Its name.
        name: &'static str,
    },
    /// The transport could not be set up.
    #[error("the transport could not be set up")]
    Transport(#[source] BoxError),
}
