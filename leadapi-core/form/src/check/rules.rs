//! Checks of rules: their pages, actions, targets, joins and order.

use std::collections::{HashMap, HashSet};

use super::{
    Code, Report,
    names::{RuleName, quoted},
};
use crate::{
    Field, GroupOp, JumpKind, Rule, entries,
    plan::{ENDING, FALLBACK, Jump, PagePlan, Questionnaire, RulePlan, Target, non_blank},
};

pub(super) fn check(form: &Questionnaire<'_>, report: &mut Report) {
    let pages: HashMap<&str, usize> =
        form.pages.iter().enumerate().filter_map(|(index, page)| Some((page.id?, index))).collect();
    let endings: HashSet<&str> = form.endings.iter().filter_map(|ending| ending.id).collect();
    for (at, rule) in form.source.rules() {
        let (name, pointer) = (form.rule_name(rule, at), form.rule_pointer(at));
        if non_blank(&rule.from_page_id).is_none_or(|id| !pages.contains_key(id)) {
            let page = quoted(rule.from_page_id.as_str().unwrap_or_default());
            let message = format_args!("{name} starts from page {page}, which does not exist");
            report.add_with_fix(Code::FromPageMissing, format_args!("{pointer}/fromPageId"), message, || {
                Some(format!("Start the rule from {}.", form.similar_page(rule.from_page_id.as_str()?)?))
            });
        }
        check_jump(rule, name, &pages, &endings, &pointer, report);
        check_groups(rule, name, &pointer, report);
    }
    for (index, page) in form.pages.iter().enumerate() {
        check_page(form, index, page, report);
    }
}

fn check_jump(
    rule: &Rule,
    name: RuleName<'_, '_>,
    pages: &HashMap<&str, usize>,
    endings: &HashSet<&str>,
    at: &str,
    report: &mut Report,
) {
    let then = rule.then.get();
    let Some(then) = then.filter(|then| then.kind.get() == Some(&JumpKind::Jump)) else {
        let kind = then.and_then(|then| then.kind.get()).map_or("", |kind| kind.as_str());
        let message = match kind {
            "" => format!("{name} has no action"),
            kind => format!("{name} has the unknown action {}", quoted(kind)),
        };
        report.add(Code::UnknownJump, format!("{at}/then/kind"), message);
        return;
    };
    let target = then.target.as_str().unwrap_or_default();
    let pointer = format!("{at}/then/target");
    match target.strip_prefix(ENDING) {
        Some(id) if !endings.contains(id) => {
            let message = format!("{name} jumps to ending {}, which does not exist", quoted(id));
            report.add_with_fix(Code::TargetEndingMissing, pointer, message, || {
                Some(format!("Jump to {}.", name.form.similar_ending(id)?))
            });
        }
        None if !pages.contains_key(target) => {
            let message = format!("{name} jumps to page {}, which does not exist", quoted(target));
            report.add_with_fix(Code::TargetPageMissing, pointer, message, || {
                Some(format!("Jump to {}.", name.form.similar_page(target)?))
            });
        }
        _ => {}
    }
}

fn check_groups(rule: &Rule, name: RuleName<'_, '_>, at: &str, report: &mut Report) {
    let mut join = |op: &Field<GroupOp>, pointer: String| {
        if let Field::Value(GroupOp::Other(op)) = op {
            let message = format_args!("{name} joins with {}, not AND or OR", quoted(op));
            report.add_with_fix(Code::UnknownJoin, pointer, message, || {
                let known = ["AND", "OR"].into_iter().find(|known| op.trim().eq_ignore_ascii_case(known))?;
                Some(format!("Write `{known}`."))
            });
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
            let message = format_args!("{name} has a group without conditions");
            report.add(Code::EmptyGroup, format_args!("{at}/groups/{index}"), message);
        }
    }
}

fn check_page(form: &Questionnaire<'_>, index: usize, page: &PagePlan<'_>, report: &mut Report) {
    let mut taken = false;
    for rule in &page.rules {
        let (name, pointer) = (form.rule_name(rule.record, rule.at), form.rule_pointer(rule.at));
        if !rule.fallback && rule.groups.is_empty() {
            let message =
                format_args!("{name} never matches, because it has no conditions and is not named `{FALLBACK}`");
            report.add(Code::RuleWithoutConditions, pointer, message);
        } else if rule.fallback && !rule.groups.is_empty() {
            let message = format_args!("{name} is a fallback with conditions");
            report.add(Code::FallbackWithConditions, format_args!("{pointer}/groups"), message);
        } else if rule.fallback {
            if std::mem::replace(&mut taken, true) {
                let message = format_args!("{name} is the second fallback of its page");
                report.add(Code::DuplicateFallback, pointer, message);
            } else if page.rules.iter().any(|other| !other.fallback && other.at > rule.at) {
                let message = format_args!("{name} is tried last, but precedes other rules of its page");
                report.add(Code::FallbackNotLast, pointer, message);
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
        let name = form.rule_name(rule.record, rule.at);
        let message = format_args!("{name} has no effect, because its page leads to the same target without it");
        report.add(Code::RuleSameAsDefault, form.rule_pointer(rule.at), message);
    }
}
