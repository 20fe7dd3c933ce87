//! The scopes of a token (contract 5): `read`, `write` or both. Neither scope includes the other (contract D8).

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// The error for an unknown scope, or for a token without scopes (contract 5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the scopes of a token must be read, write or both")]
pub struct InvalidScope;

/// One scope of a token (contract 5).
///
/// ```
/// use leadapi_model::auth::Scope;
///
/// assert_eq!("read".parse(), Ok(Scope::Read));
/// assert_eq!(Scope::Write.to_string(), "write");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// Permits all GET and HEAD requests.
    Read,
    /// Permits all POST, PATCH and DELETE requests.
    Write,
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Read => "read",
            Self::Write => "write",
        })
    }
}

impl FromStr for Scope {
    type Err = InvalidScope;

    fn from_str(text: &str) -> Result<Self, InvalidScope> {
        match text {
            "read" => Ok(Self::Read),
            "write" => Ok(Self::Write),
            _ => Err(InvalidScope),
        }
    }
}

/// The scopes of a token: one or both (contract 5). The type cannot represent a token without scopes.
///
/// ```
/// use leadapi_model::auth::{Scope, Scopes};
///
/// assert!(Scopes::Both.allow(Scope::Read));
/// assert!(!Scopes::Write.allow(Scope::Read));
/// assert_eq!(Scopes::Both.to_string(), "read and write");
/// assert_eq!(serde_json::to_string(&Scopes::Both)?, r#"["read","write"]"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "Vec<Scope>", into = "Vec<Scope>")]
pub enum Scopes {
    /// Only [`Scope::Read`].
    Read,
    /// Only [`Scope::Write`].
    Write,
    /// Both scopes.
    Both,
}

impl Scopes {
    /// Returns whether these scopes include `scope`.
    pub const fn allow(self, scope: Scope) -> bool {
        matches!((self, scope), (Self::Both, _) | (Self::Read, Scope::Read) | (Self::Write, Scope::Write))
    }
}

impl fmt::Display for Scopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Both => "read and write",
        })
    }
}

impl From<Scopes> for Vec<Scope> {
    fn from(scopes: Scopes) -> Self {
        [Scope::Read, Scope::Write].into_iter().filter(|scope| scopes.allow(*scope)).collect()
    }
}

impl TryFrom<Vec<Scope>> for Scopes {
    type Error = InvalidScope;

    fn try_from(scopes: Vec<Scope>) -> Result<Self, InvalidScope> {
        match (scopes.contains(&Scope::Read), scopes.contains(&Scope::Write)) {
            (true, true) => Ok(Self::Both),
            (true, false) => Ok(Self::Read),
            (false, true) => Ok(Self::Write),
            (false, false) => Err(InvalidScope),
        }
    }
}
