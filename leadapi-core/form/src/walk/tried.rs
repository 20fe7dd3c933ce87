//! The rules that a walk tried when it left a page, with the result of each condition, to explain the walk's path.

use super::{End, SkipReason, Step};
use crate::{
    Condition, Rule,
    plan::{Evidence, RulePlan, RuleResult, Slot, Truth},
};

/// A rule that a walk tried when it left a page.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TriedRule<'a> {
    /// The record of the rule.
    pub rule: &'a Rule,
    /// The index of the rule in the `logic.rules` of the compiled version.
    pub at: usize,
    /// The result.
    pub result: TriedRuleResult,
    /// The conditions, in record order. Empty for a rule without conditions.
    pub conditions: Vec<TriedCondition<'a>>,
}

/// The result of a rule that a walk tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TriedRuleResult {
    /// The rule matched, so the walk continued at its target.
    Matched,
    /// The conditions do not hold.
    NotMatched,
    /// The walk could not evaluate or follow the rule.
    Skipped(SkipReason),
}

/// A condition of a rule that a walk tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TriedCondition<'a> {
    /// The number of the condition's group, starting at 0. Empty groups are not counted.
    pub group: usize,
    /// The record of the condition, or `None` if it is malformed.
    pub condition: Option<&'a Condition>,
    /// Whether the condition holds, or `None` if this cannot be decided.
    pub holds: Option<bool>,
}

impl<'a> Step<'_, 'a> {
    /// Returns the rules that the walk tried when it left this page, in order. If the last rule did not match, or if
    /// the page has no rules, the walk took the default route.
    ///
    /// The list is also empty if the walk has not left the page. Each call evaluates the rules again.
    ///
    /// ```
    /// use leadapi_form::{Questionnaire, Answers, FormRecord, Policy, TriedRuleResult, Version};
    ///
    /// let record: FormRecord = serde_json::from_str(r#"{"form":{
    ///     "pages":[{"id":"p","fields":[{"id":"q","type":"number"}]}],
    ///     "logic":{"rules":[{"fromPageId":"p","then":{"kind":"jump","target":"end:e"},
    ///         "groups":[{"conds":[{"fieldId":"q","op":"gt","value":5}]}]}]},
    ///     "settings":{"endings":[{"id":"e"}]}}}"#)?;
    /// let form = Questionnaire::compile(&record, Version::Draft, &Policy::default());
    /// for (answer, result) in [(7, TriedRuleResult::Matched), (3, TriedRuleResult::NotMatched)] {
    ///     let answers = Answers::new().with("q", answer);
    ///     let walk = form.walk(&answers);
    ///     let tried = walk.steps().next().ok_or("no step")?.tried_rules();
    ///     assert_eq!(tried[0].result, result);
    ///     assert_eq!(tried[0].conditions[0].holds, Some(answer > 5));
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn tried_rules(self) -> Vec<TriedRule<'a>> {
        let walk = self.walk;
        if self.count() == walk.visits.len() && walk.end == End::Awaiting {
            return Vec::new();
        }
        let slots = self.slots_on_leaving();
        let scores = self.scores_on_leaving(&slots);
        let evidence = Evidence { slots: &slots, scores: &scores, given: Some(&walk.given) };
        let mut tried = Vec::new();
        for rule in walk.form.pages.get(self.index()).map(|page| &page.rules).into_iter().flatten() {
            let rule = TriedRule::new(rule, &evidence);
            let matched = rule.result == TriedRuleResult::Matched;
            tried.push(rule);
            if matched {
                break;
            }
        }
        tried
    }

    /// Returns the answers that the walk had read when it left this page.
    fn slots_on_leaving(self) -> Vec<Slot<'a>> {
        let walk = self.walk;
        let asked = |page: usize| walk.steps.get(page).copied().flatten().is_some_and(|step| step < self.count());
        let slots = walk.form.questions.iter().zip(&walk.slots);
        slots.map(|(question, slot)| if asked(question.page) { *slot } else { Slot::Empty }).collect()
    }

    /// Returns the scores when the walk left this page, given the answers at that time.
    fn scores_on_leaving(self, slots: &[Slot<'_>]) -> Vec<Option<i64>> {
        let form = self.walk.form;
        let mut scores = form.scores.initial();
        let visits = self.walk.visits.iter().take(self.count());
        for page in visits.filter_map(|visit| form.pages.get(visit.page)) {
            form.add_points(page, slots, &mut scores);
        }
        scores
    }
}

