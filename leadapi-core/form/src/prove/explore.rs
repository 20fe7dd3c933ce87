//! An exhaustive search through the states of all walks. It visits each state once.

use std::{
    collections::{BTreeSet, HashSet},
    rc::Rc,
};

use super::{
    super::{
        answer::Answers,
        plan::{Jump, Questionnaire, RuleResult},
    },
    Proofs, Verdict,
    budget::Budget,
    classes::{CONTACT, Class, Classes, NAMED},
    exit::{Exit, Transition},
    graph::GraphProofs,
    space::StateSpace,
    state::{Edge, Node, State},
};

/// The results of the search. They are partial if the budget ran out.
pub(crate) struct Exploration {
    pub proofs: Proofs,
    /// The indices of the rules whose conditions hold, or might hold, for some answers that lead to their page.
    pub may_match: BTreeSet<usize>,
    /// The rules whose conditions do not hold, or might not hold, for some answers that lead to their page.
    pub may_fail: BTreeSet<usize>,
    /// The rules that a walk follows, or might follow, for some answers.
    pub followed: BTreeSet<usize>,
    /// Whether a walk can reach an ending that creates a lead.
    pub creates_lead: bool,
    /// Whether a rule may take an unknown action, after which the walk could continue anywhere.
    pub unknown_action: bool,
}

impl Questionnaire<'_> {
    pub(crate) fn explore(&self) -> Exploration {
        let classes = Classes::new(self);
        let classes = classes.of(self);
        let budget = Budget::new(self.policy.budget);
        let mut explorer = Explorer::default();
        let complete =
            StateSpace::new(self, &classes, &budget).and_then(|space| explorer.run(&space, &budget)).is_some();
        explorer.finish(self, &classes, complete)
    }
}

#[derive(Default)]
struct Explorer {
    nodes: Vec<Node>,
    known: HashSet<Rc<State>>,
    pages: Reached,
    endings: Reached,
    looping: Witness,
    nameless: Witness,
    contactless: Witness,
    may_match: BTreeSet<usize>,
    may_fail: BTreeSet<usize>,
    followed: BTreeSet<usize>,
    undecided: BTreeSet<usize>,
    creates_lead: bool,
    unknown_action: bool,
}

/// The pages or the endings that walks reach.
#[derive(Default)]
struct Reached {
    certain: BTreeSet<usize>,
    /// The pages or endings that a walk may reach, depending on a rule that cannot be evaluated or on an answer that
    /// may not exist.
    possible: BTreeSet<usize>,
}

/// A counterexample to a statement.
#[derive(Default)]
struct Witness {
    certain: Option<Answers>,
    /// Whether there may be a counterexample that depends on a rule that cannot be evaluated, or on an answer that may
    /// not exist.
    possible: bool,
}

impl Reached {
    fn add(&mut self, index: usize, certain: bool) {
        if certain {
            self.certain.insert(index)
        } else {
            self.possible.insert(index)
        };
    }

    /// Decides whether all pages or all endings are reachable. After a partial search, only the graph can prove that a
    /// page or an ending is unreachable.
    fn verdict(&self, count: usize, may_be_reached: impl Fn(usize) -> bool) -> Verdict<Vec<usize>> {
        let missing: Vec<usize> = (0..count).filter(|index| !self.certain.contains(index)).collect();
        if missing.is_empty() {
            return Verdict::Proved;
        }
        let sure: Vec<usize> = missing.into_iter().filter(|index| !may_be_reached(*index)).collect();
        if sure.is_empty() { Verdict::Unknown } else { Verdict::Refuted(sure) }
    }
}

impl Witness {
    fn add(&mut self, certain: bool, answers: impl FnOnce() -> Answers) {
        if !certain {
            self.possible = true;
        } else if self.certain.is_none() {
            self.certain = Some(answers());
        }
    }

    fn verdict(self, complete: bool, graph: bool) -> Verdict<Answers> {
        match self.certain {
            Some(answers) => Verdict::Refuted(answers),
            None if graph || complete && !self.possible => Verdict::Proved,
            None => Verdict::Unknown,
        }
    }
}

impl Explorer {
    /// Visits each state once. Returns `None` if the budget runs out.
    fn run(&mut self, space: &StateSpace<'_>, budget: &Budget) -> Option<()> {
        let mut slots = space.slots();
        self.nodes.extend(space.initial().map(|state| Node::initial(Rc::new(state))));
        let mut at = 0;
        while let Some(state) = self.nodes.get(at).map(|node| Rc::clone(&node.state)) {
            self.pages.add(state.page, state.certain);
            space.exits(&state, &mut slots, budget, |exit| {
                self.record_rules(space, state.page, &exit);
                let Exit { choices, possible, taken, .. } = exit;
                let edge = || Edge::new(at, choices);
                possible
                    .into_iter()
                    .chain([taken])
                    .try_for_each(|transition| self.follow(space, budget, transition, &edge))
            })?;
            at += 1;
        }
        Some(())
    }

