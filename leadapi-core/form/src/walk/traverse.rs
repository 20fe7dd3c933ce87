//! The traversal of a form. A walk follows the rules from page to page until it reaches an ending, a page that it has
//! already visited, or a page whose answers are missing or invalid.

use std::cmp::Ordering;

use super::{End, SkipReason, SkippedRule, Visit, Walk};
use crate::{
    answer::{Answer, Answers},
    plan::{Evidence, PagePlan, Questionnaire, RulePlan, RuleResult, Slot, Target, add},
};

impl<'r> Questionnaire<'r> {
    /// Walks the form with these answers.
    ///
    /// Every call returns, even if the rules form a loop, because a walk visits each page at most once. A walk reads
    /// only the pages on its path and tries each of their rules at most once.
    ///
    /// ```
    /// use leadapi_form::{Questionnaire, Answers, FormRecord, Outcome, Policy, Problem, Version};
    ///
    /// let record: FormRecord = serde_json::from_str(
    ///     r#"{"form":{"fields":[{"id":"q_mail","type":"email","required":true,"mappedKey":"email"}]}}"#,
    /// )?;
    /// let form = Questionnaire::compile(&record, Version::Live, &Policy::default());
    /// let answers = Answers::new().with("q_mail", "ann@example");
    /// let Outcome::Awaiting { problems } = form.walk(&answers).outcome() else { panic!() };
    /// assert_eq!(problems, [("q_mail", Problem::NotAnEmail)]);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn walk<'a>(&'a self, answers: &'a Answers) -> Walk<'a>
    where
        'r: 'a,
    {
        let mut walk = Walk {
            form: self,
            given: self.given(answers),
            slots: vec![Slot::Empty; self.questions.len()],
            scores: self.scores.initial(),
            visits: Vec::with_capacity(self.pages.len()),
            steps: vec![None; self.pages.len()],
            placement: None,
            skipped_rules: Vec::new(),
            end: End::Empty,
        };
        walk.run();
        walk
    }

    /// Returns the answer to each question. Both questions and answers are sorted by id, so a single pass is enough.
    fn given<'a>(&self, answers: &'a Answers) -> Vec<Option<&'a Answer>> {
        let mut given = vec![None; self.questions.len()];
        let mut answers = answers.iter();
        let mut next = answers.next();
        for (question, index) in &self.sorted {
            while let Some((id, answer)) = next {
                let order = id.cmp(question);
                if order == Ordering::Greater {
                    break;
                }
                next = answers.next();
                if order == Ordering::Equal {
                    if let Some(given) = given.get_mut(*index) {
                        *given = Some(answer);
                    }
                    break;
                }
            }
        }
        given
    }

    /// Returns the target to which the answers so far lead, with the rule that matched, if any. Passes each skipped rule
    /// to `on_skip`.
    fn route<'p>(
        &self,
        index: usize,
        page: &'p PagePlan<'_>,
        evidence: &Evidence<'_, '_>,
        mut on_skip: impl FnMut(&'p RulePlan<'_>, SkipReason),
    ) -> (Target, Option<&'p RulePlan<'p>>) {
        for rule in &page.rules {
            match rule.evaluate(evidence) {
                RuleResult::NoMatch => {}
                RuleResult::MissingTarget => on_skip(rule, SkipReason::MissingTarget),
                RuleResult::Uncertain => on_skip(rule, SkipReason::UncertainConditions),
                RuleResult::UnknownJump => on_skip(rule, SkipReason::UnknownJump),
                RuleResult::JumpsTo(target) => return (target, Some(rule)),
            }
        }
        (self.after(index), None)
    }

    /// Adds the points of the answers on a page to the scores to which the page contributes.
    pub(super) fn add_points(&self, page: &PagePlan<'_>, slots: &[Slot<'_>], scores: &mut [Option<i64>]) {
        let range = page.questions.clone();
        let questions = self.questions.get(range.clone()).unwrap_or_default();
        let answered = questions.iter().zip(slots.get(range).unwrap_or_default());
        let points = answered.fold(0_i64, |sum, (question, slot)| sum.saturating_add(question.score(slot)));
        for score in &page.scores {
            scores.get_mut(*score).into_iter().for_each(|score| *score = add(*score, Some(points)));
        }
    }
}

impl Walk<'_> {
    fn run(&mut self) {
        let form = self.form;
        let mut at = 0;
        while let (Some(page), Some(step)) = (form.pages.get(at), self.steps.get_mut(at)) {
            if step.is_some() {
                self.end = End::Loop(at);
                return;
            }
            *step = Some(self.visits.len());
            if !self.read(page) {
                self.visits.push(Visit { page: at, uncertain: false });
                self.end = End::Awaiting;
                return;
            }
            let (number, skipped_rules) = (self.visits.len(), &mut self.skipped_rules);
            let mut uncertain = false;
            let evidence = Evidence { slots: &self.slots, scores: &self.scores, given: Some(&self.given) };
            let (target, matched) = form.route(at, page, &evidence, |rule, reason| {
                uncertain |= reason != SkipReason::MissingTarget;
                skipped_rules.push((number, SkippedRule { rule: rule.record.id.as_str(), at: rule.at, reason }));
            });
            self.visits.push(Visit { page: at, uncertain });
            if let Some(placement) = matched.and_then(|rule| rule.placement.as_ref()) {
                self.placement = Some(placement);
            }
            match target {
                Target::Page(next) => at = next,
                Target::Ending(ending) => {
                    self.end = End::Ending(ending);
                    return;
                }
            }
        }
    }

    /// Reads the valid answers on a page. Returns whether all answers are valid, in which case the walk can leave the
    /// page.
    fn read(&mut self, page: &PagePlan<'_>) -> bool {
        let range = page.questions.clone();
        let questions = self.form.questions.get(range.clone()).unwrap_or_default();
        let given = self.given.get(range.clone()).unwrap_or_default();
        let slots = self.slots.get_mut(range).unwrap_or_default();
        let mut valid = true;
        for ((question, given), slot) in questions.iter().zip(given).zip(slots) {
            match question.read(*given) {
                Ok(read) => *slot = read,
                Err(_) => valid = false,
            }
        }
        // Most forms have no scores, so most walks skip this call on every page.
        if !page.scores.is_empty() {
            self.form.add_points(page, &self.slots, &mut self.scores);
        }
        valid
    }
}
