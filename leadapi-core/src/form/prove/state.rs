//! A state of walks, and how it was reached.

use std::rc::Rc;

use super::page_set::PageSet;

/// A question, and the class of the answer to it.
pub(super) type Choice = (usize, usize);

/// Where a walk can be. All walks in one state go the same ways from there.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct State {
    pub page: usize,
    /// What was answered that can still matter.
    pub known: Vec<Choice>,
    /// The pages behind that can still be reached.
    pub seen: PageSet,
    /// What the answers so far do for a lead.
    pub flags: u8,
    /// Whether every rule on the way could be evaluated; otherwise a walk can be here, and need not.
    pub certain: bool,
}

/// A reached state, and how it was reached.
#[derive(Debug)]
pub(super) struct Node {
    pub state: Rc<State>,
    /// The node before it, and what was answered on its page; none for the first page.
    pub from: Option<Trail>,
}

/// A node, and what is answered to those questions of its page at which rules look.
#[derive(Clone, Debug)]
pub(super) struct Trail {
    pub node: usize,
    pub choices: Box<[Choice]>,
}

impl State {
    /// The bytes that the state keeps, with the table's entry for it.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>() + size_of::<Choice>() * (self.known.len() + self.seen.ranges()) + 4 * size_of::<usize>()
    }
}

impl Node {
    pub(super) fn first(state: Rc<State>) -> Self {
        Self { state, from: None }
    }

    pub(super) fn after(trail: Trail, state: Rc<State>) -> Self {
        Self { state, from: Some(trail) }
    }
}

impl Trail {
    pub(super) fn new(node: usize, choices: &[Choice]) -> Self {
        Self { node, choices: choices.into() }
    }

    /// The bytes that the trail keeps, as part of a node.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Node>() + size_of_val(&*self.choices)
    }
}