impl<'a> TriedRule<'a> {
    fn new(rule: &'a RulePlan<'a>, evidence: &Evidence<'_, '_>) -> Self {
        let conditions = rule.groups.each(rule.record, evidence).into_iter();
        let conditions = conditions.map(|(group, condition, truth)| TriedCondition {
            group,
            condition,
            holds: match truth {
                Truth::True => Some(true),
                Truth::False => Some(false),
                Truth::Unknown => None,
            },
        });
        Self {
            rule: rule.record,
            at: rule.at,
            result: match rule.evaluate(evidence) {
                RuleResult::NoMatch => TriedRuleResult::NotMatched,
                RuleResult::JumpsTo(_) => TriedRuleResult::Matched,
                RuleResult::Uncertain => TriedRuleResult::Skipped(SkipReason::UncertainConditions),
                RuleResult::UnknownJump => TriedRuleResult::Skipped(SkipReason::UnknownJump),
                RuleResult::MissingTarget => TriedRuleResult::Skipped(SkipReason::MissingTarget),
            },
            conditions: conditions.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::TriedRuleResult::{Matched, NotMatched, Skipped};
    use crate::{Answers, FormRecord, Policy, Questionnaire, SkipReason, TriedRuleResult, Version};

    /// Walks with these answers, and returns each rule that was tried on each page: its index, its result and its
    /// conditions. A condition consists of its group, the id of its question, and whether it holds.
    #[expect(clippy::type_complexity, reason = "the tuples are only compared")]
    fn tried(form: &str, answers: &str) -> Vec<Vec<(usize, TriedRuleResult, Vec<(usize, String, Option<bool>)>)>> {
        let record: FormRecord = serde_json::from_str(form).unwrap();
        let form = Questionnaire::compile(&record, Version::Draft, &Policy::default());
        let answers: Answers = serde_json::from_str(answers).unwrap();
        let walk = form.walk(&answers);
        let rules = walk.steps().map(|step| {
            let rules = step.tried_rules().into_iter().map(|rule| {
                let conditions = rule.conditions.iter().map(|tried| {
                    let question = tried.condition.and_then(|condition| condition.field_id.as_str()).unwrap_or("-");
                    (tried.group, question.to_owned(), tried.holds)
                });
                (rule.at, rule.result, conditions.collect())
            });
            rules.collect()
        });
        rules.collect()
    }

    const FORM: &str = r#"{"form":{"pages":[
        {"id":"a","fields":[{"id":"q","type":"number","required":true}]},
        {"id":"b","fields":[{"id":"r","type":"short_text"}]}],
        "logic":{"rules":[
            {"name":"__fallback__","fromPageId":"a","then":{"kind":"jump","target":"b"}},
            {"fromPageId":"a","then":{"kind":"jump","target":"b"},
                "groups":[{"conds":[]},{"conds":7},{"op":"OR","conds":[{"fieldId":"r","op":"is_filled"},9]}]},
            {"fromPageId":"a","then":{"kind":"jump","target":"nowhere"},
                "groups":[{"conds":[{"fieldId":"q","op":"gt","value":5}]}]},
            {"fromPageId":"b","then":{"kind":"jump","target":"b"},
                "groups":[{"conds":[{"fieldId":"r","op":"is_filled"}]}]}]}}}"#;

    #[test]
    fn tried_rules_are_listed_in_the_order_of_the_walk_with_their_conditions() {
        let conditions = |holds| {
            [(0, "-", None), (1, "r", holds), (1, "-", None)].map(|(group, id, holds)| (group, id.to_owned(), holds))
        };
        // The answer to `r` is not read until its page, so the condition does not hold on the first page.
        let unknown = (1, Skipped(SkipReason::UncertainConditions), conditions(Some(false)).to_vec());
        let missing = (2, Skipped(SkipReason::MissingTarget), vec![(0, "q".to_owned(), Some(true))]);
        let fallback = (0, Matched, Vec::new());
        let on_b = |holds, result| vec![(3, result, vec![(0, "r".to_owned(), Some(holds))])];
        assert_eq!(
            tried(FORM, r#"{"q":7,"r":"x"}"#),
            [vec![unknown.clone(), missing, fallback.clone()], on_b(true, Matched)]
        );
        let not_matched = (2, NotMatched, vec![(0, "q".to_owned(), Some(false))]);
        assert_eq!(tried(FORM, r#"{"q":3}"#), [vec![unknown, not_matched, fallback], on_b(false, NotMatched)]);
        assert_eq!(tried(FORM, "{}"), [vec![]]);
    }

    #[test]
    fn a_rule_sees_the_score_of_the_pages_so_far() {
        let form = r#"{"form":{"pages":[
            {"id":"a","fields":[{"id":"q","type":"dropdown","options":[{"id":"x","score":3}]}]},
            {"id":"b","fields":[{"id":"r","type":"dropdown","options":[{"id":"x","score":4}]}]}],
            "logic":{"rules":[
                {"fromPageId":"a","then":{"kind":"jump","target":"b"},
                    "groups":[{"conds":[{"fieldId":"$score","op":"gt","value":3}]}]},
                {"fromPageId":"b","then":{"kind":"jump","target":"b"},
                    "groups":[{"conds":[{"fieldId":"$score","op":"equals","value":7}]}]}]}}}"#;
        let result = |at, holds| {
            vec![(at, if holds { Matched } else { NotMatched }, vec![(0, "$score".to_owned(), Some(holds))])]
        };
        // The score of the whole path is 7, but it is only 3 when the walk leaves the first page.
        assert_eq!(tried(form, r#"{"q":"x","r":"x"}"#), [result(0, false), result(1, true)]);
    }
}
