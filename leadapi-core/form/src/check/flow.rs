//! Checks that consider all possible answers. They use the same search as proofs.

use std::collections::BTreeSet;

use super::{Code, Report, names::ending_name};
use crate::{
    answer::Answers,
    plan::{Cond, Jump, Questionnaire, RulePlan, Target, Test},
    prove::{Exploration, Proofs, Verdict},
    walk::Outcome,
};

pub(super) fn check(form: &Questionnaire<'_>, report: &mut Report) {
    if form.pages.is_empty() {
        return;
    }
    let exploration = form.explore();
    check_walks(form, &exploration, report);
    check_reachability(form, &exploration, report);
    check_rules(form, &exploration, report);
    check_undecided(form, &exploration.proofs, report);
    if !exploration.proofs.complete {
        let message = format!("the budget of {} steps ran out{}", form.policy.budget, undecided(&exploration.proofs));
        report.add(Code::BudgetExceeded, form.source.pointer(), message);
    }
}

fn check_walks(form: &Questionnaire<'_>, exploration: &Exploration, report: &mut Report) {
    let proofs = &exploration.proofs;
    if let Verdict::Refuted(answers) = &proofs.ends {
        // Walks the form with the counterexample to find the repeated page.
        let again = match form.walk(answers).outcome() {
            Outcome::Loop { page } => form.pages.iter().position(|plan| plan.id == page),
            _ => None,
        };
        let page = again.unwrap_or_default();
        let message = format!("some answers lead back to {} in an endless loop", form.page_name(page));
        report.add_with_witness(Code::EndlessWalk, form.page_pointer(page), message, answers.clone());
    }
    let mut show = |code, verdict: &Verdict<Answers>, what: &str| {
        if let Verdict::Refuted(answers) = verdict {
            report.add_with_witness(
                code,
                form.source.pointer(),
                format_args!("some answers create a lead without {what}"),
                answers.clone(),
            );
        }
    };
    show(Code::LeadWithoutName, &proofs.named, "a name");
    show(Code::LeadWithoutContact, &proofs.contactable, "an email address or a phone number");
}

const UNREACHABLE: &str = "is unreachable, because no rule and no default route leads to it";
const INFEASIBLE: &str = "is never reached, because no answers satisfy all the conditions on a path to it";

fn check_reachability(form: &Questionnaire<'_>, exploration: &Exploration, report: &mut Report) {
    let (pages, endings) = form.reachable();
    if let Verdict::Refuted(missing) = &exploration.proofs.pages {
        for page in missing {
            let (code, why) = if pages.get(*page) == Some(&true) {
                (Code::PageInfeasible, INFEASIBLE)
            } else {
                (Code::PageUnreachable, UNREACHABLE)
            };
            report.add(code, form.page_pointer(*page), format_args!("{} {why}", form.page_name(*page)));
        }
    }
    if let Verdict::Refuted(missing) = &exploration.proofs.endings {
        for index in missing {
            let Some(ending) = form.endings.get(*index) else { continue };
            let (code, why) = if endings.contains(index) {
                (Code::EndingInfeasible, INFEASIBLE)
            } else {
                (Code::EndingUnreachable, UNREACHABLE)
            };
            report.add(code, form.ending_pointer(ending.at), format_args!("{} {why}", ending_name(ending)));
        }
    }
    let complete = exploration.proofs.complete;
    let creates_lead = if complete { exploration.creates_lead } else { may_create_lead(form, &pages) };
    if !creates_lead && !exploration.unknown_action {
        report.add(
            Code::NoLeadEnding,
            form.pointer("settings/endings"),
            "no visitor reaches an ending that creates a lead",
        );
    }
}

/// Reports the rules that a walk can reach but a proof cannot evaluate.
fn check_undecided(form: &Questionnaire<'_>, proofs: &Proofs, report: &mut Report) {
    let rules = form.pages.iter().flat_map(|page| &page.rules);
    for rule in rules.filter(|rule| proofs.undecided.binary_search(&rule.at).is_ok()) {
        let why = if matches!(rule.jump, Jump::Unknown) {
            "its action is unknown"
        } else {
            "a condition cannot be evaluated"
        };
        let message = format_args!(
            "cannot decide when {} matches, because {why}{}",
            form.rule_name(rule.record, rule.at),
            undecided(proofs)
        );
        report.add(Code::UndecidedRule, form.rule_pointer(rule.at), message);
    }
}

