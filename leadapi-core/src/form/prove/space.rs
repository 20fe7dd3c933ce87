//! The states that walks can be in: a page, and what was answered so far as far as it can still matter.
//!
//! A question matters on a page while a rule of that page, or of one that can be come to from there, looks at it. So
//! where rules look only at their own page, there is one state to a page, whatever the answers.

use super::{
    super::{
        answer::Answers,
        plan::{Cond, Jump, PagePlan, Questionnaire, Slot, Target, Tried},
    },
    classes::{Class, Classes},
};

/// A question, and the class of the answer to it.
pub(super) type Choice = (usize, usize);

/// Where a walk can be. All walks in one state go the same ways from there.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct State {
    pub page: usize,
    /// What was answered that can still matter.
    known: Vec<Choice>,
    /// The pages behind that can still be come to.
    seen: Vec<usize>,
    /// What the answers so far do for a lead.
    pub flags: u8,
}

/// A state that was come to, and how.
#[derive(Debug)]
pub(super) struct Node {
    pub state: State,
    /// The node before it, and what was answered on its page; none for the first page.
    from: Option<Trail>,
}

/// A node, and what is answered on its page.
#[derive(Clone, Debug)]
pub(super) struct Trail {
    pub node: usize,
    choices: Vec<Choice>,
}

/// Where a page is left to, with some answers.
pub(super) enum Way {
    Page(State),
    Ending(Option<usize>, u8),
    /// Back to a page on the path.
    Endless(usize),
}

pub(super) struct Space<'c> {
    pub form: &'c Questionnaire<'c>,
    classes: Vec<Vec<Class<'c>>>,
    /// For each question, the pages on which it matters after its own; none if there are none.
    matters: Vec<Option<Vec<bool>>>,
    /// For each page, the questions at which its own rules look.
    looked_at: Vec<Vec<usize>>,
}

impl<'c> Space<'c> {
    /// Nothing if even to say where questions matter would take more than the budget.
    pub(super) fn new(form: &'c Questionnaire<'c>, classes: &'c Classes) -> Option<Self> {
        let looked_at: Vec<Vec<usize>> = form.pages.iter().map(looked_at).collect();
        let matters = matters(form, &looked_at)?;
        Some(Self { form, classes: classes.of(form), matters, looked_at })
    }

    /// The state in which every walk begins.
    pub(super) fn first(&self) -> Option<State> {
        let page = self.form.pages.first().map(|_| 0)?;
        Some(State { page, known: Vec::new(), seen: Vec::new(), flags: 0 })
    }

    /// All ways on from a state, each with what is answered for it and what came of trying each rule, until the budget
    /// runs out. Says whether it did not.
    pub(super) fn ways(
        &self,
        state: &State,
        budget: &mut usize,
        mut each: impl FnMut(&[Choice], Way, &[Tried]),
    ) -> bool {
        let Some(page) = self.form.pages.get(state.page) else { return true };
        let mut slots = vec![Slot::Empty; self.form.questions.len()];
        for choice in &state.known {
            self.answer(&mut slots, *choice);
        }
        // The classes of each question among which to choose: one where it matters to nobody.
        let open: Vec<(usize, Vec<usize>)> =
            page.questions.clone().map(|question| (question, self.open(state.page, question))).collect();
        if open.iter().any(|(_, classes)| classes.is_empty()) {
            return true;
        }
        let mut turn = vec![0; open.len()];
        loop {
            if *budget == 0 {
                return false;
            }
            *budget -= 1;
            let choices: Vec<Choice> = open
                .iter()
                .zip(&turn)
                .filter_map(|((question, classes), at)| Some((*question, *classes.get(*at)?)))
                .collect();
            for choice in &choices {
                self.answer(&mut slots, *choice);
            }
            let tried: Vec<Tried> = page.rules.iter().map(|rule| rule.try_with(&slots)).collect();
            each(&choices, self.way(state, &choices, &tried), &tried);
            if !advance(&mut turn, &open) {
                return true;
            }
        }
    }

    fn answer(&self, slots: &mut [Slot<'c>], (question, class): Choice) {
        if let (Some(slot), Some(class)) = (slots.get_mut(question), self.class((question, class))) {
            *slot = class.slot;
        }
    }

    fn class(&self, (question, class): Choice) -> Option<&Class<'c>> {
        self.classes.get(question)?.get(class)
    }

    fn open(&self, page: usize, question: usize) -> Vec<usize> {
        let classes = self.classes.get(question).map_or(&[][..], Vec::as_slice);
        let here = self.looked_at.get(page).is_some_and(|looked_at| looked_at.contains(&question));
        if here || self.form.graph.next(page).any(|next| self.matters(question, next)) {
            return (0..classes.len()).collect();
        }
        let least = classes.iter().enumerate().min_by_key(|(_, class)| class.flags);
        least.map(|(index, _)| index).into_iter().collect()
    }

