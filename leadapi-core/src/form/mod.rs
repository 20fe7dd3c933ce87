//! Forms: their records, read and written without loss, and what they mean: a form is checked, walked with answers, and
//! a finished walk is a lead.
//!
//! Nothing here does I/O, knows the time or keeps state: a walk is a function of a record and answers.
//!
//! ```
//! use leadapi_core::form::{Answers, FormRecord, Outcome, Policy, Severity, Version};
//!
//! let record: FormRecord = serde_json::from_str(r#"{"form":{"client_id":"c1","name":"Care",
//!     "pages":[
//!         {"id":"who","fields":[{"id":"q_who","type":"single_choice","label":"Who needs help?","required":true,
//!             "options":[{"id":"me","label":"me","score":3},{"id":"other","label":"my mother","score":5}],
//!             "mappedKey":"recipient"}]},
//!         {"id":"age","fields":[{"id":"q_age","type":"number","label":"How old is {recipient}?","min":18}]},
//!         {"id":"you","fields":[
//!             {"id":"q_name","type":"short_text","label":"Your name?","required":true,"mappedKey":"name"},
//!             {"id":"q_mail","type":"email","label":"Your address?","required":true,"mappedKey":"email"}]}],
//!     "logic":{"rules":[{"id":"r","name":"Not the age of visitors","fromPageId":"who",
//!         "then":{"kind":"jump","target":"you"},"outerOp":"OR",
//!         "groups":[{"op":"AND","conds":[{"fieldId":"q_who","op":"equals","value":"me"}]}]}]},
//!     "settings":{"endings":[{"id":"thanks","message":"Thank you, {name}.","createsLead":true}]}}}"#)?;
//!
//! // Once: what is published, compiled. Nothing that is wrong in a record makes this fail; the check tells of it.
//! let form = record.compile(Version::Live, &Policy::default());
//! assert!(form.check().iter().all(|finding| finding.severity() > Severity::Error));
//!
//! // With each answer: where does the visitor stand?
//! let mut answers = Answers::new().with("q_who", "other").with("q_age", 81);
//! let walk = form.walk(&answers);
//! assert!(matches!(walk.outcome(), Outcome::Awaiting { .. }));
//! assert_eq!(walk.steps().last().and_then(|step| step.page()), Some("you"));
//!
//! // At the end: the lead.
//! answers.set("q_name", "Ann");
//! answers.set("q_mail", "ann@example.org");
//! let walk = form.walk(&answers);
//! let made = walk.lead()?;
//! assert_eq!(made.lead.name.as_deref(), Some("Ann"));
//! assert_eq!(made.lead.notes.as_deref(), Some("Who needs help?: my mother\nHow old is my mother?: 81"));
//! assert_eq!(walk.score(), 5);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What a walk is
//!
//! [`FormRecord::compile`] makes a [`Questionnaire`] of the live version or of the draft (a form with an empty
//! `live_snapshot` was never published, and its draft is walked), and
//! [`Questionnaire::walk`] a [`Walk`] of it and [`Answers`]. What the contract leaves open is settled so; where a host
//! may see it otherwise, it is in the [`Policy`]:
//!
//! - **Pages.** The first page, then from page to page, each at most once: a walk that comes back to a page is
//!   [`Outcome::Endless`]. Top-level `fields`, where there are no pages, are one page without an id.
//! - **Ids.** An id that is blank, no text, or taken by one before it counts as none. A page without an id is walked in
//!   its order, but nothing jumps to it and no rule is its own; a question or an option without one is not there.
//! - **Rules.** After a page, its rules in the order of the array, and the first that matches wins. `__fallback__` comes
//!   last wherever it stands. Then the next page; after the last, the first ending, or the built-in confirmation.
//!   A rule whose target does not exist is skipped, with a [`Notice`].
//! - **Conditions** see the answers of the pages visited so far in this walk. `outerOp` joins groups and `op` joins a
//!   group's conditions; an empty group is ignored, and a rule without conditions never matches unless it is the
//!   fallback. `equals` compares option ids for a choice, numbers for a number question, and trimmed texts otherwise
//!   (`01` is not `1`, case counts; a number, in the answer or in the condition, is its text). `gt` is for numbers, and
//!   never makes one of a text. `is_filled` is what [`Answer::is_filled`] says.
//! - **Unknown** operators, joins, actions and conditions of a wrong type are neither true nor false, in Kleene's logic.
//!   A rule that cannot be evaluated for that reason does not match, and the step [is uncertain](Step::is_uncertain).
//!   [`Questionnaire::prove`] decides nothing that depends on such a rule.
//! - **Answers** are read when the walk reaches their page. Until all on the page are good, the walk is
//!   [`Outcome::Awaiting`] them; pages off the path are not looked at. Each [`Problem`] says what is wrong.
//! - **Placeholders** ([`Walk::fill`], [`Asked::label`]), the [score](Walk::score), the [progress](Walk::progress) and the
//!   [lead](Walk::lead) are of the answers on the path too: stale ones are as if they were not there.
//!
//! All of it is in vectors that speak of no language, for hosts that walk forms in a browser:
//! `tests/tests/vectors/forms.json` of the repository.
//!
//! # What is wrong with a form
//!
//! [`Questionnaire::check`] lists [`Finding`]s with a [`Code`] and their place, [`Questionnaire::prove`] says what is
//! true of all walks whatever is answered, and [`Questionnaire::paths`] lists every way through a form with answers that
//! lead along it; [`Questionnaire::routes`] and [`Questionnaire::mermaid`] describe its graph. All of them may be given
//! records of strangers: what they cost is bounded by the size of the record and by the [`Policy::budget`]. The codes, with what to do about each, are in `FINDINGS.md` beside
//! this crate's README.
//!
//! # Records
//!
//! A record is read without loss (contract 2.5, D11): what is read is written again as the same JSON value. A record is
//! made by tools that know more than this crate does. So nothing in it is refused, and nothing is dropped:
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

