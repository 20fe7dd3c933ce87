//! What can be proved of a form, for all answers that there are.

mod classes;
mod paths;
mod space;

use std::collections::{BTreeSet, HashMap, hash_map::Entry};

use super::{
    answer::Answers,
    plan::{Questionnaire, Tried},
};
use classes::{CONTACT, Classes, NAMED};
pub use paths::{Path, PathEnd, Paths};
use space::{Choice, Node, Space, State, Trail, Way};

/// Whether a statement about a form is true of all its walks.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict<W> {
    /// It is true, whatever is answered.
    Proved,
    /// It is false, and this shows it.
    Refuted(W),
    /// There were more ways to answer than the [`budget`](super::Policy::budget) allows to look at. In general the
    /// question is NP-complete, so there are such forms.
    Unknown,
}

/// What is true of all walks of a form, whatever is answered.
///
/// The answers to a question fall into few classes: its options, the stretches of numbers between the constants of the
/// conditions, the texts that a condition names and all others, and none if it is optional. All ways through the pages
/// are explored with one answer of each class, for as long as a rule ahead looks at it; so a verdict is exact. It is
/// linear in the pages where rules look only at the answers of their own page.
///
/// ```
/// use leadapi_core::form::{Answers, FormRecord, Policy, Verdict, Version};
///
/// let record: FormRecord = serde_json::from_str(r#"{"form":{
///     "pages":[{"id":"p","fields":[{"id":"q","type":"number","required":true,"min":0}]}],
///     "logic":{"rules":[{"fromPageId":"p","then":{"kind":"jump","target":"p"},
///         "groups":[{"op":"AND","conds":[{"fieldId":"q","op":"gt","value":9}]}],"outerOp":"OR"}]}}}"#)?;
/// let form = record.compile(Version::Draft, &Policy::default());
/// let proofs = form.prove();
/// assert_eq!(proofs.ends, Verdict::Refuted(Answers::new().with("q", 10)));
/// assert_eq!(proofs.pages, Verdict::Proved);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Proofs {
    /// Every walk ends. Otherwise, with these answers it comes back to a page.
    pub ends: Verdict<Answers>,
    /// Every page is come to with some answers. Otherwise, these are not, by their place among
    /// [`Questionnaire::pages`].
    pub pages: Verdict<Vec<usize>>,
    /// Every ending of the settings is come to with some answers. Otherwise, these are not, by their place among the
    /// endings.
    pub endings: Verdict<Vec<usize>>,
    /// Every lead has a name. Otherwise, with these answers it has none.
    pub named: Verdict<Answers>,
    /// Every lead has an email address or a phone number. Otherwise, with these answers it has neither.
    pub contactable: Verdict<Answers>,
}

/// All states that walks can be in.
pub(super) struct Exploration {
    pub proofs: Proofs,
    /// Whether all of them were looked at.
    pub complete: bool,
    /// The rules whose conditions hold for some answers on their page, by their place among the rules.
    pub held: BTreeSet<usize>,
    /// The rules that are followed for some answers.
    pub followed: BTreeSet<usize>,
    /// Whether an ending was come to that makes a lead.
    pub makes_lead: bool,
}

impl Questionnaire<'_> {
    /// Proves or refutes what an author wants of every form; see [`Proofs`].
    ///
    /// ```
    /// # use leadapi_core::form::{FormRecord, Policy, Verdict, Version};
    /// let record: FormRecord = serde_json::from_str(r#"{"form":{"fields":[{"id":"q","mappedKey":"name"}]}}"#)?;
    /// let form = record.compile(Version::Draft, &Policy::default());
    /// assert!(matches!(form.prove().named, Verdict::Refuted(answers) if answers.of("q").is_none()));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn prove(&self) -> Proofs {
        self.explore().proofs
    }

    pub(super) fn explore(&self) -> Exploration {
        let classes = Classes::new(self);
        let mut explorer = Explorer::default();
        let complete = Space::new(self, &classes).is_some_and(|space| explorer.run(&space));
        explorer.conclude(self, complete)
    }
}

