//! The record of a form definition, without loss (contract 2.5, D11): what is read is written again as the same JSON
//! value.
//!
//! A record is made by tools that know more than this crate does. So nothing in it is refused, and nothing is dropped:
//!
//! - every member that the contract names is a [`Field`] with four states: absent, null, a value, or some other JSON;
//! - an array keeps its good elements typed when one of them is not ([`List`], [`Entry`]);
//! - every object keeps the members that it does not know, in `extra`;
//! - every open list of names (question types, operators, …) keeps a name that it does not know;
//! - every number keeps its text, so that `10.0` stays `10.0` and `1e400` stays `1e400` ([`Number`]).
//!
//! Reading fails on text that is no JSON and on a root that is no object, and on nothing else, nesting included: what
//! is not typed is kept as text and never walked, so brackets without end cost their bytes and no stack.
//!
//! ```
//! use leadapi_core::form::{FormRecord, Number};
//!
//! let text = r#"{"form":{"name":"Care","pages":[{"title":"Who?"},7],"live_version":3.0},"crm":{"a":1e400}}"#;
//! let record: FormRecord = serde_json::from_str(text)?;
//! let form = record.form.get().ok_or("no form")?;
//!
//! let titles: Vec<_> = form.pages.items().filter_map(|page| page.title.as_str()).collect();
//! assert_eq!(titles, ["Who?"]);
//! assert_eq!(form.live_version.get().and_then(Number::as_i64), Some(3));
//! assert_eq!(serde_json::to_string(&record)?, text);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What JSON itself leaves open is settled so:
//!
//! - White space between tokens and the spelling of escapes in typed text (`\u0061` for `a`) are not kept.
//! - Members come out in the contract's order, then `extra` sorted by name.
//! - A name given twice in one object: the last one wins.
//! - A string with a lone surrogate (`"\ud800"`) is no text, so it is kept as raw JSON. An object with such a *name* is
//!   kept as raw JSON as a whole; at the root, it is an error.
//!
//! The types are serde types for `serde_json`: on their own or inside other types, through `from_str`, `from_slice` and
//! `from_reader`. `from_value` works too, but a `serde_json::Value` has rounded its numbers before the record sees them,
//! and `to_value` is an error for a number that it cannot hold. Reading any other format, or from inside a type that
//! buffers its content (`#[serde(flatten)]`, `#[serde(untagged)]`), is an error, because neither hands over the text of a
//! value; and written in another format, a record is of no use.

mod answer;
mod check;
mod ending;
mod field;
mod logic;
mod number;
mod open;
mod plan;
mod policy;
mod prove;
mod question;
mod raw;
mod record;
mod root;
mod theme;
mod walk;

pub use answer::{Answer, Answers};
pub use check::{Code, Finding, Severity};
pub use ending::{Ending, MetaEvent, Settings};
pub use field::{Entry, Field, List};
pub use logic::{Condition, Group, Jump, Logic, Operand, Rule};
pub use number::{InvalidNumber, Number};
pub use open::{CalendarProvider, EndingKind, GroupOp, JumpKind, Operator, QuestionType};
pub use plan::{Calendar, Problem, Questionnaire, Version};
pub use policy::Policy;
pub use prove::{Path, PathEnd, Paths, Proofs, Verdict};
pub use question::{Choice, Page, Question};
pub use raw::Raw;
pub use record::Extra;
pub use root::{Capi, Form, FormClient, FormRecord, LiveSnapshot};
pub use theme::Theme;
pub use walk::{
    Asked, Attribute, Check, Escape, Finish, FormLead, NamedBy, NoLead, Notice, NoticeKind, Outcome, Step,
    Verification, Walk,
};

/// The elements of an array that are of their type, each with where it stands.
fn entries<T>(list: &List<T>) -> impl Iterator<Item = (usize, &T)> {
    list.get().into_iter().flatten().enumerate().filter_map(|(at, entry)| Some((at, entry.get()?)))
}
