//! The list of feasible paths through a form, each with answers that lead along it.

use std::{
    collections::{BTreeMap, HashSet},
    rc::Rc,
};

use super::{
    super::{answer::Answers, plan::Questionnaire},
    budget::Budget,
    classes::Classes,
    exit::Transition,
    space::StateSpace,
    state::{Edge, Node, State},
};

/// The approximate size in bytes of one answer in [`Answers`].
const ANSWER_BYTES: usize = 128;

/// A path through a form, and answers that lead along it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Path<'r> {
    /// The pages in visiting order, by index in [`Questionnaire::pages`].
    pub pages: Vec<usize>,
    /// The end of the path.
    pub end: PathEnd<'r>,
    /// Answers that lead along the path.
    pub answers: Answers,
    /// Whether the path assumes that a rule does not match, although the search cannot evaluate the rule. See
    /// [`Proofs`](crate::Proofs).
    pub uncertain: bool,
}

/// The end of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum PathEnd<'r> {
    /// An ending, with its id if it has one. The built-in confirmation has none.
    Ending(Option<&'r str>),
    /// A loop: the index of the page that would be visited twice.
    Loop(usize),
}

/// Paths through a form.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Paths<'r> {
    /// The paths, sorted by their pages.
    pub paths: Vec<Path<'r>>,
    /// Whether the list is complete. If not, the [`budget`](crate::Policy::budget) ran out, there are more paths
    /// than the requested maximum, or there may be paths for answers for which no example is known.
    pub complete: bool,
}

/// The step that follows a prefix. Paths with the same prefix diverge at it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Fork {
    Ending(Option<usize>),
    Loop(usize),
    Page(usize),
}

/// A prefix that several paths can share. It consists of its last page, the index of its parent prefix, and the nodes
/// that walks along it can reach.
struct Prefix {
    page: usize,
    before: Option<usize>,
    nodes: Vec<usize>,
}

/// A transition from a node, and whether all rules that were tried before the transition could be evaluated.
struct Branch {
    edge: Edge,
    state: Option<State>,
    certain: bool,
}

impl<'r> Questionnaire<'r> {
    /// Lists at most `limit` feasible paths, each with answers that lead along it.
    ///
    /// Omits paths through a page with a required question that has no valid answer, such as a choice without options,
    /// because no walk can leave that page. Also omits paths that a walk follows only if a rule that the search cannot
    /// evaluate matches.
    ///
    /// ```
    /// use leadapi_form::{Questionnaire, FormRecord, PathEnd, Policy, Version};
    ///
    /// let record: FormRecord = serde_json::from_str(r#"{"form":{
    ///     "pages":[{"id":"a","fields":[{"id":"q"}]},{"id":"b"}],
    ///     "logic":{"rules":[{"fromPageId":"a","then":{"kind":"jump","target":"end:e"},
    ///         "groups":[{"op":"AND","conds":[{"fieldId":"q","op":"is_filled"}]}],"outerOp":"OR"}]},
    ///     "settings":{"endings":[{"id":"e"}]}}}"#)?;
    /// let form = Questionnaire::compile(&record, Version::Draft, &Policy::default());
    /// let found = form.paths(100);
    /// assert!(found.complete);
    /// assert_eq!(found.paths.iter().map(|path| path.pages.as_slice()).collect::<Vec<_>>(), [&[0][..], &[0, 1]]);
    /// assert!(found.paths.iter().all(|path| path.end == PathEnd::Ending(Some("e"))));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn paths(&self, limit: usize) -> Paths<'r> {
        let classes = Classes::new(self);
        let classes = classes.of(self);
        let budget = Budget::new(self.policy.budget);
        let mut lister = PathLister {
            form: self,
            nodes: Vec::new(),
            prefixes: Vec::new(),
            paths: Vec::new(),
            limit,
            complete: true,
        };
        let space = StateSpace::new(self, &classes, &budget);
        let complete = space.and_then(|space| lister.run(&space, &budget)).is_some() && lister.complete;
        let mut paths = lister.paths;
        paths.sort_by(|one, other| (&one.pages, one.end).cmp(&(&other.pages, other.end)));
        Paths { paths, complete }
    }
}

