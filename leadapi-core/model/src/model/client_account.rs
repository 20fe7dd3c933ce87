//! Client accounts (contract 2.2 and D2).

use serde::{Deserialize, Serialize};

use super::Timestamp;
use crate::id::ClientId;

/// A client account of a business. Every lead belongs to one client account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ClientAccount {
    /// Identifier of the client account.
    pub id: ClientId,
    /// The display name.
    pub name: String,
    /// The time at which the client account was created.
    pub created_at: Timestamp,
}

impl ClientAccount {
    /// Creates a client account without validating it.
    ///
    /// ```
    /// # use leadapi_model::{id::ClientId, model::ClientAccount};
    /// let account = ClientAccount::new(ClientId::parse("c1")?, "Casa Verde", "2026-01-12T09:30:00.000Z".parse()?);
    /// assert_eq!(account.name, "Casa Verde");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(id: ClientId, name: impl Into<String>, created_at: Timestamp) -> Self {
        Self { id, name: name.into(), created_at }
    }
}
