//! The state space of walks. A state consists of a page and of those facts about the earlier path that can still
//! matter, such as answers and scores.
//!
//! An answer matters on a page if a rule of that page, or of a page reachable from it, reads the answer.

use super::{
    super::{
        answer::Answers,
        plan::{Cond, Evidence, Jump, Questionnaire, RuleResult, Slot, Target, add},
    },
    budget::Budget,
    classes::Class,
    exit::{Exit, Transition},
    liveness::Liveness,
    page_set::PageSet,
    state::{Choice, Edge, Node, State},
};

pub(super) struct StateSpace<'c> {
    pub form: &'c Questionnaire<'c>,
    classes: &'c [Vec<Class<'c>>],
    liveness: Liveness,
    pages: Vec<PageChoices>,
}

/// The possible combinations of answers on a page.
struct PageChoices {
    /// The questions whose answers matter to rules on this page or on a later page, or whose flags are not known.
    open: Vec<usize>,
    /// The flags that the answers to the page's other questions always contribute to a lead.
    flags: u8,
    /// Whether no walk can leave the page, because a required question has no valid answer.
    blocked: bool,
    /// The cost, in units of work, of trying all rules of the page once.
    work: usize,
}

/// The answers and scores on a path, in the form that conditions read. Between calls to [`StateSpace::exits`], all
/// slots are empty, and all scores are 0.
pub(super) struct Slots<'c> {
    answers: Vec<Slot<'c>>,
    scores: Vec<Option<i64>>,
}

