//! Rules in the order in which they are tried, and what comes of trying them.

use std::collections::HashMap;

use super::{Groups, Questionnaire, condition::Truth, question::Slot, said};
use crate::form::{logic::Rule, open::JumpKind};

/// The name that makes a rule the default route from its page (contract 2.5).
pub(in crate::form) const FALLBACK: &str = "__fallback__";

/// What stands before the id of an ending in a target (contract 2.5).
pub(in crate::form) const ENDING: &str = "end:";

/// Where a jump goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::form) enum Target {
    Page(usize),
    /// None is the built-in confirmation.
    Ending(Option<usize>),
}

/// What a rule does when it holds.
#[derive(Clone, Copy, Debug)]
pub(in crate::form) enum Jump {
    To(Target),
    /// It goes to what does not exist.
    Missing,
    /// Its action is not `jump`.
    Unknown,
}

#[derive(Debug)]
pub(in crate::form) struct RulePlan<'r> {
    /// Where it stands among the rules.
    pub at: usize,
    pub record: &'r Rule,
    pub groups: Groups<'r>,
    pub fallback: bool,
    pub jump: Jump,
}

/// What came of trying a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::form) enum Tried {
    /// Its conditions do not hold.
    No,
    /// Whether its conditions hold is not known.
    Unsure,
    /// It holds, and what it does is not known.
    UnknownJump,
    /// It holds, and where it goes does not exist.
    MissingTarget,
    /// It holds.
    Goes(Target),
}

impl RulePlan<'_> {
    /// Whether it holds for whatever is answered.
    pub(in crate::form) fn is_certain(&self) -> bool {
        self.fallback && self.groups.is_empty()
    }

    /// Whether it could match: a rule without conditions never does, unless it is the fallback.
    pub(in crate::form) fn can_match(&self) -> bool {
        self.is_certain() || !self.groups.is_empty()
    }

    /// A rule without conditions never matches, unless it is the fallback.
    #[inline]
    fn truth(&self, slots: &[Slot<'_>]) -> Truth {
        if self.groups.is_empty() { self.fallback.into() } else { self.groups.holds(slots) }
    }

    #[inline]
    pub(in crate::form) fn try_with(&self, slots: &[Slot<'_>]) -> Tried {
        match (self.truth(slots), self.jump) {
            (Truth::False, _) => Tried::No,
            (Truth::Unknown, _) => Tried::Unsure,
            (Truth::True, Jump::Unknown) => Tried::UnknownJump,
            (Truth::True, Jump::Missing) => Tried::MissingTarget,
            (Truth::True, Jump::To(target)) => Tried::Goes(target),
        }
    }
}

/// Gives every page its rules: those with conditions in the order of the array, then the fallbacks in theirs.
pub(super) fn link<'r>(form: &mut Questionnaire<'r>) {
    let pages = by_id(form.pages.iter().map(|page| page.id));
    let endings = by_id(form.endings.iter().map(|ending| ending.id));
    let jump = |rule: &Rule| {
        let Some(then) = rule.then.get().filter(|then| then.kind.get() == Some(&JumpKind::Jump)) else {
            return Jump::Unknown;
        };
        let target = then.target.as_str().unwrap_or_default();
        // What begins like an ending only ever names one.
        let target = match target.strip_prefix(ENDING) {
            Some(ending) => endings.get(ending).map(|index| Target::Ending(Some(*index))),
            None => pages.get(target).map(|index| Target::Page(*index)),
        };
        target.map_or(Jump::Missing, Jump::To)
    };
    let mut linked: Vec<(usize, RulePlan<'r>)> = Vec::new();
    for (at, record) in form.source.rules() {
        if let Some(page) = said(&record.from_page_id).and_then(|id| pages.get(id)) {
            let fallback = record.name.as_str() == Some(FALLBACK);
            let groups = Groups::new(form, record);
            linked.push((*page, RulePlan { at, record, groups, fallback, jump: jump(record) }));
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
