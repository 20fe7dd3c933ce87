//! `form walk`: walks through a form with answers from a file.

use std::path::{Path, PathBuf};

use clap::Args;
use leadapi_form::{Escape, FormLead, NoLead, Outcome, SkipReason, SkippedRule, Step, Walk};

use super::{
    input::{self, FormFile},
    paths::name,
};
use crate::{
    CommandError,
    escape::{escape, escape_json},
};

/// Walks through a form from a file with answers from another file, and prints the resulting lead.
#[derive(Debug, Args)]
pub(crate) struct WalkForm {
    #[command(flatten)]
    form: FormFile,
    /// A JSON file with an object that maps question ids to answers.
    #[arg(long, value_name = "FILE")]
    answers: PathBuf,
}

impl WalkForm {
    /// Prints the walk.
    pub(super) fn run(self) -> Result<(), CommandError> {
        let answers = input::answers(Path::new(&self.answers))?;
        self.form.with(|form, format| {
            let walk = form.walk(&answers);
            let lead = walk.lead();
            if format.is_json() {
                format.print(&walk.to_json(""), String::new)
            } else {
                format.print(&(), || text(&walk, lead.as_ref()))
            }
        })
    }
}

/// Formats the walk as human-readable text.
fn text(walk: &Walk<'_>, lead: Result<&FormLead<'_>, &NoLead>) -> String {
    let stops: Vec<String> = walk.steps().map(Step::page).enumerate().map(|(at, id)| name(id, at)).collect();
    let mut lines = vec![stops.join(" > ")];
    match walk.outcome() {
        Outcome::Empty => lines.push("the form has no pages".to_owned()),
        Outcome::Loop { page } => {
            lines.push(format!("leads back to {}", escape(page.unwrap_or("a page without an id"))));
        }
        Outcome::Awaiting { problems } => {
            lines.push("waits for answers:".to_owned());
            lines.extend(problems.iter().map(|(id, problem)| format!("  {} {problem}", escape(id))));
        }
        Outcome::Finished(finish) => {
            let message = walk.fill(finish.message.unwrap_or_default(), "", Escape::Plain);
            lines.push(format!("ends at end:{}: {}", escape(finish.id.unwrap_or_default()), escape(&message)));
        }
        _ => {}
    }
    for step in walk.steps() {
        lines.extend(step.skipped_rules().iter().map(|skipped| skipped_rule(step, skipped)));
    }
    lines.push(format!("score {}", walk.score()));
    match lead {
        Ok(made) => {
            let lead = serde_json::to_string_pretty(&made.lead).unwrap_or_default();
            lines.push(format!("lead: {}", escape_json(&lead)));
        }
        Err(NoLead::NotFinished) => {}
        Err(reason) => lines.push(format!("no lead: {reason}")),
    }
    lines.join("\n")
}

/// Formats a rule that the walk skipped. Some skipped rules make the rest of the walk uncertain.
fn skipped_rule(step: Step<'_, '_>, skipped: &SkippedRule<'_>) -> String {
    let (what, why) = match skipped.reason {
        SkipReason::UncertainConditions => ("uncertain", "its conditions cannot be evaluated"),
        SkipReason::UnknownJump => ("uncertain", "its action is unknown"),
        SkipReason::MissingTarget => ("note", "its target does not exist"),
        _ => ("note", "of an unknown reason"),
    };
    let page = escape(step.page().unwrap_or("a page without an id")).into_owned();
    let rule = skipped.rule.map_or_else(|| (skipped.at + 1).to_string(), |id| escape(id).into_owned());
    format!("{what}: after {page}, rule {rule} was skipped because {why}")
}
