//! Checks of rules: their pages, targets, operators and order.

use std::collections::{HashMap, HashSet};

use super::{
    Code, Report,
    names::{quoted, record_name, rule_name},
};
use crate::form::{
    entries,
    extensible_enum::{GroupOp, JumpKind},
    field::Field,
    logic::Rule,
    plan::{ENDING, FALLBACK, Jump, PagePlan, Questionnaire, RulePlan, Target, non_blank},
};

pub(super) fn check(form: &Questionnaire<'_>, report: &mut Report) {
    let pages: HashMap<&str, usize> =
        form.pages.iter().enumerate().filter_map(|(index, page)| Some((page.id?, index))).collect();
    let endings: HashSet<&str> = form.endings.iter().filter_map(|ending| ending.id).collect();
    for (at, rule) in form.source.rules() {
        let pointer = form.rule_pointer(at);
        if non_blank(&rule.from_page_id).is_none_or(|id| !pages.contains_key(id)) {
            let message = format!("{} belongs to a page that does not exist", record_name(rule, at));
            report.add(Code::FromPageMissing, format!("{pointer}/fromPageId"), message);
        }
        check_jump(rule, &pages, &endings, &pointer, report);
        check_groups(rule, &pointer, report);
    }
    for (index, page) in form.pages.iter().enumerate() {
        check_page(form, index, page, report);
    }
}

fn check_jump(rule: &Rule, pages: &HashMap<&str, usize>, endings: &HashSet<&str>, at: &str, report: &mut Report) {
    let then = rule.then.get();
    let Some(then) = then.filter(|then| then.kind.get() == Some(&JumpKind::Jump)) else {
        let kind = then.and_then(|then| then.kind.get()).map_or("", |kind| kind.as_str());
        report.add(Code::UnknownJump, format!("{at}/then/kind"), format!("the action {} is unknown", quoted(kind)));
        return;
    };
    let target = then.target.as_str().unwrap_or_default();
    let pointer = format!("{at}/then/target");
    match target.strip_prefix(ENDING) {
        Some(id) if !endings.contains(id) => {
            report.add(Code::TargetEndingMissing, pointer, format!("there is no ending {}", quoted(id)));
        }
        None if !pages.contains_key(target) => {
            report.add(Code::TargetPageMissing, pointer, format!("there is no page {}", quoted(target)));
        }
        _ => {}
    }
}

fn check_groups(rule: &Rule, at: &str, report: &mut Report) {
    let mut join = |op: &Field<GroupOp>, pointer: String| {
        if let Field::Value(GroupOp::Other(op)) = op {
            report.add(Code::UnknownJoin, pointer, format!("{} is neither AND nor OR", quoted(op)));
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
        let pointer = form.rule_pointer(rule.at);
        if !rule.fallback && rule.groups.is_empty() {
            let message = format!("{} has no conditions and is not named {FALLBACK:?}", rule_name(rule));
            report.add(Code::RuleWithoutConditions, pointer, message);
        } else if rule.fallback && !rule.groups.is_empty() {
            report.add(
                Code::FallbackWithConditions,
                format!("{pointer}/groups"),
                format_args!("the fallback of {} has conditions", form.page_name(index)),
            );
        } else if rule.fallback {
            if std::mem::replace(&mut taken, true) {
                let message = format!("{} already has a fallback", form.page_name(index));
                report.add(Code::DuplicateFallback, pointer, message);
            } else if page.rules.iter().any(|other| !other.fallback && other.at > rule.at) {
                report.add(
                    Code::FallbackNotLast,
                    pointer,
                    format_args!("the fallback of {} precedes other rules of the page", form.page_name(index)),
                );
            }
        }
    }
    check_default(form, index, page, report);
}

/// Reports trailing conditional rules that have no effect because their target is the page's default target.
fn check_default(form: &Questionnaire<'_>, index: usize, page: &PagePlan<'_>, report: &mut Report) {
    let jump = |rule: &RulePlan<'_>| if let Jump::To(target) = rule.jump { Some(target) } else { None };
    let certain = page.rules.iter().find(|rule| rule.is_unconditional() && jump(rule).is_some());
    let default: Target = certain.and_then(jump).unwrap_or_else(|| form.after(index));
    let conditional = page.rules.iter().rev().filter(|rule| !rule.groups.is_empty());
    for rule in conditional.take_while(|rule| jump(rule) == Some(default)) {
        let message = format!("{} has this target even without {}", form.page_name(index), rule_name(rule));
        report.add(Code::RuleSameAsDefault, form.rule_pointer(rule.at), message);
    }
}
