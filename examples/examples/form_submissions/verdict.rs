//! Decides what becomes of a visitor's answers.

use leadapi_client::model::NewLead;
use leadapi_form::{Answers, NoLead, Outcome, Problem, Questionnaire, Step};

use crate::store::State;

/// The decision about a visitor's answers.
pub(crate) enum Verdict {
    /// The visitor has to correct these answers. Nothing is stored.
    Incomplete(Vec<(String, Problem)>),
    /// The submission is stored in this state. The reason explains why the worker creates no lead.
    Store { state: State, lead: Option<Box<NewLead>>, reason: Option<&'static str> },
}

/// Walks the form with the answers, and decides what becomes of them.
pub(crate) fn decide(form: &Questionnaire<'_>, answers: &Answers) -> Verdict {
    let walk = form.walk(answers);
    match walk.outcome() {
        Outcome::Awaiting { problems } => {
            return Verdict::Incomplete(problems.into_iter().map(|(id, problem)| (id.to_owned(), problem)).collect());
        }
        Outcome::Finished(_) => {}
        _ => return Verdict::review(None, "the form has no ending for these answers"),
    }
    match walk.lead() {
        // The walk ignored a rule that it could not evaluate, so a person decides whether this is a lead.
        Ok(made) if walk.steps().any(Step::is_uncertain) => {
            Verdict::review(Some(made.lead.into()), "the form has a rule that cannot be evaluated")
        }
        // For a verification, the visitor would have to enter a code, but this host does not send codes.
        Ok(made) if !walk.verifications().is_empty() => {
            Verdict::review(Some(made.lead.into()), "an email address or phone number must be verified")
        }
        Ok(made) => Verdict::Store { state: State::Pending, lead: Some(made.lead.into()), reason: None },
        Err(_) if walk.steps().any(Step::is_uncertain) => {
            Verdict::review(None, "the form has a rule that cannot be evaluated")
        }
        Err(NoLead::NotWanted) => {
            Verdict::Store { state: State::NoLead, lead: None, reason: Some("the ending creates no lead") }
        }
        Err(NoLead::NoName) => Verdict::review(None, "no answer can serve as the lead's name"),
        Err(_) => Verdict::review(None, "the form has no client account"),
    }
}

impl Verdict {
    fn review(lead: Option<Box<NewLead>>, reason: &'static str) -> Self {
        Self::Store { state: State::Review, lead, reason: Some(reason) }
    }
}
