//! Proofs from the graph of the pages alone, in linear time, regardless of conditions.
//!
//! The graph contains every jump that a rule could make, so what holds for all its paths holds for all walks. The
//! converse is false: a statement that this module cannot prove may still hold.

use super::{
    super::plan::{Jump, Questionnaire, Target},
    classes::{CONTACT, Class, NAMED},
};

/// The proved statements; `false` proves nothing.
pub(super) struct Linear {
    pub ends: bool,
    /// What every lead has.
    pub gained: u8,
    /// Whether a rule of a reachable page may take an unknown action, after which the walk could continue anywhere.
    pub may_leave_the_graph: bool,
}

impl Linear {
    pub(super) fn new(form: &Questionnaire<'_>, classes: &[Vec<Class<'_>>]) -> Self {
        let reached = form.graph.reached([0], |_| true);
        let mut pages = form.pages.iter().zip(&reached).filter(|(_, reached)| **reached).map(|(page, _)| page);
        let may_leave_the_graph = pages.any(|page| {
            let mut rules =
                page.rules.iter().take_while(|rule| !(rule.is_certain() && matches!(rule.jump, Jump::To(_))));
            rules.any(|rule| matches!(rule.jump, Jump::Unknown) && rule.can_match())
        });
        let gains: Vec<u8> = (0..form.pages.len()).map(|page| gain(form, classes, page)).collect();
        let ends = !reached.iter().enumerate().any(|(page, reached)| *reached && form.graph.is_knotted(page));
        let gained = [NAMED, CONTACT].into_iter().filter(|flag| on_every_path_to_a_lead(form, &gains, *flag));
        let gained = gained.fold(0, |gained, flag| gained | flag);
        if may_leave_the_graph {
            return Self { ends: false, gained: 0, may_leave_the_graph };
        }
        Self { ends, gained, may_leave_the_graph }
    }
}

/// Returns what a page contributes to a lead, whatever the visitor answers on it.
fn gain(form: &Questionnaire<'_>, classes: &[Vec<Class<'_>>], page: usize) -> u8 {
    let questions = form.pages.get(page).map(|page| page.questions.clone()).unwrap_or_default();
    let least = |question: usize| {
        let classes = classes.get(question).into_iter().flatten();
        // A question without a valid answer contributes everything, because no walk leaves its page.
        classes.fold(NAMED | CONTACT, |flags, class| flags & class.flags)
    };
    questions.fold(0, |flags, question| flags | least(question))
}

/// Returns whether every path to an ending that creates a lead passes through a page with this contribution.
fn on_every_path_to_a_lead(form: &Questionnaire<'_>, gains: &[u8], flag: u8) -> bool {
    let has = |page: usize| gains.get(page).is_some_and(|gain| gain & flag != 0);
    let without = form.graph.reached([0], |page| !has(page));
    let mut pages = without.iter().enumerate().filter(|(page, reached)| **reached && !has(*page));
    let makes_lead = |target: &Target| matches!(target, Target::Ending(ending) if form.creates_lead(*ending));
    !pages.any(|(page, _)| form.graph.targets.get(page).into_iter().flatten().any(makes_lead))
}