/// Lists the undecided statements as text to append to a message.
fn undecided(proofs: &Proofs) -> String {
    let unknown = |verdict: &Verdict<Answers>| *verdict == Verdict::Unknown;
    let statements = [
        (unknown(&proofs.ends), "whether a walk can loop"),
        (proofs.pages == Verdict::Unknown, "whether every page is reachable"),
        (proofs.endings == Verdict::Unknown, "whether every ending is reachable"),
        (unknown(&proofs.named), "whether every lead has a name"),
        (unknown(&proofs.contactable), "whether every lead has an email address or a phone number"),
    ];
    let open: Vec<&str> = statements.iter().filter(|(open, _)| *open).map(|(_, what)| *what).collect();
    if open.is_empty() { String::new() } else { format!("; undecided: {}", open.join(", ")) }
}

/// Returns whether an ending that creates a lead is reachable if conditions are ignored.
fn may_create_lead(form: &Questionnaire<'_>, pages: &[bool]) -> bool {
    let reached = pages.iter().zip(&form.graph.targets).filter(|(reached, _)| **reached);
    let mut targets = reached.flat_map(|(_, targets)| targets);
    targets.any(|target| matches!(target, Target::Ending(ending) if form.creates_lead(*ending)))
}

/// Returns whether the rule has a condition that does more than test whether a required question on its own page is
/// answered. Such a test has its own finding (`ConditionAlwaysTrue`).
fn has_other_conditions(form: &Questionnaire<'_>, page: usize, rule: &RulePlan<'_>) -> bool {
    let is_own = |question: usize| {
        form.questions.get(question).is_some_and(|question| question.page == page && question.required)
    };
    rule.groups.conds().any(|cond| !matches!(cond, Cond::Ask { question, test: Test::Filled, .. } if is_own(*question)))
}

/// Reports rules that never match, always match or are never followed, on reachable pages.
fn check_rules(form: &Questionnaire<'_>, exploration: &Exploration, report: &mut Report) {
    if !exploration.proofs.complete {
        return;
    }
    let missing: BTreeSet<usize> = match &exploration.proofs.pages {
        Verdict::Refuted(missing) => missing.iter().copied().collect(),
        Verdict::Proved | Verdict::Unknown => BTreeSet::new(),
    };
    let pages = form.pages.iter().enumerate().filter(|(index, _)| !missing.contains(index));
    for (index, page) in pages {
        // A second fallback already has its own finding (`DuplicateFallback`), so only the first is reported here.
        let first = page.rules.iter().find(|rule| rule.is_unconditional()).map(|rule| rule.at);
        for rule in page.rules.iter().filter(|rule| matches!(rule.jump, Jump::To(_))) {
            let (may_match, followed) =
                (exploration.may_match.contains(&rule.at), exploration.followed.contains(&rule.at));
            let at = form.rule_pointer(rule.at);
            let name = form.rule_name(rule.record, rule.at);
            if rule.is_unconditional() {
                if !followed && first == Some(rule.at) {
                    let message = format_args!("{name} is never followed, because the other rules cover all answers");
                    report.add(Code::FallbackNeverUsed, at, message);
                }
            } else if !rule.groups.is_empty() && !may_match {
                let message = format_args!(
                    "{name} never matches, because no answers that lead to its page satisfy its conditions"
                );
                report.add(Code::RuleNeverMatches, at, message);
            } else if may_match && !followed {
                let message = format_args!("{name} is shadowed: whenever it matches, an earlier rule matches too");
                report.add(Code::RuleShadowed, at, message);
            } else if !exploration.may_fail.contains(&rule.at) && has_other_conditions(form, index, rule) {
                let page = form.page_name(index);
                let message = format_args!(
                    "{name} always matches, because all answers that lead to {page} satisfy its conditions"
                );
                report.add(Code::RuleAlwaysMatches, at, message);
            }
        }
    }
}
