//! What becomes of answers in a lead.

use std::collections::HashMap;

use super::{Code, Report};
use crate::{
    form::plan::{Kind, Questionnaire, said},
    id::{ClientId, PipelineId},
};

/// The fields of a lead that answers fill.
const FIELDS: [&str; 7] = ["name", "first_name", "last_name", "business_name", "email", "phone", "value"];

/// The fields of a lead that no answer may fill.
const RESERVED: [&str; 7] = ["client_id", "pipeline_id", "stage_id", "source", "notes", "id", "created_at"];

pub(super) fn check(form: &Questionnaire<'_>, report: &mut Report) {
    let client = form.source.form.and_then(|form| form.client_id.as_str());
    if client.is_none_or(|id| ClientId::parse(id).is_err()) {
        report.add(Code::ClientMissing, "/form/client_id", "the form belongs to no client account");
    }
    let pipeline = form.source.form.and_then(|form| said(&form.target_pipeline_id));
    if pipeline.is_some_and(|id| PipelineId::parse(id.trim()).is_err()) {
        report.add(Code::PipelineMalformed, "/form/target_pipeline_id", "no pipeline can have this id");
    }
    for (index, question) in form.questions.iter().enumerate() {
        let Some(key) = question.key else { continue };
        let at = format!("{}/mappedKey", form.question_at(index));
        let mismatch = match (key, &question.kind) {
            ("email", Kind::Email) | ("phone", Kind::Phone) | ("value", Kind::Number { .. }) => None,
            ("email", _) => Some(Code::EmailKeyOnOtherType),
            ("phone", _) => Some(Code::PhoneKeyOnOtherType),
            ("value", _) => Some(Code::ValueKeyOnOtherType),
            _ => None,
        };
        if let Some(code) = mismatch {
            let kind = question.record.kind.get().map_or("", |kind| kind.as_str());
            report.add(code, at.clone(), format!("{key} is asked for with a question of type {kind:?}"));
        }
        if RESERVED.contains(&key) {
            report.add(Code::ReservedKey, at.clone(), format!("no answer sets {key}"));
        }
        if key.trim() != key {
            report.add(Code::KeyWithBlanks, at, format!("{key:?} is not {:?}", key.trim()));
        }
    }
    check_twice(form, report);
}

/// Questions on one path that are mapped to one field.
fn check_twice(form: &Questionnaire<'_>, report: &mut Report) {
    let mut after: HashMap<usize, Vec<bool>> = HashMap::new();
    for key in FIELDS {
        let mapped = form.mapped.get(key).map_or(&[][..], Vec::as_slice);
        for (count, index) in mapped.iter().enumerate() {
            let page = |index: usize| form.questions.get(index).map_or(0, |question| question.page);
            let mut follows = |first: usize, second: usize| {
                let after = after.entry(first).or_insert_with(|| form.graph.reached([first], |_| true));
                after.get(second) == Some(&true)
            };
            let mut before = mapped.iter().take(count);
            let other =
                before.find(|other| follows(page(**other), page(*index)) || follows(page(*index), page(**other)));
            if let Some(other) = other {
                let message = format!("the question at {} is mapped to {key} too", form.question_at(*other));
                report.add(Code::MappedTwice, format!("{}/mappedKey", form.question_at(*index)), message);
            }
        }
    }
}