#[cfg(feature = "form")]
mod answer;
#[cfg(feature = "form")]
mod check;
#[cfg(feature = "form")]
mod draw;
mod ending;
mod field;
mod logic;
mod number;
mod open;
#[cfg(feature = "form")]
mod plan;
#[cfg(feature = "form")]
mod policy;
#[cfg(feature = "form")]
mod prove;
mod question;
mod raw;
mod record;
mod root;
#[cfg(feature = "form")]
mod route;
mod theme;
#[cfg(feature = "form")]
mod walk;

#[cfg(feature = "form")]
pub use answer::{Answer, Answers};
#[cfg(feature = "form")]
pub use check::{Code, Finding, Severity};
pub use ending::{Ending, MetaEvent, Settings};
pub use field::{Entry, Field, List};
pub use logic::{Condition, Group, Jump, Logic, Operand, Rule};
pub use number::{InvalidNumber, Number};
pub use open::{CalendarProvider, EndingKind, GroupOp, JumpKind, Operator, QuestionType};
#[cfg(feature = "form")]
pub use plan::{Calendar, Problem, Questionnaire, Version};
#[cfg(feature = "form")]
pub use policy::Policy;
#[cfg(feature = "form")]
pub use prove::{Path, PathEnd, Paths, Proofs, Verdict};
pub use question::{Choice, Page, Question};
pub use raw::Raw;
pub use record::Extra;
pub use root::{Capi, Form, FormClient, FormRecord, LiveSnapshot};
#[cfg(feature = "form")]
pub use route::{Route, RouteEnd};
pub use theme::Theme;
#[cfg(feature = "form")]
pub use walk::{
    Asked, Attribute, Check, Escape, Finish, FormLead, NamedBy, NoLead, Notice, NoticeKind, Outcome, Step,
    Verification, Walk,
};

/// The elements of an array that are of their type, each with where it stands.
#[cfg(feature = "form")]
fn entries<T>(list: &List<T>) -> impl Iterator<Item = (usize, &T)> {
    list.get().into_iter().flatten().enumerate().filter_map(|(at, entry)| Some((at, entry.get()?)))
}
