//! The states of walks, and the search tree that records how the search reached each state.

use std::rc::Rc;

use super::page_set::PageSet;

/// A question and the class of its answer, both by index.
pub(super) type Choice = (usize, usize);

/// The state of a walk. All walks in the same state have the same possible continuations.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct State {
    pub page: usize,
    /// The earlier answers that can still matter.
    pub known: Vec<Choice>,
    /// The scores that can still matter and are not 0, each with its value, or `None` if the value is unknown.
    pub scores: Vec<(usize, Option<i64>)>,
    /// The visited pages to which the walk could still return.
    pub seen: PageSet,
    /// The flags that the answers so far contribute to a lead.
    pub flags: u8,
    /// Whether every rule on the way to this state could be evaluated, for answers that are known to exist. If not, it
    /// is unknown whether a walk reaches the state.
    pub certain: bool,
}

/// A state that the search reached, and the edge of the search tree that leads to it.
#[derive(Debug)]
pub(super) struct Node {
    pub state: Rc<State>,
    /// `None` for the initial state.
    pub incoming: Option<Edge>,
}

/// An edge of the search tree: a node, and the classes of those answers on its page that can matter.
#[derive(Clone, Debug)]
pub(super) struct Edge {
    pub node: usize,
    pub choices: Box<[Choice]>,
}

impl State {
    /// Returns the memory size of the state in bytes, including its entry in the table of states.
    pub(super) fn bytes(&self) -> usize {
        let lists = size_of::<Choice>() * (self.known.len() + self.seen.ranges());
        size_of::<Self>() + lists + size_of_val(&*self.scores) + 4 * size_of::<usize>()
    }
}

impl Node {
    pub(super) fn initial(state: Rc<State>) -> Self {
        Self { state, incoming: None }
    }

    pub(super) fn after(edge: Edge, state: Rc<State>) -> Self {
        Self { state, incoming: Some(edge) }
    }
}

impl Edge {
    pub(super) fn new(node: usize, choices: &[Choice]) -> Self {
        Self { node, choices: choices.into() }
    }

    /// Returns the size in bytes of a node with this edge.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Node>() + size_of_val(&*self.choices)
    }
}
