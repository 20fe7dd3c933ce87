//! The state space of walks. A state consists of a page and the earlier answers that can still matter.
//!
//! An answer matters on a page if a rule of that page, or of a page reachable from it, reads the answer. If rules read
//! only answers on their own page, each page has a single state.

use super::{
    super::{
        answer::Answers,
        plan::{Jump, Questionnaire, RuleResult, Slot, Target},
    },
    budget::Budget,
    classes::Class,
    liveness::Liveness,
    page_set::PageSet,
    state::{Choice, Edge, Node, State},
};

/// A transition that a walk can make out of a page.
pub(super) enum Transition {
    Page(State),
    Ending {
        ending: Option<usize>,
        flags: u8,
        certain: bool,
    },
    /// A transition back to a page on the path, which would make the walk endless.
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
    /// The transitions that a walk would make if rules that cannot be evaluated matched.
    pub possible: Vec<Transition>,
    /// The transition that a walk makes. A walk skips rules that cannot be evaluated.
    pub taken: Transition,
}

pub(super) struct StateSpace<'c> {
    pub form: &'c Questionnaire<'c>,
    classes: &'c [Vec<Class<'c>>],
    liveness: Liveness,
    pages: Vec<PageChoices>,
}

/// The possible combinations of answers on a page.
struct PageChoices {
    /// The questions whose answers are read by rules on this page or a later one.
    open: Vec<usize>,
    /// The flags that the answers to the page's other questions always contribute to a lead.
    flags: u8,
    /// Whether no walk can leave the page, because a required question has no valid answer.
    blocked: bool,
    /// The cost, in units of work, of trying all rules of the page once.
    work: usize,
}

/// The answers on a path, in the form that conditions read. Between calls, all slots are empty.
pub(super) struct Slots<'c>(Vec<Slot<'c>>);

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
            if self.liveness.is_read(question) {
                choices.open.push(question);
            } else {
                choices.flags |= self.least_class(question).map_or(0, |class| class.flags);
            }
        }
        choices.work +=
            choices.open.len() + plan.rules.iter().map(|rule| 1 + rule.groups.conds().count()).sum::<usize>();
        choices
    }

    pub(super) fn slots(&self) -> Slots<'c> {
        Slots(vec![Slot::Empty; self.form.questions.len()])
    }

    /// Returns the initial state of every walk.
    pub(super) fn initial(&self) -> Option<State> {
        let page = self.form.pages.first().map(|_| 0)?;
        Some(State { page, known: Vec::new(), seen: PageSet::default(), flags: 0, certain: true })
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
        let mut choices: Vec<Choice> = page.open.iter().map(|question| (*question, 0)).collect();
        let mut results = Vec::with_capacity(plan.rules.len());
        let done = loop {
            if budget.spend(page.work + state.known.len() + state.seen.ranges()).is_none() {
                break None;
            }
            for choice in &choices {
                self.answer(slots, *choice);
            }
            results.clear();
            results.extend(plan.rules.iter().map(|rule| rule.evaluate(&slots.0)));
            if each(self.exit(state, page.flags, &choices, &results)).is_none() {
                break None;
            }
            if !self.advance(&mut choices) {
                break Some(());
            }
        };
        for (question, _) in state.known.iter().chain(&choices) {
            slots.0.get_mut(*question).into_iter().for_each(|slot| *slot = Slot::Empty);
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
        if let (Some(slot), Some(class)) = (slots.0.get_mut(choice.0), self.class(choice)) {
            *slot = class.slot;
        }
    }

    fn class(&self, (question, class): Choice) -> Option<&'c Class<'c>> {
        self.classes.get(question)?.get(class)
    }

    /// Returns the class that contributes least to a lead.
    fn least_class(&self, question: usize) -> Option<&'c Class<'c>> {
        self.classes.get(question)?.iter().min_by_key(|class| class.flags)
    }

    fn exit<'e>(&self, state: &State, fixed: u8, choices: &'e [Choice], results: &'e [RuleResult]) -> Exit<'e> {
        let does =
            choices.iter().filter_map(|choice| self.class(*choice)).fold(fixed, |flags, class| flags | class.flags);
        let flags = state.flags | does;
        let mut certain = state.certain;
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
                    possible.push(self.transition(state, choices, target, flags, false));
                }
                (RuleResult::Uncertain | RuleResult::UnknownJump, Jump::Unknown) => {
                    certain = false;
                    possible.push(Transition::UnknownAction);
                }
            }
        }
        let target = taken.unwrap_or_else(|| self.form.after(state.page));
        let taken = self.transition(state, choices, target, flags, certain);
        Exit { choices, results, possible, taken }
    }

    fn transition(&self, state: &State, choices: &[Choice], target: Target, flags: u8, certain: bool) -> Transition {
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
        let filled = |choice: &Choice| self.class(*choice).is_some_and(|class| class.answer.is_some());
        let all = state.known.iter().chain(choices.iter().filter(|choice| filled(choice)));
        let mut known: Vec<Choice> =
            all.filter(|(question, _)| self.liveness.is_live(*question, page)).copied().collect();
        known.sort_unstable();
        Transition::Page(State { page, known, seen, flags, certain })
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
                .filter(|question| !self.liveness.is_read(*question))
                .for_each(|other| set(other, self.least_class(other)));
            choices.iter().for_each(|choice| set(choice.0, self.class(*choice)));
            edge = node.and_then(|node| node.incoming.as_ref());
        }
        answers
    }
}
