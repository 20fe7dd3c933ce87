//! Form definition records: lossless parsing and serialization, checks, and walks that turn a visitor's answers into a
//! lead.
//!
//! This module does no I/O, reads no clock and keeps no state: a walk is a pure function of a record, a [`Policy`] and
//! a visitor's answers.
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
//! // Compile the published version once. A record with errors still compiles, and `check` reports the errors.
//! let form = record.compile(Version::Live, &Policy::default());
//! assert!(form.check().iter().all(|finding| finding.severity() > Severity::Error));
//!
//! // After each answer, find out which page the visitor is on.
//! let mut answers = Answers::new().with("q_who", "other").with("q_age", 81);
//! let walk = form.walk(&answers);
//! assert!(matches!(walk.outcome(), Outcome::Awaiting { .. }));
//! assert_eq!(walk.steps().last().and_then(|step| step.page()), Some("you"));
//!
//! // After the last answer, build the lead.
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
//! # How a walk works
//!
//! [`FormRecord::compile`] compiles the live version or the draft into a [`Questionnaire`]. A form without a
//! `live_snapshot`, or with an empty one, was never published, so its draft is compiled instead.
//! [`Questionnaire::walk`] then produces a [`Walk`] from [`Answers`]. The contract leaves some details open. This crate
//! resolves them as follows, and the [`Policy`] contains the choices that a host can change:
//!
//! - **Pages.** A walk starts at the first page and visits each page at most once. A walk that would revisit a page
//!   stops with [`Outcome::Loop`]. If there are no pages, the top-level `fields` form a single page without an id.
//! - **Ids.** An id counts as missing if it is blank, is not a string, or repeats an earlier id. A page without an id
//!   is visited in order, but no rule can start from it or jump to it. A question or an option without an id is
//!   ignored.
//! - **Rules.** After a page, its rules are tried in array order, and the first rule that matches wins. The rule named
//!   `__fallback__` is tried last, wherever it is in the array. If no rule matches, the walk continues with the next
//!   page. After the last page, it continues with the first ending, or with the built-in confirmation if there are no
//!   endings. A matching rule whose target does not exist is skipped and recorded as a [`SkippedRule`].
//! - **Conditions** use the answers from the pages that the walk has visited. `outerOp` combines groups, and `op`
//!   combines the conditions of a group. An empty group is ignored. A rule without conditions never matches unless it
//!   is the fallback. [`Operator`] defines what each operator compares: the ids of options, numbers, dates, booleans,
//!   or trimmed text. Text comparisons are case-sensitive and distinguish `01` from `1`. For a question of an unknown
//!   type, the operators of text compare the JSON text of a number or a boolean, and no operator parses a string as a
//!   number.
//!   [`Answer::is_filled`] defines `is_filled`. A negated operator holds if the answer does not pass its counterpart,
//!   or if the question is not answered. With an operator or a value that does not fit the type of the question, a
//!   condition never holds.
//! - **Scores** can be compared like numbers. The `fieldId` `$score` stands for the score of the path so far, including
//!   the page of the rule, and `$score:` followed by a page id for the points of that page.
//! - **Unknown operators and joins.** A malformed condition, a condition with an unknown operator, and conditions
//!   combined by an unknown join are neither true nor false (Kleene's three-valued logic). If that leaves a rule
//!   undecided, or if a rule that matches has an unknown action, the walk treats the rule as not matching, and the step
//!   [is uncertain](Step::is_uncertain). [`Questionnaire::prove`] does not decide statements that depend on such a
//!   rule.
//! - **Answers** are read when the walk reaches the page that contains their question. The outcome is
//!   [`Outcome::Awaiting`] until all answers on the page are valid. Answers to questions off the path are ignored. Each
//!   [`Problem`] states why an answer is invalid.
//! - **Placeholders, score, progress and lead** ([`Walk::fill`], [`StepQuestion::label`], [`Walk::score`],
//!   [`Walk::progress`], [`Walk::lead`]) depend only on answers on the path, so stale answers have no effect.
//! - **Types and languages.** [`QuestionType`] lists the types of questions, and [`QuestionType::aliases`] the names
//!   that other products use for them. A label may be an object with a text for each language. [`Policy::locale`],
//!   or else the `locale` of the form, selects the language, the formats of numbers and dates, and the words for
//!   booleans, and [`Policy::types`] adds the host's own types. `FORMS.md`, next to this crate's README, describes the answers that each type accepts and the
//!   members that limit them.
//!
//! Language-neutral test vectors cover these rules for hosts that walk forms in a browser. They are in
//! `tests/tests/vectors/forms.json` in the repository.
//!
//! # Checks and proofs
//!
//! [`Questionnaire::check`] lists [`Finding`]s, each with a [`Code`] and a JSON pointer. [`Questionnaire::prove`]
//! proves or refutes statements that must hold for all possible answers. [`Questionnaire::paths`] lists the paths
//! through a form, each with answers that lead along it. [`Questionnaire::routes`] and [`Questionnaire::mermaid`]
//! return the graph of a form's pages and endings. All of these methods are safe for untrusted records, because the
//! size of the record and the [`Policy::budget`] bound their cost. `FINDINGS.md`, next to this crate's README, lists
//! the codes and explains how to resolve each finding.
//!
//! # Records
//!
//! Records are read losslessly (contract 2.5, D11): writing a record again produces the same JSON value. Other tools
//! may write members that this crate does not know, so nothing inside a record is rejected or dropped:
//!
//! - every member that the contract names is a [`Field`] with four states: absent, null, a value, or other JSON;
//! - an array keeps its valid elements typed even if one element has another type ([`List`], [`Entry`]);
//! - every object keeps its unknown members in `extra`;
//! - every extensible enum (question types, operators and so on) keeps unknown names;
//! - every number keeps its text, so `10.0` stays `10.0` and `1e400` stays `1e400` ([`Number`]).
//!
//! Parsing a record fails only if the input is not valid JSON, if its root is not an object, or if a member of the root
//! has a name with a lone surrogate. Deep nesting is not an error: untyped JSON is kept as text and never parsed
//! recursively, so it cannot exhaust the stack.
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
//! `#[serde(untagged)]`), do not preserve the text of a value, so reading from them fails. A record written in another
//! format cannot be read back.

