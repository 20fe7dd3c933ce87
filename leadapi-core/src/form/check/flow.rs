//! What only all ways of answering show: see `prove`.

use std::collections::BTreeSet;

use super::{Code, Report};
use crate::form::{
    answer::Answers,
    plan::{Jump, Questionnaire, Target},
    prove::{Exploration, Verdict},
    walk::Outcome,
};

pub(super) fn check(form: &Questionnaire<'_>, report: &mut Report) {
    if form.pages.is_empty() {
        return;
    }
    let exploration = form.explore();
    check_walks(form, &exploration, report);
    check_reach(form, &exploration, report);
    check_rules(form, &exploration, report);
    if !exploration.complete {
        let message = format!("more than {} ways to answer were not looked at", form.policy.budget);
        report.add(Code::BudgetExceeded, form.source.pointer(), message);
    }
}

fn check_walks(form: &Questionnaire<'_>, exploration: &Exploration, report: &mut Report) {
    let proofs = &exploration.proofs;
    if let Verdict::Refuted(answers) = &proofs.ends {
        // The witness is walked again, to say where it comes round.
        let again = match form.walk(answers).outcome() {
            Outcome::Endless { page } => form.pages.iter().position(|plan| plan.id == page),
            _ => None,
        };
        let page = again.unwrap_or_default();
        let message = format!("answers lead back to {}, and on for ever", form.page_name(page));
        report.show(Code::EndlessWalk, form.page_at(page), message, answers.clone());
    }
    let mut show = |code, verdict: &Verdict<Answers>, what: &str| {
        if let Verdict::Refuted(answers) = verdict {
            report.show(code, form.source.pointer(), format!("answers lead to a lead without {what}"), answers.clone());
        }
    };
    show(Code::LeadWithoutName, &proofs.named, "a name");
    show(Code::LeadWithoutContact, &proofs.contactable, "an email address and a phone number");
}

fn check_reach(form: &Questionnaire<'_>, exploration: &Exploration, report: &mut Report) {
    let (pages, endings) = form.in_reach();
    if let Verdict::Refuted(missing) = &exploration.proofs.pages {
        for page in missing {
            let (code, message) = if pages.get(*page) == Some(&true) {
                (Code::PageInfeasible, "no answers lead to")
            } else {
                (Code::PageUnreachable, "nothing leads to")
            };
            report.add(code, form.page_at(*page), format!("{message} {}", form.page_name(*page)));
        }
    }
    if let Verdict::Refuted(missing) = &exploration.proofs.endings {
        for index in missing {
            let Some(ending) = form.endings.get(*index) else { continue };
            let (code, message) = if endings.contains(index) {
                (Code::EndingInfeasible, "no answers lead to this ending")
            } else {
                (Code::EndingUnreachable, "nothing leads to this ending")
            };
            report.add(code, form.ending_at(ending.at), message);
        }
    }
    if exploration.complete && !exploration.makes_lead || !exploration.complete && !may_make_lead(form, &pages) {
        report.add(Code::NoLeadEnding, form.at("settings/endings"), "no walk comes to an ending that makes a lead");
    }
}

/// Whether an ending that makes a lead can be come to if answers are left out of account.
fn may_make_lead(form: &Questionnaire<'_>, pages: &[bool]) -> bool {
    let reached = pages.iter().zip(&form.graph.targets).filter(|(reached, _)| **reached);
    let mut targets = reached.flat_map(|(_, targets)| targets);
    targets.any(|target| matches!(target, Target::Ending(ending) if form.creates_lead(*ending)))
}

/// Rules that make no difference, on pages that somebody comes to.
fn check_rules(form: &Questionnaire<'_>, exploration: &Exploration, report: &mut Report) {
    if !exploration.complete {
        return;
    }
    let missing: BTreeSet<usize> = match &exploration.proofs.pages {
        Verdict::Refuted(missing) => missing.iter().copied().collect(),
        Verdict::Proved | Verdict::Unknown => BTreeSet::new(),
    };
    let pages = form.pages.iter().enumerate().filter(|(index, _)| !missing.contains(index));
    for (index, page) in pages {
        // A second fallback has a finding of its own.
        let first = page.rules.iter().find(|rule| rule.is_certain()).map(|rule| rule.at);
        for rule in page.rules.iter().filter(|rule| matches!(rule.jump, Jump::To(_))) {
            let (held, followed) = (exploration.held.contains(&rule.at), exploration.followed.contains(&rule.at));
            let at = form.rule_at(rule.at);
            if rule.is_certain() {
                if !followed && first == Some(rule.at) {
                    let message = format!("the other rules of {} cover all answers", form.page_name(index));
                    report.add(Code::FallbackNeverUsed, at, message);
                }
            } else if !rule.groups.is_empty() && !held {
                report.add(Code::RuleNeverMatches, at, "no answers that lead here make this rule match");
            } else if held && !followed {
                report.add(Code::RuleShadowed, at, "whenever this rule matches, one before it does too");
            }
        }
    }
}