    fn record_rules(&mut self, space: &StateSpace<'_>, page: usize, exit: &Exit<'_>) {
        let rules = space.form.pages.get(page).into_iter().flat_map(|page| &page.rules).zip(exit.results);
        let mut followed = false;
        for (rule, result) in rules {
            if !matches!(result, RuleResult::JumpsTo(_)) {
                self.may_fail.insert(rule.at);
            }
            match (result, rule.jump) {
                (RuleResult::NoMatch | RuleResult::MissingTarget, _) | (_, Jump::Missing) => {}
                (RuleResult::JumpsTo(_), _) => {
                    self.may_match.insert(rule.at);
                    if !std::mem::replace(&mut followed, true) {
                        self.followed.insert(rule.at);
                    }
                }
                (RuleResult::Uncertain | RuleResult::UnknownJump, _) => {
                    self.may_match.insert(rule.at);
                    if !followed {
                        self.followed.insert(rule.at);
                        // Any other rule is uncertain only because the search does not know the answer. A walk can
                        // evaluate it.
                        if rule.may_be_undecided() {
                            self.undecided.insert(rule.at);
                        }
                    }
                }
            }
        }
    }

    fn follow(
        &mut self,
        space: &StateSpace<'_>,
        budget: &Budget,
        transition: Transition,
        edge: &impl Fn() -> Edge,
    ) -> Option<()> {
        match transition {
            Transition::Page(state) => {
                let Some(state) = self.if_new(state) else { return Some(()) };
                let edge = edge();
                budget.allocate(state.bytes() + edge.bytes())?;
                let state = Rc::new(state);
                self.known.insert(Rc::clone(&state));
                self.nodes.push(Node::after(edge, state));
            }
            Transition::Loop { certain, .. } => {
                self.looping.add(certain, || space.answers(&self.nodes, &edge()));
            }
            Transition::Ending { ending, flags, certain } => {
                if let Some(ending) = ending {
                    self.endings.add(ending, certain);
                }
                if space.form.creates_lead(ending) {
                    self.creates_lead = true;
                    for (flag, witness) in [(NAMED, &mut self.nameless), (CONTACT, &mut self.contactless)] {
                        if flags & flag == 0 {
                            witness.add(certain, || space.answers(&self.nodes, &edge()));
                        }
                    }
                }
            }
            Transition::UnknownAction => self.unknown_action = true,
        }
        Some(())
    }

    /// Returns the state, or `None` if it was visited before. An uncertain state is redundant if the search has already
    /// reached the same state with certainty.
    fn if_new(&self, mut state: State) -> Option<State> {
        if self.known.contains(&state) {
            return None;
        }
        if !state.certain {
            state.certain = true;
            if self.known.contains(&state) {
                return None;
            }
            state.certain = false;
        }
        Some(state)
    }

    fn finish(mut self, form: &Questionnaire<'_>, classes: &[Vec<Class<'_>>], complete: bool) -> Exploration {
        let graph = GraphProofs::new(form, classes);
        for witness in [&mut self.looping, &mut self.nameless, &mut self.contactless] {
            witness.possible |= self.unknown_action;
        }
        let (pages, endings) = form.reachable();
        let may_be = |reached: &Reached, index: usize, in_graph: bool| {
            if complete {
                self.unknown_action || reached.possible.contains(&index)
            } else {
                graph.has_unknown_action || in_graph
            }
        };
        let page = |page: usize| may_be(&self.pages, page, pages.get(page) == Some(&true));
        let ending = |ending: usize| may_be(&self.endings, ending, endings.contains(&ending));
        Exploration {
            may_match: self.may_match,
            may_fail: self.may_fail,
            followed: self.followed,
            creates_lead: self.creates_lead,
            unknown_action: self.unknown_action || !complete && graph.has_unknown_action,
            proofs: Proofs {
                pages: self.pages.verdict(form.pages.len(), page),
                endings: self.endings.verdict(form.endings.len(), ending),
                ends: self.looping.verdict(complete, graph.ends),
                named: self.nameless.verdict(complete, graph.every_lead_has & NAMED != 0),
                contactable: self.contactless.verdict(complete, graph.every_lead_has & CONTACT != 0),
                undecided: self.undecided.into_iter().collect(),
                complete,
            },
        }
    }
}