#[cfg(feature = "form")]
mod address;
mod aliases;
#[cfg(feature = "form")]
mod answer;
#[cfg(feature = "form")]
mod check;
#[cfg(feature = "form")]
mod date;
mod ending;
mod extensible_enum;
mod field;
#[cfg(feature = "form")]
mod file_ref;
#[cfg(feature = "form")]
mod host_operator;
#[cfg(feature = "form")]
mod host_type;
#[cfg(feature = "form")]
mod locale;
mod logic;
#[cfg(feature = "form")]
mod mermaid;
mod number;
mod operator;
#[cfg(feature = "form")]
mod plan;
#[cfg(feature = "form")]
mod policy;
#[cfg(feature = "form")]
mod problem;
#[cfg(feature = "form")]
mod prove;
mod question;
mod question_type;
mod raw;
mod record;
mod root;
#[cfg(feature = "form")]
mod route;
mod theme;
#[cfg(feature = "form")]
mod walk;
#[cfg(feature = "form")]
mod web_url;

#[cfg(feature = "form")]
pub use address::Address;
#[cfg(feature = "form")]
pub use answer::{Answer, Answers};
#[cfg(feature = "form")]
pub use check::{Code, Finding, Severity};
pub use ending::{Ending, MetaEvent, Settings};
pub use extensible_enum::{CalendarProvider, EndingKind, GroupOp, JumpKind, Operator, QuestionType};
pub use field::{Entry, Field, List};
#[cfg(feature = "form")]
pub use file_ref::FileRef;
#[cfg(feature = "form")]
pub use host_operator::HostOperators;
#[cfg(feature = "form")]
pub use host_type::HostTypes;
pub use logic::{Condition, Group, Jump, Logic, Operand, Rule};
pub use number::{InvalidNumber, Number};
#[cfg(feature = "form")]
pub use plan::{Calendar, Questionnaire, Version};
#[cfg(feature = "form")]
pub use policy::Policy;
#[cfg(feature = "form")]
pub use problem::Problem;
#[cfg(feature = "form")]
pub use prove::{Path, PathEnd, Paths, Proofs, Verdict};
pub use question::{Bound, Choice, Page, Question};
pub use raw::Raw;
pub use record::Extra;
pub use root::{Capi, Form, FormClient, FormRecord, LiveSnapshot};
#[cfg(feature = "form")]
pub use route::{Route, RouteEnd};
pub use theme::Theme;
#[cfg(feature = "form")]
pub use walk::{
    Attribute, Escape, Finish, FormLead, NameSource, NoLead, Outcome, SkipReason, SkippedRule, Step, StepQuestion,
    TriedCondition, TriedRule, TriedRuleResult, Verification, VerificationKind, Walk,
};

/// Returns the well-typed elements of an array, each with its index in the array.
#[cfg(feature = "form")]
fn entries<T>(list: &List<T>) -> impl Iterator<Item = (usize, &T)> {
    list.get().into_iter().flatten().enumerate().filter_map(|(at, entry)| Some((at, entry.get()?)))
}
