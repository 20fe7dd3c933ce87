//! The transitions out of a page.

use super::{
    super::plan::RuleResult,
    state::{Choice, State},
};

/// A transition that a walk can make out of a page.
pub(super) enum Transition {
    Page(State),
    Ending {
        ending: Option<usize>,
        flags: u8,
        certain: bool,
    },
    /// A transition back to a page on the path. It would make the walk endless.
    Loop {
        page: usize,
        certain: bool,
    },
    /// A rule may take an unknown action, after which the walk could continue anywhere.
    UnknownAction,
}

/// The transitions out of a page, for one combination of answers.
pub(super) struct Exit<'e> {
    pub choices: &'e [Choice],
    /// The result of each rule of the page.
    pub results: &'e [RuleResult],
    /// The transitions that a walk makes if one of the rules that a proof cannot evaluate matches.
    pub possible: Vec<Transition>,
    /// The transition that a walk makes if none of the rules that a proof cannot evaluate matches.
    pub taken: Transition,
    /// Whether one of the answers is opaque. An opaque answer may not exist.
    pub opaque: bool,
}
