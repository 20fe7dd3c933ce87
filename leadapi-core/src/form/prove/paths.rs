//! Every path that some answers lead along, each with answers that do: what an author would click through.

use std::collections::{BTreeMap, HashSet};

use super::{
    super::{answer::Answers, plan::Questionnaire},
    Classes,
    space::{Node, Space, State, Trail, Way},
};

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
        let Some(space) = Space::new(self, &classes) else { return Paths { paths: Vec::new(), complete: false } };
        let mut budget = self.policy.budget;
        let mut nodes: Vec<Node> = space.first().map(Node::first).into_iter().collect();
        let mut paths = Vec::new();
        // Each with the nodes in which walks can be that have come by these pages.
        let mut open: Vec<(Vec<usize>, Vec<usize>)> =
            if nodes.is_empty() { Vec::new() } else { vec![(vec![0], vec![0])] };
        while let Some((pages, at)) = open.pop() {
            let mut forks: BTreeMap<Fork, Vec<(Trail, Option<State>)>> = BTreeMap::new();
            let mut known = HashSet::new();
            for node in at {
                let Some(state) = nodes.get(node).map(|node| node.state.clone()) else { continue };
                let all = space.ways(&state, &mut budget, |choices, way, _| {
                    let (fork, state) = match way {
                        Way::Page(mut state) => {
                            // What an answer does for a lead makes no other path.
                            state.flags = 0;
                            (Fork::Page(state.page), Some(state))
                        }
                        Way::Ending(ending, _) => (Fork::Ending(ending), None),
                        Way::Endless(page) => (Fork::Endless(page), None),
                    };
                    if known.insert((fork, state.clone())) {
                        forks.entry(fork).or_default().push((Trail::new(node, choices), state));
                    }
                });
                if !all {
                    return Paths { paths, complete: false };
                }
            }
            for (fork, trails) in forks {
                let end = match fork {
                    Fork::Page(page) => {
                        let first = nodes.len();
                        let states = trails.into_iter().filter_map(|(trail, state)| Some(Node::after(trail, state?)));
                        nodes.extend(states);
                        let path = pages.iter().copied().chain([page]).collect();
                        open.push((path, (first..nodes.len()).collect()));
                        continue;
                    }
                    Fork::Endless(page) => PathEnd::Endless(page),
                    Fork::Ending(ending) => {
                        PathEnd::Ending(ending.and_then(|ending| self.endings.get(ending)).and_then(|plan| plan.id))
                    }
                };
                if paths.len() == most {
                    return Paths { paths, complete: false };
                }
                if let Some((trail, _)) = trails.first() {
                    paths.push(Path { pages: pages.clone(), end, answers: space.answers(&nodes, trail) });
                }
            }
        }
        paths.sort_by(|one, other| (&one.pages, one.end).cmp(&(&other.pages, other.end)));
        Paths { paths, complete: true }
    }
}
