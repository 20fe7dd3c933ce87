//! The form engine of leadapi: walks that turn a visitor's answers into a lead, and checks and proofs of forms.
//!
//! It does no I/O, reads no clock and keeps no state: a walk is a pure function of a record, a [`Policy`] and a
//! visitor's answers. The record types are in [`leadapi_model::form`]; this crate re-exports them.
//!
//! The feature `check` contains checks, proofs, the paths through a form, and diagrams.
//!
//! ```
//! use leadapi_form::{Questionnaire, Answers, FormRecord, Outcome, Policy, Severity, Version};
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
//! let form = Questionnaire::compile(&record, Version::Live, &Policy::default());
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
//! [`Questionnaire::compile`] compiles the live version or the draft into a [`Questionnaire`]. A form without a
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
//!   type, the text operators compare the JSON text of a number or a boolean, and no operator parses a string as a
//!   number. [`Answer::is_filled`] defines `is_filled`. A negated operator holds if the question is not answered, or if
//!   its counterpart does not hold for the answer. A condition whose operator or value does not fit the type of the
//!   question never holds.
//! - **Scores** can be compared like numbers. The `fieldId` `$score` stands for the score of the path so far, including
//!   the page of the rule. `$score:` followed by a page id stands for the points of that page.
//! - **Unknown operators and joins.** A malformed condition, a condition with an unknown operator, and conditions
//!   combined by an unknown join are neither true nor false (Kleene's three-valued logic). If a rule is undecided for
//!   such a reason, or if a rule that matches has an unknown action, the walk treats the rule as not matching, and the
//!   step [is uncertain](Step::is_uncertain). [`Questionnaire::prove`] does not decide statements that depend on such a
//!   rule.
//! - **Answers** are read when the walk reaches the page that contains their question. The outcome is
//!   [`Outcome::Awaiting`] until all answers on the page are valid. Answers to questions off the path are ignored. Each
//!   [`Problem`] states why an answer is invalid.
//! - **Placeholders, score, progress and lead** ([`Walk::fill`], [`StepQuestion::label`], [`Walk::score`],
//!   [`Walk::progress`], [`Walk::lead`]) depend only on answers on the path, so stale answers have no effect.
//! - **Types and languages.** [`QuestionType`] lists the types of questions, and [`QuestionType::aliases`] the names
//!   that other products use for them. A label may be an object with one string per language. [`Policy::locale`], or
//!   else the `locale` of the form, selects the language, the formats of numbers and dates, and the words for booleans.
//!   [`Policy::types`] adds the host's own types. `FORMS.md`, next to this crate's README, describes the answers that
//!   each type accepts and the members that limit them.
//!
//! Language-neutral test vectors cover these rules, for implementations in other languages. They are in
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

#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(
    not(feature = "check"),
    allow(dead_code, unused_imports, reason = "checks and proofs use more of a compiled form than walks do")
)]

mod address;
mod answer;
#[cfg(feature = "check")]
mod check;
mod date;
mod file_ref;
#[cfg(feature = "check")]
mod foreign_member;
mod host_operator;
mod host_type;
mod locale;
mod mapped_key;
#[cfg(feature = "check")]
mod mermaid;
mod messages;
mod placeholder;
mod plan;
mod policy;
mod problem;
#[cfg(feature = "check")]
mod prove;
#[cfg(feature = "check")]
mod route;
mod walk;
mod web_url;

pub use address::Address;
pub use answer::{Answer, Answers};
#[cfg(feature = "check")]
pub use check::{Code, Finding, Severity};
pub use file_ref::FileRef;
pub use host_operator::HostOperators;
pub use host_type::HostTypes;
pub use leadapi_model::form::{
    Bound, CalendarProvider, Capi, Choice, Condition, Ending, EndingKind, Entry, Extra, Field, Form, FormClient,
    FormRecord, Group, GroupOp, Inspect, Inspector, InvalidNumber, Jump, JumpKind, List, LiveSnapshot, Logic,
    MetaEvent, Number, Operand, Operator, Page, Question, QuestionType, Raw, Rule, Settings, Theme,
};
pub use messages::Phrase;
pub use plan::{Calendar, Questionnaire, Version, rating_scale};
pub use policy::{Policy, Texts};
pub use problem::Problem;
#[cfg(feature = "check")]
pub use prove::{Path, PathEnd, Paths, Proofs, Verdict};
#[cfg(feature = "check")]
pub use route::{Route, RouteEnd};
pub use walk::{
    Attribute, Escape, Finish, FormLead, NameSource, NoLead, Outcome, SkipReason, SkippedRule, Step, StepQuestion,
    TriedCondition, TriedRule, TriedRuleResult, Verification, VerificationKind, Walk,
};

/// Compiles the examples of the README.
#[cfg(all(doctest, feature = "check"))]
#[doc = include_str!("../README.md")]
mod readme {}

/// Returns the well-typed elements of an array, each with its index in the array.
fn entries<T>(list: &List<T>) -> impl Iterator<Item = (usize, &T)> {
    list.get().into_iter().flatten().enumerate().filter_map(|(at, entry)| Some((at, entry.get()?)))
}