impl<'c> StateSpace<'c> {
    /// Returns `None` if the budget does not even cover the live-variable analysis.
    pub(super) fn new(form: &'c Questionnaire<'c>, classes: &'c [Vec<Class<'c>>], budget: &Budget) -> Option<Self> {
        let liveness = Liveness::new(form, budget)?;
        let mut space = Self { form, classes, liveness, pages: Vec::new() };
        space.pages = (0..form.pages.len()).map(|page| space.page_choices(page)).collect();
        Some(space)
    }

    fn page_choices(&self, page: usize) -> PageChoices {
        let mut choices = PageChoices { open: Vec::new(), flags: 0, blocked: false, work: 1 };
        let Some(plan) = self.form.pages.get(page) else { return choices };
        for question in plan.questions.clone() {
            choices.blocked |= self.classes.get(question).is_none_or(Vec::is_empty);
            match self.least_class(question).filter(|_| !self.is_open(question, &plan.scores)) {
                Some(class) => choices.flags |= class.flags,
                None => choices.open.push(question),
            }
        }
        choices.work +=
            choices.open.len() + plan.rules.iter().flat_map(|rule| rule.groups.conds()).map(Cond::size).sum::<usize>();
        choices.work += plan.rules.len() + plan.scores.len();
        choices
    }

    /// Returns whether the search has to try all classes of a question on a page with these scores.
    fn is_open(&self, question: usize, scores: &[usize]) -> bool {
        let classes = || self.classes.get(question).into_iter().flatten();
        let page = self.form.questions.get(question).map_or(usize::MAX, |question| question.page);
        let least = self.least_class(question).map_or(0, |class| class.flags);
        self.liveness.is_read(question)
            || classes().any(|class| class.points != Some(0)) && self.liveness.counts(page, scores)
            || classes().any(|class| class.is_uncertain() && class.flags & least != least)
    }

    pub(super) fn slots(&self) -> Slots<'c> {
        Slots { answers: vec![Slot::Empty; self.form.questions.len()], scores: self.form.scores.initial() }
    }

    /// Returns the initial state of every walk, or `None` if the form has no pages.
    pub(super) fn initial(&self) -> Option<State> {
        let page = self.form.pages.first().map(|_| 0)?;
        Some(State { page, known: Vec::new(), scores: Vec::new(), seen: PageSet::default(), flags: 0, certain: true })
    }

    /// Passes all exits of a state to `each`. Returns `None` if the budget runs out, here or in `each`.
    pub(super) fn exits(
        &self,
        state: &State,
        slots: &mut Slots<'c>,
        budget: &Budget,
        mut each: impl FnMut(Exit<'_>) -> Option<()>,
    ) -> Option<()> {
        let (Some(plan), Some(page)) = (self.form.pages.get(state.page), self.pages.get(state.page)) else {
            return Some(());
        };
        if page.blocked {
            return Some(());
        }
        for choice in &state.known {
            self.answer(slots, *choice);
        }
        let known_opaque = state.known.iter().any(|choice| self.is_uncertain(*choice));
        let mut choices: Vec<Choice> = page.open.iter().map(|question| (*question, 0)).collect();
        let mut results = Vec::with_capacity(plan.rules.len());
        let done = loop {
            if budget.spend(page.work + state.known.len() + state.scores.len() + state.seen.ranges()).is_none() {
                break None;
            }
            for choice in &choices {
                self.answer(slots, *choice);
            }
            self.score(slots, state, &plan.scores, &choices);
            results.clear();
            let evidence = Evidence { slots: &slots.answers, scores: &slots.scores, given: None };
            results.extend(plan.rules.iter().map(|rule| rule.evaluate(&evidence)));
            let opaque = known_opaque || choices.iter().any(|choice| self.is_uncertain(*choice));
            if each(self.exit(state, page.flags, &choices, &results, (opaque, &slots.scores))).is_none() {
                break None;
            }
            if !self.advance(&mut choices) {
                break Some(());
            }
        };
        for (question, _) in state.known.iter().chain(&choices) {
            slots.answers.get_mut(*question).into_iter().for_each(|slot| *slot = Slot::Empty);
        }
        for score in state.scores.iter().map(|(score, _)| score).chain(&plan.scores) {
            slots.scores.get_mut(*score).into_iter().for_each(|score| *score = Some(0));
        }
        done
    }

    /// Advances to the next combination of answers. Returns `false` after the last one.
    fn advance(&self, choices: &mut [Choice]) -> bool {
        for (question, class) in choices {
            *class += 1;
            if self.class((*question, *class)).is_some() {
                return true;
            }
            *class = 0;
        }
        false
    }

    fn answer(&self, slots: &mut Slots<'c>, choice: Choice) {
        if let (Some(slot), Some(class)) = (slots.answers.get_mut(choice.0), self.class(choice)) {
            *slot = class.slot;
        }
    }

    /// Sets the scores to their values after the choices on the page.
    fn score(&self, slots: &mut Slots<'_>, state: &State, own: &[usize], choices: &[Choice]) {
        for score in own {
            slots.scores.get_mut(*score).into_iter().for_each(|score| *score = Some(0));
        }
        for (score, value) in &state.scores {
            slots.scores.get_mut(*score).into_iter().for_each(|score| *score = *value);
        }
        if own.is_empty() {
            return;
        }
        let points = choices
            .iter()
            .filter_map(|choice| self.class(*choice))
            .try_fold(0_i64, |sum, class| Some(sum.saturating_add(class.points?)));
        for score in own {
            slots.scores.get_mut(*score).into_iter().for_each(|score| *score = add(*score, points));
        }
    }

    fn is_uncertain(&self, choice: Choice) -> bool {
        self.class(choice).is_some_and(Class::is_uncertain)
    }

    fn class(&self, (question, class): Choice) -> Option<&'c Class<'c>> {
        self.classes.get(question)?.get(class)
    }

    /// Returns the class that contributes least to a lead, among those whose answers are known.
    fn least_class(&self, question: usize) -> Option<&'c Class<'c>> {
        self.classes.get(question)?.iter().filter(|class| !class.is_uncertain()).min_by_key(|class| class.flags)
    }

    fn exit<'e>(
        &self,
        state: &State,
        fixed: u8,
        choices: &'e [Choice],
        results: &'e [RuleResult],
        (opaque, scores): (bool, &[Option<i64>]),
    ) -> Exit<'e> {
        let does =
            choices.iter().filter_map(|choice| self.class(*choice)).fold(fixed, |flags, class| flags | class.flags);
        let flags = state.flags | does;
        let mut certain = state.certain && !opaque;
        let mut possible = Vec::new();
        let rules = self.form.pages.get(state.page).map_or(&[][..], |page| &page.rules);
        let mut taken = None;
        for (rule, result) in rules.iter().zip(results) {
            match (result, rule.jump) {
                // A rule without an existing target is skipped even if it matches.
                (RuleResult::NoMatch | RuleResult::MissingTarget, _)
                | (RuleResult::Uncertain | RuleResult::UnknownJump, Jump::Missing) => {}
                (RuleResult::JumpsTo(target), _) => {
                    taken = Some(*target);
                    break;
                }
                (RuleResult::Uncertain | RuleResult::UnknownJump, Jump::To(target)) => {
                    certain = false;
                    possible.push(self.transition(state, choices, scores, target, (flags, false)));
                }
                (RuleResult::Uncertain | RuleResult::UnknownJump, Jump::Unknown) => {
                    certain = false;
                    possible.push(Transition::UnknownAction);
                }
            }
        }
        let target = taken.unwrap_or_else(|| self.form.after(state.page));
        let taken = self.transition(state, choices, scores, target, (flags, certain));
        Exit { choices, results, possible, taken, opaque }
    }

    fn transition(
        &self,
        state: &State,
        choices: &[Choice],
        scores: &[Option<i64>],
        target: Target,
        (flags, certain): (u8, bool),
    ) -> Transition {
        let page = match target {
            Target::Ending(ending) => return Transition::Ending { ending, flags, certain },
            Target::Page(page) => page,
        };
        if page == state.page || state.seen.contains(page) {
            return Transition::Loop { page, certain };
        }
        let together = self.form.graph.scc(page) == self.form.graph.scc(state.page);
        let mut seen = if together { state.seen.clone() } else { PageSet::default() };
        if together {
            seen.insert(state.page);
        }
        // An unanswered question has the same effect as a question that was not asked.
        let filled = |choice: &Choice| self.class(*choice).is_some_and(|class| !matches!(class.slot, Slot::Empty));
        let all = state.known.iter().chain(choices.iter().filter(|choice| filled(choice)));
        let mut known: Vec<Choice> =
            all.filter(|(question, _)| self.liveness.is_live(*question, page)).copied().collect();
        known.sort_unstable();
        let own = self.form.pages.get(state.page).into_iter().flat_map(|page| &page.scores);
        let mut scores: Vec<(usize, Option<i64>)> = (state.scores.iter().map(|(score, _)| score).chain(own))
            .filter(|score| self.liveness.is_score_live(**score, page))
            .filter_map(|score| Some((*score, *scores.get(*score).filter(|value| **value != Some(0))?)))
            .collect();
        scores.sort_unstable();
        scores.dedup();
        Transition::Page(State { page, known, scores, seen, flags, certain })
    }

    /// Returns the answers that lead along an edge and all edges before it.
    pub(super) fn answers(&self, nodes: &[Node], edge: &Edge) -> Answers {
        let mut answers = Answers::new();
        let mut set = |question: usize, class: Option<&Class<'_>>| {
            if let (Some(plan), Some(answer)) =
                (self.form.questions.get(question), class.and_then(|class| class.answer))
            {
                answers.set(plan.id, answer.clone());
            }
        };
        let mut edge = Some(edge);
        while let Some(Edge { node, choices }) = edge {
            let node = nodes.get(*node);
            let page = node.and_then(|node| self.form.pages.get(node.state.page));
            let others = page.into_iter().flat_map(|page| page.questions.clone());
            others
                .filter(|other| choices.binary_search_by_key(other, |(question, _)| *question).is_err())
                .for_each(|other| set(other, self.least_class(other)));
            choices.iter().for_each(|choice| set(choice.0, self.class(*choice)));
            edge = node.and_then(|node| node.incoming.as_ref());
        }
        answers
    }
}
