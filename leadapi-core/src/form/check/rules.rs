//! Rules: where they apply, and where they go.

use std::collections::HashMap;

use super::{Code, Report};
use crate::form::{
    entries,
    field::Field,
    logic::Rule,
    open::{GroupOp, JumpKind},
    plan::{ENDING, FALLBACK, Jump, PagePlan, Questionnaire, RulePlan, Target, said},
};

pub(super) fn check(form: &Questionnaire<'_>, report: &mut Report) {
    let pages: HashMap<&str, usize> =
        form.pages.iter().enumerate().filter_map(|(index, page)| Some((page.id?, index))).collect();
    for (at, rule) in form.source.rules() {
        let pointer = form.rule_at(at);
        if said(&rule.from_page_id).is_none_or(|id| !pages.contains_key(id)) {
            let message = "the page after which the rule applies does not exist";
            report.add(Code::FromPageMissing, format!("{pointer}/fromPageId"), message);
        }
        check_jump(form, rule, &pages, &pointer, report);
        check_groups(rule, &pointer, report);
    }
    for (index, page) in form.pages.iter().enumerate() {
        check_page(form, index, page, report);
    }
}

fn check_jump(form: &Questionnaire<'_>, rule: &Rule, pages: &HashMap<&str, usize>, at: &str, report: &mut Report) {
    let then = rule.then.get();
    let Some(then) = then.filter(|then| then.kind.get() == Some(&JumpKind::Jump)) else {
        let kind = then.and_then(|then| then.kind.get()).map_or("", |kind| kind.as_str());
        report.add(Code::UnknownJump, format!("{at}/then/kind"), format!("{kind:?} is nothing that a rule can do"));
        return;
    };
    let target = then.target.as_str().unwrap_or_default();
    let pointer = format!("{at}/then/target");
    match target.strip_prefix(ENDING) {
        Some(id) if form.endings.iter().all(|ending| ending.id != Some(id)) => {
            report.add(Code::TargetEndingMissing, pointer, format!("there is no ending {id:?}"));
        }
        None if !pages.contains_key(target) => {
            report.add(Code::TargetPageMissing, pointer, format!("there is no page {target:?}"));
        }
        _ => {}
    }
}

fn check_groups(rule: &Rule, at: &str, report: &mut Report) {
    let mut join = |op: &Field<GroupOp>, pointer: String| {
        if let Field::Value(GroupOp::Other(op)) = op {
            report.add(Code::UnknownJoin, pointer, format!("{op:?} is neither AND nor OR"));
        }
    };
    join(&rule.outer_op, format!("{at}/outerOp"));
    for (index, group) in entries(&rule.groups) {
        join(&group.op, format!("{at}/groups/{index}/op"));
    }
    for (index, group) in entries(&rule.groups) {
        let empty = match &group.conds {
            Field::Absent | Field::Null => true,
            Field::Value(conds) => conds.is_empty(),
            Field::Other(_) => false,
        };
        if empty {
            report.add(Code::EmptyGroup, format!("{at}/groups/{index}"), "the group has no conditions");
        }
    }
}

fn check_page(form: &Questionnaire<'_>, index: usize, page: &PagePlan<'_>, report: &mut Report) {
    let mut taken = false;
    for rule in &page.rules {
        let pointer = form.rule_at(rule.at);
        if !rule.fallback && rule.groups.is_empty() {
            let message = format!("the rule has no conditions and is not called {FALLBACK:?}");
            report.add(Code::RuleWithoutConditions, pointer, message);
        } else if rule.fallback && !rule.groups.is_empty() {
            report.add(Code::FallbackWithConditions, format!("{pointer}/groups"), "a fallback needs no conditions");
        } else if rule.fallback {
            if std::mem::replace(&mut taken, true) {
                let message = format!("{} has a fallback already", form.page_name(index));
                report.add(Code::DuplicateFallback, pointer, message);
            } else if page.rules.iter().any(|other| !other.fallback && other.at > rule.at) {
                report.add(Code::FallbackNotLast, pointer, "other rules of the page stand behind its fallback");
            }
        }
    }
    check_default(form, index, page, report);
}

/// The last rules with conditions, if they go where the page leads anyway.
fn check_default(form: &Questionnaire<'_>, index: usize, page: &PagePlan<'_>, report: &mut Report) {
    let jump = |rule: &RulePlan<'_>| if let Jump::To(target) = rule.jump { Some(target) } else { None };
    let certain = page.rules.iter().find(|rule| rule.is_certain() && jump(rule).is_some());
    let default: Target = certain.and_then(jump).unwrap_or_else(|| form.after(index));
    let conditional = page.rules.iter().rev().filter(|rule| !rule.groups.is_empty());
    for rule in conditional.take_while(|rule| jump(rule) == Some(default)) {
        let message = format!("{} leads there anyway", form.page_name(index));
        report.add(Code::RuleSameAsDefault, form.rule_at(rule.at), message);
    }
}