    fn matters(&self, question: usize, page: usize) -> bool {
        let pages = self.matters.get(question).and_then(Option::as_ref);
        pages.and_then(|pages| pages.get(page)).is_some_and(|matters| *matters)
    }

    fn way(&self, state: &State, choices: &[Choice], tried: &[Tried]) -> Way {
        let taken = tried.iter().find_map(|tried| if let Tried::Goes(target) = tried { Some(*target) } else { None });
        let does = choices.iter().filter_map(|choice| self.class(*choice)).fold(0, |flags, class| flags | class.flags);
        let flags = state.flags | does;
        let page = match taken.unwrap_or_else(|| self.form.after(state.page)) {
            Target::Ending(ending) => return Way::Ending(ending, flags),
            Target::Page(page) => page,
        };
        if page == state.page || state.seen.contains(&page) {
            return Way::Endless(page);
        }
        let together = self.form.graph.knot(page) == self.form.graph.knot(state.page);
        let mut seen = if together { state.seen.clone() } else { Vec::new() };
        if together {
            seen.push(state.page);
            seen.sort_unstable();
        }
        // Not to have answered is the same as not to have been asked.
        let filled = |choice: &Choice| self.class(*choice).is_some_and(|class| class.answer.is_some());
        let all = state.known.iter().chain(choices.iter().filter(|choice| filled(choice)));
        let mut known: Vec<Choice> = all.filter(|(question, _)| self.matters(*question, page)).copied().collect();
        known.sort_unstable();
        Way::Page(State { page, known, seen, flags })
    }

    /// The answers that lead along a trail.
    pub(super) fn answers(&self, nodes: &[Node], trail: &Trail) -> Answers {
        let mut answers = Answers::new();
        let mut trail = Some(trail);
        while let Some(Trail { node, choices }) = trail {
            for choice in choices {
                if let (Some(question), Some(answer)) =
                    (self.form.questions.get(choice.0), self.class(*choice).and_then(|class| class.answer))
                {
                    answers.set(question.id, answer.clone());
                }
            }
            trail = nodes.get(*node).and_then(|node| node.from.as_ref());
        }
        answers
    }
}

impl Node {
    pub(super) fn first(state: State) -> Self {
        Self { state, from: None }
    }

    pub(super) fn after(trail: Trail, state: State) -> Self {
        Self { state, from: Some(trail) }
    }
}

impl Trail {
    pub(super) fn new(node: usize, choices: &[Choice]) -> Self {
        Self { node, choices: choices.to_vec() }
    }
}

/// The next turn of as many wheels as there are questions.
fn advance(turn: &mut [usize], open: &[(usize, Vec<usize>)]) -> bool {
    for (at, (_, classes)) in turn.iter_mut().zip(open) {
        *at += 1;
        if *at < classes.len() {
            return true;
        }
        *at = 0;
    }
    false
}

/// The questions at which the rules of a page look.
fn looked_at(page: &PagePlan<'_>) -> Vec<usize> {
    let jumps = page.rules.iter().filter(|rule| matches!(rule.jump, Jump::To(_)));
    let asked = jumps.flat_map(|rule| rule.groups.conds()).filter_map(|cond| match cond {
        Cond::Ask { question, .. } => Some(*question),
        Cond::Unknown | Cond::Never => None,
    });
    let mut questions: Vec<usize> = asked.collect();
    questions.sort_unstable();
    questions.dedup();
    questions
}

/// The pages from which a page can be come to whose rules look at a question.
fn matters(form: &Questionnaire<'_>, looked_at: &[Vec<usize>]) -> Option<Vec<Option<Vec<bool>>>> {
    let mut lookers = vec![Vec::new(); form.questions.len()];
    for (page, questions) in looked_at.iter().enumerate() {
        for question in questions {
            if let Some(lookers) = lookers.get_mut(*question) {
                lookers.push(page);
            }
        }
    }
    let mut before = vec![Vec::new(); form.pages.len()];
    for page in 0..form.pages.len() {
        for next in form.graph.next(page) {
            if let Some(before) = before.get_mut(next) {
                before.push(page);
            }
        }
    }
    let mut cost = form.policy.budget.saturating_mul(64);
    let mut matters = Vec::with_capacity(lookers.len());
    for (question, lookers) in form.questions.iter().zip(lookers) {
        let own = lookers.iter().all(|page| *page == question.page) && !form.graph.is_knotted(question.page);
        if own {
            matters.push(None);
            continue;
        }
        cost = cost.checked_sub(form.pages.len())?;
        let mut pages = vec![false; form.pages.len()];
        let mut open = lookers;
        while let Some(page) = open.pop() {
            if let Some(known) = pages.get_mut(page).filter(|known| !**known) {
                *known = true;
                open.extend(before.get(page).into_iter().flatten());
            }
        }
        matters.push(Some(pages));
    }
    Some(matters)
}
