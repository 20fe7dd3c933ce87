//! Authentication and authorization (contract 5 and D8): tokens, scopes, callers, and the members who manage tokens.

mod bearer;
mod caller;
mod hash;
#[cfg(feature = "service")]
mod issue;
mod member;
mod scope;
#[cfg(feature = "service")]
mod sign_in;

pub use bearer::{BearerToken, MalformedToken};
pub use caller::{Author, Caller};
pub use hash::{InvalidTokenHash, TokenHash};
#[cfg(feature = "service")]
pub use issue::NoRandomness;
pub use member::{Actor, Authority, InvalidRole, Member, NotAllowed, Role, TokenAdmin};
pub use scope::{InvalidScope, Scope, Scopes};
#[cfg(feature = "service")]
pub use sign_in::{LoginToken, MalformedSecret, SessionToken};
