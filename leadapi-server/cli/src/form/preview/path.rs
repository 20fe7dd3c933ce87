//! The path so far: the pages with their answers, and the rules that the walk tried after each page.

use leadapi_form::{
    Condition, Operand, Operator, Outcome, SkipReason, Step, StepQuestion, TriedCondition, TriedRule, TriedRuleResult,
    Walk,
};
use maud::{Markup, html};

use super::{visit::Visit, visitor::label};

/// Returns the section with the path. `counted` is the walk with only the answers to the pages that the visitor has
/// left.
pub(super) fn section(walk: &Walk<'_>, visit: &Visit, counted: &Walk<'_>) -> Markup {
    let progress = walk.steps().nth(visit.at).map_or_else(|| walk.progress(), Step::progress);
    let shown: Vec<_> = walk.steps().take(visit.at.saturating_add(1)).collect();
    let uncertain = shown.iter().take(visit.at).filter(|step| step.is_uncertain()).count();
    html! {
        section aria-labelledby="path" {
            h2 #path { "Path" }
            dl.numbers {
                div { dt { "Score" } dd { (counted.score()) } }
                div { dt { "Progress" } dd { (format!("{:.0} %", progress * 100.0)) } }
                div { dt { "Uncertain steps" } dd { (uncertain) } }
            }
            ol.path {
                @for (at, step) in shown.iter().enumerate() {
                    li aria-current=[(at == visit.at).then_some("step")] {
                        a href=(visit.url(at)) { (name(*step)) }
                        @if at < visit.at {
                            @if step.is_uncertain() { " " span.tag data-level="warning" { "uncertain" } }
                            (answers(*step))
                            (reasons(walk, *step, &target(walk, at)))
                        }
                    }
                }
                @if visit.at >= shown.len() && !shown.is_empty() {
                    li aria-current="step" { (target(walk, shown.len() - 1)) }
                }
            }
        }
    }
}

fn name(step: Step<'_, '_>) -> String {
    match (step.title().trim(), step.page()) {
        ("", Some(id)) => id.to_owned(),
        ("", None) => "page without an id".to_owned(),
        (title, _) => title.to_owned(),
    }
}

/// Returns the name of the page's target: the next page, the ending, or the page that the walk would visit again.
fn target(walk: &Walk<'_>, at: usize) -> String {
    match (walk.steps().nth(at + 1), walk.outcome()) {
        (Some(next), _) => name(next),
        (None, Outcome::Finished(finish)) => {
            let title = finish.title.filter(|title| !title.trim().is_empty());
            format!("Ending: {}", title.or(finish.id).unwrap_or("built-in confirmation"))
        }
        (None, Outcome::Loop { page }) => format!("{} again", page.unwrap_or("a page without an id")),
        _ => String::new(),
    }
}

fn answers(step: Step<'_, '_>) -> Markup {
    html! {
        dl.answers {
            @for question in step.questions() {
                @if let Some(text) = question.text() {
                    div { dt { (label(question)) } dd { (text) } }
                }
            }
        }
    }
}

/// Returns the rules that the walk tried after a page. Rules that did not match are collapsed.
fn reasons(walk: &Walk<'_>, step: Step<'_, '_>, target: &str) -> Markup {
    let tried = step.tried_rules();
    let (not_matched, others): (Vec<_>, Vec<_>) =
        tried.iter().partition(|rule| rule.result == TriedRuleResult::NotMatched);
    let has_matched = others.iter().any(|rule| rule.result == TriedRuleResult::Matched);
    html! {
        @if !not_matched.is_empty() {
            details {
                summary { (not_matched.len()) @if not_matched.len() == 1 { " rule" } @else { " rules" } " did not match" }
                @for tried in not_matched { (rule(walk, tried, "")) }
            }
        }
        @for tried in others { (rule(walk, tried, target)) }
        @if !has_matched { p.rule { "No rule matched, so the next is: " strong { (target) } } }
    }
}

fn rule(walk: &Walk<'_>, tried: &TriedRule<'_>, target: &str) -> Markup {
    let name = tried.rule.name.as_str().filter(|name| !name.trim().is_empty()).or(tried.rule.id.as_str());
    let name = match name {
        Some("__fallback__") => "The fallback rule".to_owned(),
        Some(name) => format!("Rule “{name}”"),
        None => format!("Rule {}", tried.at + 1),
    };
    html! {
        div.rule {
            p {
                @match tried.result {
                    TriedRuleResult::Matched => { (name) " matched: " strong { (target) } },
                    TriedRuleResult::Skipped(reason) => {
                        span.tag data-level="warning" { "skipped" } " " (name) ", because " (because(reason))
                    }
                    _ => { (name) },
                }
            }
            @if !tried.conditions.is_empty() {
                ul.conditions { @for tried in &tried.conditions { (condition(walk, tried)) } }
            }
        }
    }
}

fn because(reason: SkipReason) -> &'static str {
    match reason {
        SkipReason::UncertainConditions => "its conditions cannot be evaluated",
        SkipReason::UnknownJump => "its action is unknown",
        SkipReason::MissingTarget => "its target does not exist",
        _ => "of an unknown reason",
    }
}

fn condition(walk: &Walk<'_>, tried: &TriedCondition<'_>) -> Markup {
    let (sign, holds) = match tried.holds {
        Some(true) => ("✓", "true: "),
        Some(false) => ("✗", "false: "),
        None => ("?", "unknown: "),
    };
    html! {
        li data-holds=(sign) {
            span aria-hidden="true" { (sign) " " } span.hidden { (holds) }
            @match tried.condition {
                Some(condition) => (test(walk, condition)),
                None => "a malformed condition",
            }
        }
    }
}

/// Returns a condition with the label of its question and the label of the option that it names.
fn test(walk: &Walk<'_>, condition: &Condition) -> Markup {
    let id = condition.field_id.as_str().unwrap_or("a question without an id");
    let question = walk.steps().flat_map(Step::questions).find(|question| question.id() == id);
    let value = condition.value.get().map(|value| match value {
        Operand::Text(text) => {
            let mut options = question.into_iter().flat_map(StepQuestion::options);
            options.find(|(id, _)| id == text).map_or(text.as_str(), |(_, label)| label).to_owned()
        }
        Operand::Number(number) => number.as_str().to_owned(),
        other => serde_json::to_string(other).unwrap_or_default(),
    });
    html! {
        @match question { Some(question) => (label(question)), None => { code { (id) } " (not asked)" } }
        " " code { (condition.op.get().map_or("without an operator", Operator::as_str)) }
        @if let Some(value) = value { " " b { (value) } }
    }
}