#[derive(Default)]
struct Explorer {
    nodes: Vec<Node>,
    known: HashMap<State, usize>,
    pages: BTreeSet<usize>,
    endings: BTreeSet<usize>,
    endless: Option<Answers>,
    nameless: Option<Answers>,
    contactless: Option<Answers>,
    held: BTreeSet<usize>,
    followed: BTreeSet<usize>,
    makes_lead: bool,
}

impl Explorer {
    /// Visits each state once. Says whether the budget was enough for all.
    fn run(&mut self, space: &Space<'_>) -> bool {
        let mut budget = space.form.policy.budget;
        self.nodes.extend(space.first().map(Node::first));
        let mut at = 0;
        while let Some(state) = self.nodes.get(at).map(|node| node.state.clone()) {
            self.pages.insert(state.page);
            let all = space.ways(&state, &mut budget, |choices, way, tried| {
                self.note(space, state.page, tried);
                self.follow(space, at, choices, way);
            });
            if !all {
                return false;
            }
            at += 1;
        }
        true
    }

    fn note(&mut self, space: &Space<'_>, page: usize, tried: &[Tried]) {
        let rules = space.form.pages.get(page).into_iter().flat_map(|page| &page.rules).zip(tried);
        let mut holds = rules.filter(|(_, tried)| matches!(tried, Tried::Goes(_))).map(|(rule, _)| rule.at).peekable();
        self.followed.extend(holds.peek());
        self.held.extend(holds);
    }

    fn follow(&mut self, space: &Space<'_>, node: usize, choices: &[Choice], way: Way) {
        let trail = || Trail::new(node, choices);
        match way {
            Way::Page(state) => {
                if let Entry::Vacant(vacant) = self.known.entry(state) {
                    let state = vacant.key().clone();
                    vacant.insert(self.nodes.len());
                    self.nodes.push(Node::after(trail(), state));
                }
            }
            Way::Endless(_) => {
                if self.endless.is_none() {
                    self.endless = Some(space.answers(&self.nodes, &trail()));
                }
            }
            Way::Ending(ending, flags) => {
                self.endings.extend(ending);
                let lead = space.form.creates_lead(ending);
                self.makes_lead |= lead;
                if lead && flags & NAMED == 0 && self.nameless.is_none() {
                    self.nameless = Some(space.answers(&self.nodes, &trail()));
                }
                if lead && flags & CONTACT == 0 && self.contactless.is_none() {
                    self.contactless = Some(space.answers(&self.nodes, &trail()));
                }
            }
        }
    }

    fn conclude(self, form: &Questionnaire<'_>, complete: bool) -> Exploration {
        let all = |witness: Option<Answers>| match witness {
            Some(answers) => Verdict::Refuted(answers),
            None if complete => Verdict::Proved,
            None => Verdict::Unknown,
        };
        // What was not come to before the budget ran out is out of reach only if the graph says so too.
        let missing = |count: usize, reached: &BTreeSet<usize>, possible: &dyn Fn(usize) -> bool| {
            let missing: Vec<usize> = (0..count).filter(|index| !reached.contains(index)).collect();
            if missing.is_empty() {
                return Verdict::Proved;
            }
            let sure: Vec<usize> = missing.into_iter().filter(|index| complete || !possible(*index)).collect();
            if sure.is_empty() { Verdict::Unknown } else { Verdict::Refuted(sure) }
        };
        let (pages, endings) = form.in_reach();
        Exploration {
            complete,
            held: self.held,
            followed: self.followed,
            makes_lead: self.makes_lead,
            proofs: Proofs {
                ends: all(self.endless),
                pages: missing(form.pages.len(), &self.pages, &|page| pages.get(page) == Some(&true)),
                endings: missing(form.endings.len(), &self.endings, &|ending| endings.contains(&ending)),
                named: all(self.nameless),
                contactable: all(self.contactless),
            },
        }
    }
}
