//! An exhaustive search of all states of walks, which visits each state once.

use std::{
    collections::{BTreeSet, HashSet},
    rc::Rc,
};

use super::{
    super::{
        answer::Answers,
        plan::{Jump, Questionnaire, Tried},
    },
    Proofs, Verdict,
    budget::Budget,
    classes::{CONTACT, Class, Classes, NAMED},
    linear::Linear,
    space::{Exit, Space, Way},
    state::{Node, State, Trail},
};

/// The results of the search, which is partial if the budget ran out.
pub(in crate::form) struct Exploration {
    pub proofs: Proofs,
    /// The rules whose conditions hold, or may hold, for some answers on their page, by index in the record.
    pub held: BTreeSet<usize>,
    /// The rules that a walk follows, or may follow, for some answers.
    pub followed: BTreeSet<usize>,
    /// Whether a walk can reach an ending that creates a lead.
    pub makes_lead: bool,
    /// Whether a rule may take an unknown action, after which the walk could continue anywhere.
    pub anywhere: bool,
}

impl Questionnaire<'_> {
    pub(in crate::form) fn explore(&self) -> Exploration {
        let classes = Classes::new(self);
        let classes = classes.of(self);
        let budget = Budget::new(self.policy.budget);
        let mut explorer = Explorer::default();
        let complete = Space::new(self, &classes, &budget).and_then(|space| explorer.run(&space, &budget)).is_some();
        explorer.conclude(self, &classes, complete)
    }
}

#[derive(Default)]
struct Explorer {
    nodes: Vec<Node>,
    known: HashSet<Rc<State>>,
    pages: Reached,
    endings: Reached,
    endless: Witness,
    nameless: Witness,
    contactless: Witness,
    held: BTreeSet<usize>,
    followed: BTreeSet<usize>,
    undecided: BTreeSet<usize>,
    makes_lead: bool,
    anywhere: bool,
}

/// The pages or endings that walks reach.
#[derive(Default)]
struct Reached {
    certain: BTreeSet<usize>,
    /// Those that a walk reaches only if rules match that cannot be evaluated.
    possible: BTreeSet<usize>,
}

/// A counterexample to a statement.
#[derive(Default)]
struct Witness {
    certain: Option<Answers>,
    /// Whether the statement is false if rules match that cannot be evaluated.
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

    /// Decides whether all are reached. After a partial search, only the graph can show that one is unreachable.
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

    fn verdict(self, complete: bool, linear: bool) -> Verdict<Answers> {
        match self.certain {
            Some(answers) => Verdict::Refuted(answers),
            None if linear || complete && !self.possible => Verdict::Proved,
            None => Verdict::Unknown,
        }
    }
}

impl Explorer {
    /// Visits each state once. Returns `None` if the budget runs out.
    fn run(&mut self, space: &Space<'_>, budget: &Budget) -> Option<()> {
        let mut slots = space.slots();
        self.nodes.extend(space.first().map(|state| Node::first(Rc::new(state))));
        let mut at = 0;
        while let Some(state) = self.nodes.get(at).map(|node| Rc::clone(&node.state)) {
            self.pages.add(state.page, state.certain);
            space.exits(&state, &mut slots, budget, |exit| {
                self.note(space, state.page, exit.tried);
                let Exit { choices, possible, taken, .. } = exit;
                let trail = || Trail::new(at, choices);
                possible.into_iter().chain([taken]).try_for_each(|way| self.follow(space, budget, way, &trail))
            })?;
            at += 1;
        }
        Some(())
    }

    fn note(&mut self, space: &Space<'_>, page: usize, tried: &[Tried]) {
        let rules = space.form.pages.get(page).into_iter().flat_map(|page| &page.rules).zip(tried);
        let mut followed = false;
        for (rule, tried) in rules {
            match (tried, rule.jump) {
                (Tried::No | Tried::MissingTarget, _) | (_, Jump::Missing) => {}
                (Tried::Goes(_), _) => {
                    self.held.insert(rule.at);
                    if !std::mem::replace(&mut followed, true) {
                        self.followed.insert(rule.at);
                    }
                }
                (Tried::Unsure | Tried::UnknownJump, _) => {
                    self.held.insert(rule.at);
                    if !followed {
                        self.undecided.insert(rule.at);
                        self.followed.insert(rule.at);
                    }
                }
            }
        }
    }

    fn follow(&mut self, space: &Space<'_>, budget: &Budget, way: Way, trail: &impl Fn() -> Trail) -> Option<()> {
        match way {
            Way::Page(state) => {
                let Some(state) = self.unknown(state) else { return Some(()) };
                let trail = trail();
                budget.keep(state.bytes() + trail.bytes())?;
                let state = Rc::new(state);
                self.known.insert(Rc::clone(&state));
                self.nodes.push(Node::after(trail, state));
            }
            Way::Endless { certain, .. } => {
                self.endless.add(certain, || space.answers(&self.nodes, &trail()));
            }
            Way::Ending { ending, flags, certain } => {
                if let Some(ending) = ending {
                    self.endings.add(ending, certain);
                }
                if space.form.creates_lead(ending) {
                    self.makes_lead = true;
                    for (flag, witness) in [(NAMED, &mut self.nameless), (CONTACT, &mut self.contactless)] {
                        if flags & flag == 0 {
                            witness.add(certain, || space.answers(&self.nodes, &trail()));
                        }
                    }
                }
            }
            Way::Anywhere => self.anywhere = true,
        }
        Some(())
    }

    /// Returns the state, unless it is known. A state that is certainly reached makes its uncertain twin redundant.
    fn unknown(&self, mut state: State) -> Option<State> {
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

    fn conclude(mut self, form: &Questionnaire<'_>, classes: &[Vec<Class<'_>>], complete: bool) -> Exploration {
        let linear = Linear::new(form, classes);
        for witness in [&mut self.endless, &mut self.nameless, &mut self.contactless] {
            witness.possible |= self.anywhere;
        }
        let (pages, endings) = form.in_reach();
        let may_be = |reached: &Reached, index: usize, in_graph: bool| {
            if complete {
                self.anywhere || reached.possible.contains(&index)
            } else {
                linear.may_leave_the_graph || in_graph
            }
        };
        let page = |page: usize| may_be(&self.pages, page, pages.get(page) == Some(&true));
        let ending = |ending: usize| may_be(&self.endings, ending, endings.contains(&ending));
        Exploration {
            held: self.held,
            followed: self.followed,
            makes_lead: self.makes_lead,
            anywhere: self.anywhere || !complete && linear.may_leave_the_graph,
            proofs: Proofs {
                pages: self.pages.verdict(form.pages.len(), page),
                endings: self.endings.verdict(form.endings.len(), ending),
                ends: self.endless.verdict(complete, linear.ends),
                named: self.nameless.verdict(complete, linear.gained & NAMED != 0),
                contactable: self.contactless.verdict(complete, linear.gained & CONTACT != 0),
                undecided: self.undecided.into_iter().collect(),
                complete,
            },
        }
    }
}
