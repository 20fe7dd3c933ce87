//! Every path that some answers lead along, each with answers that do: what an author would click through.

use std::{
    collections::{BTreeMap, HashSet},
    rc::Rc,
};

use super::{
    super::{answer::Answers, plan::Questionnaire},
    budget::Budget,
    classes::Classes,
    space::{Space, Way},
    state::{Node, State, Trail},
};

/// The bytes of an answer in a list of answers, about.
const ANSWER_BYTES: usize = 128;

/// A path through a form, and answers that lead along it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Path<'r> {
    /// The pages in the order of the visit, by their place among [`Questionnaire::pages`].
    pub pages: Vec<usize>,
    /// How it ends.
    pub end: PathEnd<'r>,
    /// Answers that lead along it.
    pub answers: Answers,
    /// Whether a rule on the way cannot be evaluated and was skipped, as in a walk: see
    /// [`Step::is_uncertain`](crate::form::Step::is_uncertain).
    pub uncertain: bool,
}

/// How a path ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum PathEnd<'r> {
    /// At an ending, with its id if it has one.
    Ending(Option<&'r str>),
    /// Back at a page of the path, by its place.
    Endless(usize),
}

/// Paths through a form.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Paths<'r> {
    /// The paths, sorted by their pages.
    pub paths: Vec<Path<'r>>,
    /// Whether these are all; otherwise the [`budget`](crate::form::Policy::budget) ran out, or there are more than were
    /// asked for.
    pub complete: bool,
}

/// Where paths that have been one so far go apart.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Fork {
    Ending(Option<usize>),
    Endless(usize),
    Page(usize),
}

/// The last page of a path, the page before it in the list of all such, and the nodes in which walks can be that have
/// come this way.
struct Prefix {
    page: usize,
    before: Option<usize>,
    nodes: Vec<usize>,
}

/// A way from a node, with whether every rule up to there could be evaluated.
struct Branch {
    trail: Trail,
    state: Option<State>,
    certain: bool,
}

impl<'r> Questionnaire<'r> {
    /// Lists the paths that answers can lead along, at most so many, each with answers that do.
    ///
    /// Paths on which a required question has no good answer (a choice without options) end nowhere and are left out.
    ///
    /// ```
    /// use leadapi_core::form::{FormRecord, PathEnd, Policy, Version};
    ///
    /// let record: FormRecord = serde_json::from_str(r#"{"form":{
    ///     "pages":[{"id":"a","fields":[{"id":"q"}]},{"id":"b"}],
    ///     "logic":{"rules":[{"fromPageId":"a","then":{"kind":"jump","target":"end:e"},
    ///         "groups":[{"op":"AND","conds":[{"fieldId":"q","op":"is_filled"}]}],"outerOp":"OR"}]},
    ///     "settings":{"endings":[{"id":"e"}]}}}"#)?;
    /// let form = record.compile(Version::Draft, &Policy::default());
    /// let found = form.paths(100);
    /// assert!(found.complete);
    /// assert_eq!(found.paths.iter().map(|path| path.pages.as_slice()).collect::<Vec<_>>(), [&[0][..], &[0, 1]]);
    /// assert!(found.paths.iter().all(|path| path.end == PathEnd::Ending(Some("e"))));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn paths(&self, most: usize) -> Paths<'r> {
        let classes = Classes::new(self);
        let classes = classes.of(self);
        let budget = Budget::new(self.policy.budget);
        let mut lister = Lister { form: self, nodes: Vec::new(), prefixes: Vec::new(), paths: Vec::new(), most };
        let space = Space::new(self, &classes, &budget);
        let complete = space.and_then(|space| lister.run(&space, &budget)).is_some();
        let mut paths = lister.paths;
        paths.sort_by(|one, other| (&one.pages, one.end).cmp(&(&other.pages, other.end)));
        Paths { paths, complete }
    }
}

struct Lister<'f, 'r> {
    form: &'f Questionnaire<'r>,
    nodes: Vec<Node>,
    prefixes: Vec<Prefix>,
    paths: Vec<Path<'r>>,
    most: usize,
}

impl<'r> Lister<'_, 'r> {
    /// Lists all paths. Returns `None` when the budget runs out, or there are more than were asked for.
    fn run(&mut self, space: &Space<'_>, budget: &Budget) -> Option<()> {
        let Some(first) = space.first() else { return Some(()) };
        self.nodes.push(Node::first(Rc::new(first)));
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
                    let (fork, state, certain) = match exit.taken {
                        Way::Page(mut state) => {
                            // What an answer does for a lead makes no other path.
                            state.flags = 0;
                            (Fork::Page(state.page), Some(state.clone()), state.certain)
                        }
                        Way::Ending { ending, certain, .. } => (Fork::Ending(ending), None, certain),
                        Way::Endless { page, certain } => (Fork::Endless(page), None, certain),
                        Way::Anywhere => return Some(()),
                    };
                    if known.insert((fork, state.clone(), certain)) {
                        let trail = Trail::new(node, exit.choices);
                        budget.keep(trail.bytes() + 2 * state.as_ref().map_or(0, State::bytes))?;
                        forks.entry(fork).or_default().push(Branch { trail, state, certain });
                    }
                    Some(())
                })?;
            }
            for (fork, branches) in forks {
                match fork {
                    Fork::Page(page) => {
                        let first = self.nodes.len();
                        let after = |Branch { trail, state, .. }| Some(Node::after(trail, Rc::new(state?)));
                        self.nodes.extend(branches.into_iter().filter_map(after));
                        open.push(self.prefixes.len());
                        let nodes = (first..self.nodes.len()).collect();
                        self.prefixes.push(Prefix { page, before: Some(prefix), nodes });
                    }
                    Fork::Endless(page) => self.add(space, budget, prefix, PathEnd::Endless(page), &branches)?,
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
        space: &Space<'_>,
        budget: &Budget,
        prefix: usize,
        end: PathEnd<'r>,
        branches: &[Branch],
    ) -> Option<()> {
        if self.paths.len() == self.most {
            return None;
        }
        let branch = branches.iter().find(|branch| branch.certain).or_else(|| branches.first());
        let Some(Branch { trail, certain, .. }) = branch else { return Some(()) };
        let mut pages: Vec<usize> = std::iter::successors(self.prefixes.get(prefix), |prefix| {
            prefix.before.and_then(|before| self.prefixes.get(before))
        })
        .map(|prefix| prefix.page)
        .collect();
        pages.reverse();
        let questions = |page: &usize| self.form.pages.get(*page).map_or(0, |page| page.questions.len());
        let questions: usize = pages.iter().map(questions).sum();
        budget.spend(pages.len() + questions)?;
        budget.keep(size_of_val(&*pages) + ANSWER_BYTES * questions)?;
        let answers = space.answers(&self.nodes, trail);
        self.paths.push(Path { pages, end, answers, uncertain: !certain });
        Some(())
    }
}
