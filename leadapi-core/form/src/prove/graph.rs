//! Proofs that use only the page graph and ignore conditions, in linear time.
//!
//! The graph contains every jump that a rule could make, so a statement that holds for all its paths holds for all
//! walks. The converse is not true: a statement that this module cannot prove may still hold.

use super::{
    super::plan::{Jump, Questionnaire, Target},
    classes::{CONTACT, Class, NAMED},
};

/// The statements that the graph proves. `false` means that a statement is unproved, not that it is refuted.
pub(super) struct GraphProofs {
    pub ends: bool,
    /// The flags that every lead has.
    pub every_lead_has: u8,
    /// Whether a rule of a reachable page may take an unknown action, after which the walk could continue anywhere.
    pub has_unknown_action: bool,
}

impl GraphProofs {
    pub(super) fn new(form: &Questionnaire<'_>, classes: &[Vec<Class<'_>>]) -> Self {
        let reached = form.graph.reachable([0], |_| true);
        let mut pages = form.pages.iter().zip(&reached).filter(|(_, reached)| **reached).map(|(page, _)| page);
        let has_unknown_action = pages.any(|page| {
            let mut rules =
                page.rules.iter().take_while(|rule| !(rule.is_unconditional() && matches!(rule.jump, Jump::To(_))));
            rules.any(|rule| matches!(rule.jump, Jump::Unknown) && rule.can_match())
        });
        let contributions: Vec<u8> = (0..form.pages.len()).map(|page| contribution(form, classes, page)).collect();
        let ends = !reached.iter().enumerate().any(|(page, reached)| *reached && form.graph.is_on_cycle(page));
        let every_lead_has =
            [NAMED, CONTACT].into_iter().filter(|flag| on_every_path_to_a_lead(form, &contributions, *flag));
        let every_lead_has = every_lead_has.fold(0, |flags, flag| flags | flag);
        if has_unknown_action {
            return Self { ends: false, every_lead_has: 0, has_unknown_action };
        }
        Self { ends, every_lead_has, has_unknown_action }
    }
}

/// Returns the flags that a page contributes to every lead, regardless of the answers.
fn contribution(form: &Questionnaire<'_>, classes: &[Vec<Class<'_>>], page: usize) -> u8 {
    let questions = form.pages.get(page).map(|page| page.questions.clone()).unwrap_or_default();
    let least = |question: usize| {
        let classes = classes.get(question).into_iter().flatten();
        // If a question has no valid answer, no walk leaves its page. Every claim about leads from walks through that
        // page is then trivially true.
        classes.fold(NAMED | CONTACT, |flags, class| flags & class.flags)
    };
    questions.fold(0, |flags, question| flags | least(question))
}

/// Returns whether every path to an ending that creates a lead passes through a page that contributes this flag.
fn on_every_path_to_a_lead(form: &Questionnaire<'_>, contributions: &[u8], flag: u8) -> bool {
    let has = |page: usize| contributions.get(page).is_some_and(|contribution| contribution & flag != 0);
    let without = form.graph.reachable([0], |page| !has(page));
    let mut pages = without.iter().enumerate().filter(|(page, reached)| **reached && !has(*page));
    let creates_lead = |target: &Target| matches!(target, Target::Ending(ending) if form.creates_lead(*ending));
    !pages.any(|(page, _)| form.graph.targets.get(page).into_iter().flatten().any(creates_lead))
}
