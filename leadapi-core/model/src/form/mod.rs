//! Form definition records (contract 2.5), read and written without loss.
//!
//! The crate `leadapi-form` walks and checks the forms that these records define.
//!
//! Records are read losslessly (contract 2.5, D11): writing a record again produces the same JSON value. Other tools
//! may write members that this crate does not know, so nothing inside a record is rejected or dropped:
//!
//! - every member that the contract names is a [`Field`] with four states: absent, null, a value, or other JSON;
//! - an array keeps its valid elements typed even if one element has a different type ([`List`], [`Entry`]);
//! - every object keeps its unknown members in `extra`;
//! - every extensible enum (question types, operators and so on) keeps unknown names;
//! - every number keeps its text, so `10.0` stays `10.0` and `1e400` stays `1e400` ([`Number`]).
//!
//! Parsing a record fails only if the input is not valid JSON, if its root is not an object, or if a member of the root
//! has a name with a lone surrogate. Deep nesting is not an error: untyped JSON is kept as text and never parsed
//! recursively, so it cannot exhaust the stack.
//!
//! ```
//! use leadapi_model::form::{FormRecord, Number};
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
//! The same JSON value can be written in several ways. These variations are handled as follows:
//!
//! - White space between tokens and escapes such as `\u0061` for `a` are kept in untyped JSON, but not in typed
//!   members.
//! - Members are written in the contract's order, then `extra` sorted by name.
//! - If a typed object has two members with the same name, the last one wins.
//! - A string with a lone surrogate (`"\ud800"`) is kept as raw JSON, because it is not valid Unicode. If the *name* of
//!   an object's member contains a lone surrogate, the entire object is kept as raw JSON. At the root, such a name is
//!   an error.
//!
//! The types support serde with `serde_json`, on their own or inside other types, through `from_str`, `from_slice` and
//! `from_reader`. `from_value` works too, but a `serde_json::Value` has already rounded its numbers, and `to_value`
//! fails if it cannot represent a number. Other formats, and types that buffer their content (`#[serde(flatten)]`,
//! `#[serde(untagged)]`), do not preserve the text of a value, so reading from them fails. A record written in such a
//! format cannot be read back.

mod aliases;
mod ending;
mod extensible_enum;
mod field;
mod inspect;
mod logic;
mod number;
mod operator;
mod question;
mod question_type;
mod raw;
mod record;
mod root;
mod theme;

pub use aliases::plain_name;
pub use ending::{Ending, MetaEvent, Settings};
pub use extensible_enum::{CalendarProvider, EndingKind, GroupOp, JumpKind, Operator, QuestionType};
pub use field::{Entry, Field, List};
pub use inspect::{Inspect, Inspector};
pub use logic::{Condition, Group, Jump, Logic, Operand, Rule};
pub use number::{InvalidNumber, Number};
pub use question::{Bound, Choice, Page, Question};
pub use raw::Raw;
pub use record::Extra;
pub use root::{Capi, Form, FormClient, FormRecord, LiveSnapshot};
pub use theme::Theme;
