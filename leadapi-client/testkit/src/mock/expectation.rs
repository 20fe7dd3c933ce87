//! A stored stub: the requests that it matches, its answers, and how many times each answer was used.

use std::{fmt, panic::Location};

use leadapi_core::{auth::BearerToken, http::Operation, id::LeadId};

use super::{
    condition::Condition,
    count::{self, Count},
    request::ReceivedRequest,
    stub_answer::StubAnswer,
};
use crate::serve::Reply;

/// The requests that a stub matches, and where the test defined the stub.
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

    /// Returns the reason why the request does not match, if it is for a different operation or a different lead.
    fn mismatch(&self, request: &ReceivedRequest) -> Option<String> {
        let Some((endpoint, id)) = &request.endpoint else {
            return Some("it is not one of the seven operations".to_owned());
        };
        if endpoint.operation != self.operation {
            return Some(format!("it is a {} {}", endpoint.method, endpoint.path));
        }
        self.id.as_ref().filter(|wanted| *wanted != id).map(|_| format!("its id is {id:?}"))
    }
}

/// Formats the expectation, for example as `POST /leads with the name "Ann"`.
impl fmt::Display for Expectation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let endpoint = self.operation.endpoint();
        let path = self.id.as_ref().map_or(endpoint.path.to_owned(), |id| endpoint.path.replace("{id}", id));
        write!(f, "{} {path}", endpoint.method)?;
        for (at, condition) in self.conditions.iter().enumerate() {
            write!(f, "{}{}", if at == 0 { " " } else { " and " }, condition.label)?;
        }
        Ok(())
    }
}

/// A stub in the registry.
#[derive(Debug)]
pub(super) struct StoredStub {
    expectation: Expectation,
    pub(super) steps: Vec<AnswerStep>,
}

/// One answer of a stub.
#[derive(Debug)]
pub(super) struct AnswerStep {
    pub(super) answer: StubAnswer,
    pub(super) count: Count,
    pub(super) met: u64,
}

impl StoredStub {
    pub(super) fn new(expectation: Expectation, answer: StubAnswer) -> Self {
        let mut stub = Self { expectation, steps: Vec::new() };
        stub.add(answer);
        stub
    }

    pub(super) fn add(&mut self, answer: StubAnswer) {
        self.steps.push(AnswerStep { answer, count: Count::AtLeastOnce, met: 0 });
    }

    /// Returns the answer to the request, or the reason why the stub does not match.
    pub(super) fn answer(&mut self, request: &ReceivedRequest, token: &BearerToken) -> Result<Reply, Miss> {
        if let Some(why) = self.expectation.mismatch(request) {
            return Err(Miss { score: usize::from(why.starts_with("its id")), why });
        }
        let reasons: Vec<String> = self.expectation.conditions.iter().filter_map(|it| it.mismatch(request)).collect();
        if !reasons.is_empty() {
            let met = self.expectation.conditions.len() - reasons.len();
            return Err(Miss { score: 2 + met, why: reasons.join(" and ") });
        }
        let miss = |why: String| Miss { score: usize::MAX, why };
        let Some(step) = self.steps.iter_mut().find(|step| step.count.allows_more(step.met)) else {
            return Err(miss("it has no answer left".to_owned()));
        };
        if request.token.as_ref() != Some(token) && !step.answer.is_for_any_token() {
            return Err(miss("the request does not have the mock's token".to_owned()));
        }
        step.met += 1;
        Ok(step.answer.reply.clone())
    }

    pub(super) fn is_met(&self) -> bool {
        self.steps.iter().all(|step| step.count.is_met(step.met))
    }

    /// Lists each answer with its expected and actual counts.
    pub(super) fn report(&self) -> String {
        let steps: Vec<String> = self.steps.iter().map(|step| format!("{step}: {}", count::met(step.met))).collect();
        format!("{}: {} ({})", self.expectation, steps.join("; then "), self.expectation.location)
    }
}

impl fmt::Display for AnswerStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}", self.answer.label, self.count)
    }
}

/// Formats the stub as its expectation followed by its answers.
impl fmt::Display for StoredStub {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let steps: Vec<String> = self.steps.iter().map(ToString::to_string).collect();
        write!(f, "{}: {}", self.expectation, steps.join("; then "))
    }
}

/// The reason why a stub does not match a request, and a score for how close the stub is to matching it.
#[derive(Debug)]
pub(super) struct Miss {
    pub(super) score: usize,
    pub(super) why: String,
}
