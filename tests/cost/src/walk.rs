//! The walk through a form.

use std::hint::black_box;

use leadapi_form::{Answers, FormRecord, Outcome, Policy, Questionnaire, Version};

use crate::sized;

/// The name of the walk in the output of the measurement.
pub const WALK: &str = "form walk";

/// The number of pages of the form. The walk visits all of them.
const PAGES: usize = 12;

/// Compiles a form and passes `measure` a function that walks through the form `count` times.
pub(crate) fn with_walks(count: usize, measure: impl FnOnce(&mut dyn FnMut())) {
    let (record, answers) = sized(PAGES);
    let record: FormRecord = serde_json::from_str(&record.to_string()).unwrap();
    let answers: Answers = serde_json::from_str(&answers.to_string()).unwrap();
    let form = Questionnaire::compile(&record, Version::Live, &Policy::default());
    let walk = form.walk(&answers);
    assert!(matches!(walk.outcome(), Outcome::Finished(_)) && walk.steps().count() == PAGES);
    measure(&mut || {
        for _ in 0..count {
            black_box(form.walk(black_box(&answers)));
        }
    });
}
