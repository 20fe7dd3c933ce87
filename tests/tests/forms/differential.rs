//! Compares the engine with the naive interpreter on random forms and answers, including cycles, dangling ids and wrong
//! types. `LEADAPI_FORMS_WALKS` sets the number of walks.

use std::{cell::RefCell, collections::BTreeMap};

use leadapi_form::{Answers, FormRecord, Policy, Questionnaire, Version};
use leadapi_form_harness::{Naive, report_of};
use proptest::{collection::vec, prelude::*, test_runner::TestRunner};
use serde_json::Value;

use crate::{
    configured,
    random::{self, Draw},
};

/// The default number of walks, which take a few seconds in total.
const WALKS: u32 = 20_000;
/// The number of walks through one form.
const WALKS_EACH: u32 = 16;

#[test]
fn engine_and_naive_interpreter_agree_on_random_walks() {
    let forms = configured("LEADAPI_FORMS_WALKS", WALKS) / WALKS_EACH;
    let mut runner = TestRunner::new(crate::config(forms));
    let walks = vec(vec(any::<u8>(), 0..40), WALKS_EACH as usize);
    let bytes = (vec(any::<u8>(), 0..700), vec(any::<u8>(), 0..60), walks, any::<[bool; 4]>());
    let outcome = runner.run(&bytes, |(form, extras, walks, [tame, draft, score_in_notes, is_permuted])| {
        let mut value = random::record(&mut Draw(&form), tame, 8);
        random::add_extras(&mut Draw(&extras), &mut value);
        let permute = |value: Value| if is_permuted { random::permuted(&value) } else { value };
        let unpermuted = value.clone();
        let value = permute(value);
        let record: FormRecord = serde_json::from_str(&value.to_string()).unwrap();
        let mut policy = Policy::default();
        policy.score_in_notes = score_in_notes;
        let compiled = Questionnaire::compile(&record, if draft { Version::Draft } else { Version::Live }, &policy);
        let naive = Naive::new(&value, draft).with_score_in_notes(score_in_notes);
        for bytes in walks {
            let answers = permute(random::answers(&mut Draw(&bytes), &unpermuted));
            let typed: Answers = serde_json::from_str(&answers.to_string()).unwrap();
            prop_assert_eq!(report_of(&compiled, &typed), naive.report(&answers), "{}\n{}", value, answers);
        }
        Ok(())
    });
    outcome.unwrap_or_else(|wrong| panic!("{wrong}"));
}

/// Checks that the random forms are varied enough: walks end in every possible way, and some walks have several pages.
#[test]
fn random_walks_cover_every_outcome_and_problem() {
    let seen = RefCell::new(BTreeMap::<String, usize>::new());
    let mut runner = TestRunner::new(crate::config(1_500));
    let bytes = (vec(any::<u8>(), 300..700), vec(any::<u8>(), 0..60), vec(vec(any::<u8>(), 8..40), 6));
    let outcome = runner.run(&bytes, |(form, extras, walks)| {
        let mut value = random::record(&mut Draw(&form), true, 8);
        random::add_extras(&mut Draw(&extras), &mut value);
        let naive = Naive::new(&value, false);
        for bytes in walks {
            let report = naive.report(&random::answers(&mut Draw(&bytes), &value));
            let count = |what: String| *seen.borrow_mut().entry(what).or_default() += 1;
            count(report["outcome"].to_string());
            count(format!("pages {}", report["path"].as_array().unwrap().len()));
            count(format!("lead {}", report.get("lead").is_some()));
            count(format!("uncertain {}", report["uncertain"] != serde_json::json!([])));
            report["notices"].as_array().unwrap().iter().for_each(|skipped| count(skipped[2].to_string()));
            report
                .get("problems")
                .and_then(|problems| problems.as_object())
                .into_iter()
                .flatten()
                .for_each(|(_, problem)| count(problem.to_string()));
            report.get("named_by").into_iter().for_each(|rung| count(format!("named by {rung}")));
        }
        Ok(())
    });
    outcome.unwrap();
    let seen = seen.into_inner();
    for what in [
        "\"finished\"",
        "\"awaiting\"",
        "\"endless\"",
        "\"empty\"",
        "pages 1",
        "pages 2",
        "pages 3",
        "pages 4",
        "lead true",
        "uncertain true",
        "\"uncertain_conditions\"",
        "\"unknown_jump\"",
        "\"missing_target\"",
        "\"missing\"",
        "\"no_such_option\"",
        "\"not_a_number\"",
        "\"number_with_comma\"",
        "\"ambiguous_number\"",
        "\"wrong_grouping\"",
        "\"not_finite\"",
        "\"below_min\"",
        "\"not_a_text\"",
        "\"not_an_email\"",
        "\"not_a_phone\"",
        "\"too_short\"",
        "\"too_long\"",
        "\"pattern_mismatch\"",
        "\"option_twice\"",
        "\"not_whole\"",
        "\"above_max\"",
        "\"not_a_date\"",
        "\"too_early\"",
        "\"too_late\"",
        "\"not_a_bool\"",
        "\"not_accepted\"",
        "\"not_a_url\"",
        "\"not_an_address\"",
        "\"not_a_file\"",
        "named by \"name\"",
        "named by \"first_and_last\"",
        "named by \"business_name\"",
        "named by \"email\"",
        "named by \"phone\"",
    ] {
        assert!(seen.get(what).is_some_and(|count| *count >= 5), "{what}: {seen:#?}");
    }
}