struct PathLister<'f, 'r> {
    form: &'f Questionnaire<'r>,
    nodes: Vec<Node>,
    prefixes: Vec<Prefix>,
    paths: Vec<Path<'r>>,
    limit: usize,
    complete: bool,
}

impl<'r> PathLister<'_, 'r> {
    /// Lists all paths. Returns `None` if the budget runs out or there are more paths than the limit.
    fn run(&mut self, space: &StateSpace<'_>, budget: &Budget) -> Option<()> {
        let Some(first) = space.initial() else { return Some(()) };
        self.nodes.push(Node::initial(Rc::new(first)));
        self.prefixes.push(Prefix { page: 0, before: None, nodes: vec![0] });
        let mut slots = space.slots();
        let mut open = vec![0];
        while let Some(prefix) = open.pop() {
            let mut forks: BTreeMap<Fork, Vec<Branch>> = BTreeMap::new();
            let mut known = HashSet::new();
            let nodes = self.prefixes.get_mut(prefix).map(|prefix| std::mem::take(&mut prefix.nodes));
            for node in nodes.into_iter().flatten() {
                let Some(state) = self.nodes.get(node).map(|node| Rc::clone(&node.state)) else { continue };
                space.exits(&state, &mut slots, budget, |exit| {
                    if exit.opaque {
                        self.complete = false;
                        return Some(());
                    }
                    let (fork, state, certain) = match exit.taken {
                        Transition::Page(mut state) => {
                            // Two walks along the same path count as one path even if they contribute different flags
                            // to the lead.
                            state.flags = 0;
                            (Fork::Page(state.page), Some(state.clone()), state.certain)
                        }
                        Transition::Ending { ending, certain, .. } => (Fork::Ending(ending), None, certain),
                        Transition::Loop { page, certain } => (Fork::Loop(page), None, certain),
                        Transition::UnknownAction => return Some(()),
                    };
                    if known.insert((fork, state.clone(), certain)) {
                        let edge = Edge::new(node, exit.choices);
                        budget.allocate(edge.bytes() + 2 * state.as_ref().map_or(0, State::bytes))?;
                        forks.entry(fork).or_default().push(Branch { edge, state, certain });
                    }
                    Some(())
                })?;
            }
            for (fork, branches) in forks {
                match fork {
                    Fork::Page(page) => {
                        let first = self.nodes.len();
                        let after = |Branch { edge, state, .. }| Some(Node::after(edge, Rc::new(state?)));
                        self.nodes.extend(branches.into_iter().filter_map(after));
                        open.push(self.prefixes.len());
                        let nodes = (first..self.nodes.len()).collect();
                        self.prefixes.push(Prefix { page, before: Some(prefix), nodes });
                    }
                    Fork::Loop(page) => self.add(space, budget, prefix, PathEnd::Loop(page), &branches)?,
                    Fork::Ending(ending) => {
                        let id = ending.and_then(|ending| self.form.endings.get(ending)).and_then(|plan| plan.id);
                        self.add(space, budget, prefix, PathEnd::Ending(id), &branches)?;
                    }
                }
            }
        }
        Some(())
    }

    fn add(
        &mut self,
        space: &StateSpace<'_>,
        budget: &Budget,
        prefix: usize,
        end: PathEnd<'r>,
        branches: &[Branch],
    ) -> Option<()> {
        if self.paths.len() == self.limit {
            return None;
        }
        let branch = branches.iter().find(|branch| branch.certain).or_else(|| branches.first());
        let Some(Branch { edge, certain, .. }) = branch else { return Some(()) };
        let mut pages: Vec<usize> = std::iter::successors(self.prefixes.get(prefix), |prefix| {
            prefix.before.and_then(|before| self.prefixes.get(before))
        })
        .map(|prefix| prefix.page)
        .collect();
        pages.reverse();
        let questions = |page: &usize| self.form.pages.get(*page).map_or(0, |page| page.questions.len());
        let questions: usize = pages.iter().map(questions).sum();
        budget.spend(pages.len() + questions)?;
        budget.allocate(size_of_val(&*pages) + ANSWER_BYTES * questions)?;
        let answers = space.answers(&self.nodes, edge);
        self.paths.push(Path { pages, end, answers, uncertain: !certain });
        Some(())
    }
}
