//! Compiled rules, in the order in which a walk tries them.

use std::collections::HashMap;

use super::{
    Groups, Placement, Questionnaire,
    condition::{Evidence, Truth},
    non_blank,
};
use crate::{JumpKind, Rule};

/// The name that makes a rule the default route from its page (contract 2.5).
pub(crate) const FALLBACK: &str = "__fallback__";

/// The prefix of an ending id in a target (contract 2.5).
pub(crate) const ENDING: &str = "end:";

/// The target of a jump.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Target {
    Page(usize),
    /// `None` is the built-in confirmation.
    Ending(Option<usize>),
}

/// The compiled action to take when a rule matches.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Jump {
    To(Target),
    /// The target does not exist.
    Missing,
    /// The action is not `jump`.
    Unknown,
}

#[derive(Debug)]
pub(crate) struct RulePlan<'r> {
    /// The index of the rule in the `logic.rules` of the compiled version.
    pub at: usize,
    pub record: &'r Rule,
    pub groups: Groups<'r>,
    pub fallback: bool,
    pub jump: Jump,
    pub placement: Option<Placement>,
}

/// The result of evaluating a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RuleResult {
    /// The conditions do not hold.
    NoMatch,
    /// The conditions cannot be evaluated.
    Uncertain,
    /// The conditions hold, but the action is unknown.
    UnknownJump,
    /// The conditions hold, but the target does not exist.
    MissingTarget,
    /// The conditions hold, so the walk continues at the target.
    JumpsTo(Target),
}

impl RulePlan<'_> {
    /// Returns whether the rule matches regardless of the answers.
    pub(crate) fn is_unconditional(&self) -> bool {
        self.fallback && self.groups.is_empty()
    }

    /// Returns whether a walk may be unable to evaluate the rule, or a proof may be unable to predict its result.
    pub(crate) fn may_be_undecided(&self) -> bool {
        matches!(self.jump, Jump::Unknown) || self.groups.may_be_undecided()
    }

    /// Returns whether the rule can match. A rule without conditions never matches, unless it is the fallback.
    pub(crate) fn can_match(&self) -> bool {
        self.is_unconditional() || !self.groups.is_empty()
    }

    fn conditions(&self, evidence: &Evidence<'_, '_>) -> Truth {
        if self.groups.is_empty() { self.fallback.into() } else { self.groups.holds(evidence) }
    }

    pub(crate) fn evaluate(&self, evidence: &Evidence<'_, '_>) -> RuleResult {
        match (self.conditions(evidence), self.jump) {
            (Truth::False, _) => RuleResult::NoMatch,
            (Truth::Unknown, _) => RuleResult::Uncertain,
            (Truth::True, Jump::Unknown) => RuleResult::UnknownJump,
            (Truth::True, Jump::Missing) => RuleResult::MissingTarget,
            (Truth::True, Jump::To(target)) => RuleResult::JumpsTo(target),
        }
    }
}

/// Assigns the rules to their pages: ordinary rules in array order, then fallbacks in array order.
pub(super) fn link<'r>(form: &mut Questionnaire<'r>) {
    let pages = by_id(form.pages.iter().map(|page| page.id));
    let endings = by_id(form.endings.iter().map(|ending| ending.id));
    let jump = |rule: &Rule| {
        let Some(then) = rule.then.get().filter(|then| then.kind.get() == Some(&JumpKind::Jump)) else {
            return Jump::Unknown;
        };
        let target = then.target.as_str().unwrap_or_default();
        // A target that begins with `end:` always refers to an ending, even if a page has that id.
        let target = match target.strip_prefix(ENDING) {
            Some(ending) => endings.get(ending).map(|index| Target::Ending(Some(*index))),
            None => pages.get(target).map(|index| Target::Page(*index)),
        };
        target.map_or(Jump::Missing, Jump::To)
    };
    let mut linked: Vec<(usize, RulePlan<'r>)> = Vec::new();
    for (at, record) in form.source.rules() {
        if let Some(page) = non_blank(&record.from_page_id).and_then(|id| pages.get(id)) {
            let fallback = record.name.as_str() == Some(FALLBACK);
            let groups = Groups::new(form, record);
            let then = record.then.get();
            let placement = then.and_then(|then| Placement::new(&then.pipeline_id, &then.stage_id));
            linked.push((*page, RulePlan { at, record, groups, fallback, jump: jump(record), placement }));
        }
    }
    linked.sort_by_key(|(_, rule)| rule.fallback);
    for (page, rule) in linked {
        if let Some(page) = form.pages.get_mut(page) {
            page.rules.push(rule);
        }
    }
}

fn by_id<'r>(ids: impl Iterator<Item = Option<&'r str>>) -> HashMap<&'r str, usize> {
    ids.enumerate().filter_map(|(index, id)| Some((id?, index))).collect()
}
