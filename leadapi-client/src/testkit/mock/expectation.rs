//! The data of a stub: the requests that it matches, and its answers with how often it gave each.

use std::{fmt, panic::Location};

use leadapi_core::{auth::BearerToken, http::Operation, id::LeadId};

use super::{
    answer::Answer,
    asked::Asked,
    condition::Condition,
    count::{self, Count},
};
use crate::testkit::serve::Reply;

/// The requests that a stub matches, and its location in the test.
#[derive(Debug)]
pub(super) struct Expectation {
    operation: Operation,
    id: Option<String>,
    pub(super) conditions: Vec<Condition>,
    location: &'static Location<'static>,
}

impl Expectation {
    pub(super) fn new(operation: Operation, id: Option<&LeadId>, location: &'static Location<'static>) -> Self {
        Self { operation, id: id.map(ToString::to_string), conditions: Vec::new(), location }
    }

    /// Returns why a request is for another operation or another lead.
    fn why_elsewhere(&self, asked: &Asked) -> Option<String> {
        let Some((line, id)) = &asked.endpoint else { return Some("it is none of the seven operations".to_owned()) };
        if line.operation != self.operation {
            return Some(format!("it is a {} {}", line.method, line.path));
        }
        self.id.as_ref().filter(|wanted| *wanted != id).map(|_| format!("its id is {id:?}"))
    }
}

/// Formats such as `POST /leads with the name "Ann"`.
impl fmt::Display for Expectation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = self.operation.endpoint();
        let path = self.id.as_ref().map_or(line.path.to_owned(), |id| line.path.replace("{id}", id));
        write!(f, "{} {path}", line.method)?;
        for (at, condition) in self.conditions.iter().enumerate() {
            write!(f, "{}{}", if at == 0 { " " } else { " and " }, condition.says)?;
        }
        Ok(())
    }
}

/// A stub as stored in the mock.
#[derive(Debug)]
pub(super) struct Held {
    expectation: Expectation,
    pub(super) acts: Vec<Act>,
}

/// One answer of a stub.
#[derive(Debug)]
pub(super) struct Act {
    pub(super) answer: Answer,
    pub(super) count: Count,
    pub(super) met: u64,
}

impl Held {
    pub(super) fn new(expectation: Expectation, answer: Answer) -> Self {
        let mut held = Self { expectation, acts: Vec::new() };
        held.add(answer);
        held
    }

    pub(super) fn add(&mut self, answer: Answer) {
        self.acts.push(Act { answer, count: Count::AtLeastOnce, met: 0 });
    }

    /// Returns the answer to the request, or why the stub does not match.
    pub(super) fn answer(&mut self, asked: &Asked, token: &BearerToken) -> Result<Reply, Miss> {
        if let Some(why) = self.expectation.why_elsewhere(asked) {
            return Err(Miss { nearness: usize::from(why.starts_with("its id")), why });
        }
        let whys: Vec<String> = self.expectation.conditions.iter().filter_map(|it| it.why_not(asked)).collect();
        if !whys.is_empty() {
            let held = self.expectation.conditions.len() - whys.len();
            return Err(Miss { nearness: 2 + held, why: whys.join(" and ") });
        }
        let miss = |why: String| Miss { nearness: usize::MAX, why };
        let Some(act) = self.acts.iter_mut().find(|act| act.count.has_room(act.met)) else {
            return Err(miss("it has no answer left".to_owned()));
        };
        if asked.token.as_ref() != Some(token) && !act.answer.is_for_any_token() {
            return Err(miss("the request does not have the mock's token".to_owned()));
        }
        act.met += 1;
        Ok(act.answer.reply.clone())
    }

    pub(super) fn is_met(&self) -> bool {
        self.acts.iter().all(|act| act.count.is_met(act.met))
    }

    /// Lists each answer with its expected and actual count.
    pub(super) fn report(&self) -> String {
        let acts: Vec<String> = self.acts.iter().map(|act| format!("{act}: {}", count::met(act.met))).collect();
        format!("{}: {} ({})", self.expectation, acts.join("; then "), self.expectation.location)
    }
}

impl fmt::Display for Act {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}", self.answer.says, self.count)
    }
}

/// Formats the stub's name: the expectation and the answers.
impl fmt::Display for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let acts: Vec<String> = self.acts.iter().map(ToString::to_string).collect();
        write!(f, "{}: {}", self.expectation, acts.join("; then "))
    }
}

/// Why a stub does not match a request, and how close it came.
#[derive(Debug)]
pub(super) struct Miss {
    pub(super) nearness: usize,
    pub(super) why: String,
}
