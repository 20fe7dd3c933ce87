//! Authentication and authorization (contract 5 and D8): tokens, scopes, callers, and the members who manage tokens.

mod bearer;
mod caller;
mod hash;
#[cfg(feature = "secrets")]
mod issue;
mod member;
mod scope;
#[cfg(feature = "secrets")]
mod sign_in;

pub use bearer::{BearerToken, MalformedToken};
pub use caller::{Author, Caller};
pub use hash::{InvalidTokenHash, TokenHash};
#[cfg(feature = "secrets")]
pub use issue::NoRandomness;
pub use member::{Actor, Authority, InvalidRole, Member, NotAllowed, Role, TokenAdmin};
pub use scope::{InvalidScope, Scope, Scopes};
#[cfg(feature = "secrets")]
pub use sign_in::{LoginToken, MalformedSecret, SessionToken};
