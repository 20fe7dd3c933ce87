//! The keys of questions and placeholders, and the questions that they stand for.

use super::{QuestionPlan, Questionnaire, SCORE};
use crate::mapped_key::FieldKey;

/// The keys whose answers together are a name.
pub(crate) const NAME_PARTS: [&str; 2] = ["first_name", "last_name"];

/// Assigns the keys of lead fields to the questions. Another name of a key counts only if no question has the key
/// itself: `mobile` must not take the place of `phone`.
pub(super) fn assign(questions: &mut [QuestionPlan<'_>]) {
    let fields: Vec<Option<FieldKey>> =
        questions.iter().map(|question| question.written_key.and_then(FieldKey::named)).collect();
    for (question, field) in questions.iter_mut().zip(&fields) {
        let has_own = |key: &str| fields.iter().flatten().any(|field| field.key == key && !field.is_other_name);
        question.key = match field {
            Some(field) if !(field.is_other_name && has_own(field.key)) => Some(field.key),
            _ => question.written_key,
        };
    }
}

impl Questionnaire<'_> {
    /// Returns the known spelling of the key of a placeholder, or `None` if it refers neither to a question nor to the
    /// score.
    pub(crate) fn known_key<'k>(&self, key: &'k str) -> Option<&'k str> {
        if key == SCORE || self.is_question_key(key) {
            return Some(key);
        }
        let key = FieldKey::named(key).map_or(key, |field| field.key);
        let has_parts = || key == "name" && NAME_PARTS.iter().any(|part| self.mapped.contains_key(part));
        (self.mapped.contains_key(key) || has_parts()).then_some(key)
    }

    pub(crate) fn is_known_key(&self, key: &str) -> bool {
        self.known_key(key).is_some()
    }

    /// Returns whether a question has the key as its id or its mapped key.
    pub(crate) fn is_question_key(&self, key: &str) -> bool {
        self.mapped.contains_key(key) || self.question(key).is_some()
    }

    /// Returns the indices of the questions whose answers a placeholder with a known key can stand for.
    pub(crate) fn questions_of_key(&self, key: &str) -> Vec<usize> {
        let mapped = |key: &str| self.mapped.get(key).into_iter().flatten().copied();
        let mut questions: Vec<usize> = mapped(key).chain(self.question(key)).collect();
        if key == "name" {
            questions.extend(NAME_PARTS.into_iter().flat_map(mapped));
        }
        questions
    }
}
