//! Checks how answers map to lead fields.

use super::{
    Code, Report,
    names::{question_name, quoted},
};
use crate::{
    form::plan::{QuestionKind, Questionnaire, non_blank},
    id::{ClientId, PipelineId},
};

/// The lead fields that answers can fill.
const FIELDS: [&str; 7] = ["name", "first_name", "last_name", "business_name", "email", "phone", "value"];

/// The lead fields that answers cannot fill.
const RESERVED: [&str; 7] = ["client_id", "pipeline_id", "stage_id", "source", "notes", "id", "created_at"];

pub(super) fn check(form: &Questionnaire<'_>, report: &mut Report) {
    let client = form.source.form.and_then(|form| form.client_id.as_str());
    if client.is_none_or(|id| ClientId::parse(id).is_err()) {
        report.add(Code::ClientMissing, "/form/client_id", "client_id does not name a client account");
    }
    let pipeline = form.source.form.and_then(|form| non_blank(&form.target_pipeline_id));
    if pipeline.is_some_and(|id| PipelineId::parse(id.trim()).is_err()) {
        report.add(Code::PipelineMalformed, "/form/target_pipeline_id", "target_pipeline_id is malformed");
    }
    for (index, question) in form.questions.iter().enumerate() {
        let Some(key) = question.key else { continue };
        let at = format!("{}/mappedKey", form.question_pointer(index));
        let mismatch = match (key, &question.kind) {
            ("email", QuestionKind::Email)
            | ("phone", QuestionKind::Phone)
            | ("value", QuestionKind::Number { .. }) => None,
            ("email", _) => Some(Code::EmailKeyOnOtherType),
            ("phone", _) => Some(Code::PhoneKeyOnOtherType),
            ("value", _) => Some(Code::ValueKeyOnOtherType),
            _ => None,
        };
        if let Some(code) = mismatch {
            let kind = question.record.kind.get().map_or("", |kind| kind.as_str());
            report.add(
                code,
                at.clone(),
                format!("{} has the type {} and is mapped to {key}", question_name(question), quoted(kind)),
            );
        }
        if RESERVED.contains(&key) {
            report.add(
                Code::ReservedKey,
                at.clone(),
                format!("answers cannot set {key}, so the answer to {} goes to the notes", question_name(question)),
            );
        }
        if key.trim() != key {
            report.add(
                Code::KeyWithBlanks,
                at,
                format!("the key {} is not the key {}", quoted(key), quoted(key.trim())),
            );
        }
    }
    check_mapped_twice(form, report);
}

/// Reports questions on the same path that are mapped to the same field.
fn check_mapped_twice(form: &Questionnaire<'_>, report: &mut Report) {
    let mut pages: Vec<usize> = (0..form.pages.len()).collect();
    pages.sort_by_key(|page| form.graph.scc(*page));
    for key in FIELDS {
        let Some(mapped) = form.mapped.get(key).filter(|mapped| mapped.len() > 1) else { continue };
        let firsts = FirstMapped::new(form, &pages, mapped);
        for question in mapped {
            if let Some(other) = firsts.before(form, *question) {
                let message = format!("{} is mapped to {key} too", form.question_name_at(other));
                report.add(Code::MappedTwice, format!("{}/mappedKey", form.question_pointer(*question)), message);
            }
        }
    }
}

/// The first question that is mapped to a field, in record order: within each strongly connected component of pages,
/// and before it.
struct FirstMapped {
    own: Vec<Option<usize>>,
    before: Vec<Option<usize>>,
}

impl FirstMapped {
    /// Makes one pass over the pages, which must be in topological order of their components.
    fn new(form: &Questionnaire<'_>, pages: &[usize], mapped: &[usize]) -> Self {
        let mut firsts = Self { own: vec![None; pages.len()], before: vec![None; pages.len()] };
        for question in mapped {
            if let Some(own) = firsts.own.get_mut(Self::scc(form, *question)) {
                own.get_or_insert(*question);
            }
        }
        for page in pages {
            let scc = form.graph.scc(*page);
            let known = [&firsts.own, &firsts.before].map(|firsts| firsts.get(scc).copied().flatten());
            let Some(first) = known.into_iter().flatten().min() else { continue };
            for next in form.graph.next(*page).map(|next| form.graph.scc(next)).filter(|next| *next != scc) {
                if let Some(before) = firsts.before.get_mut(next) {
                    *before = Some(before.map_or(first, |known| known.min(first)));
                }
            }
        }
        firsts
    }

    fn scc(form: &Questionnaire<'_>, question: usize) -> usize {
        form.questions.get(question).map_or(usize::MAX, |question| form.graph.scc(question.page))
    }

    /// Returns the first question that a path can visit before this one. Pages on a common cycle can precede each other
    /// in any order, so record order decides between them.
    fn before(&self, form: &Questionnaire<'_>, question: usize) -> Option<usize> {
        let scc = Self::scc(form, question);
        let own = self.own.get(scc).copied().flatten().filter(|own| *own < question);
        self.before.get(scc).copied().flatten().into_iter().chain(own).min()
    }
}
