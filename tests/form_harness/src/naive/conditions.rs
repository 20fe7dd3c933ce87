//! Evaluates conditions in Kleene's three-valued logic.

use serde_json::Value;

use super::{
    Naive,
    kinds::{chosen, kind},
    operators::{Family, compare, family, operator},
    texts::{is_email, is_phone},
    values::{objects, options, text_of, whole},
};

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Kleene {
    Yes,
    No,
    Maybe,
}

impl Naive<'_> {
    pub(super) fn condition(&self, condition: &Value, pages: &[usize], answers: &Value) -> Kleene {
        let value = &condition["value"];
        let Some((op, negated)) = operator(condition["op"].as_str().unwrap_or(""), value) else { return Kleene::Maybe };
        let Some(id) = text_of(&condition["fieldId"]) else { return Kleene::No };
        let result = if let Some((_, question)) = self.question(id) {
            let answer = self.visible(id, pages, answers).map(|answer| self.as_read(question, answer));
            compare(op, question, family(question), answer.as_ref(), value)
        } else {
            let Some(score) = self.score_named(id, pages, answers) else { return Kleene::No };
            compare(op, &Value::Null, Family::Score, Some(&score.into()), value)
        };
        if result.is_some_and(|holds| holds != negated) { Kleene::Yes } else { Kleene::No }
    }

    /// Returns the score of the path so far (`$score`), or of one page on it (`$score:` and the page's id).
    fn score_named(&self, name: &str, path: &[usize], answers: &Value) -> Option<i64> {
        let rest = name.strip_prefix("$score")?;
        if rest.is_empty() {
            return Some(self.score(path, answers));
        }
        let page = rest.strip_prefix(':')?;
        let page = self.pages.iter().position(|known| known.id == Some(page))?;
        Some(if path.contains(&page) { self.score(&[page], answers) } else { 0 })
    }

    /// Returns the points of the answers on these pages.
    pub(super) fn score(&self, pages: &[usize], answers: &Value) -> i64 {
        let mut score = 0;
        for page in pages {
            for (id, question) in &self.pages[*page].questions {
                if let Some(answer) = self.visible(id, pages, answers) {
                    score += points(question, answer);
                }
            }
        }
        score
    }

    /// Returns everything about a valid answer that conditions and the lead depend on, or `None` if the answer is not
    /// valid. Two answers with the same view are interchangeable.
    pub fn view(&self, id: &str, answer: &Value) -> Option<String> {
        let (_, question) = self.question(id)?;
        if self.problem(question, answer).is_some() {
            return None;
        }
        let pages: Vec<usize> = (0..self.pages.len()).collect();
        let answers = serde_json::json!({id: answer});
        let answer = self.visible(id, &pages, &answers).map(|answer| self.as_read(question, answer));
        let answer = answer.as_ref();
        let mut view = format!("{}", answer.map_or(0, |answer| points(question, answer)));
        for rule in objects(&self.version["logic"]["rules"]).into_iter().map(|(_, rule)| rule) {
            for (_, group) in objects(&rule["groups"]) {
                for (_, condition) in objects(&group["conds"]) {
                    let value = &condition["value"];
                    if condition["fieldId"] == id
                        && let Some((op, _)) = operator(condition["op"].as_str().unwrap_or(""), value)
                    {
                        view += &format!(" {:?}", compare(op, question, family(question), answer, value));
                    }
                }
            }
        }
        let text = answer.map(|answer| self.display_text(question, answer));
        let text = text.as_deref();
        view += &format!(" {} {:?} {:?}", text.is_some(), text.map(is_email), text.map(is_phone));
        Some(view)
    }

    pub(super) fn group(&self, group: &Value, pages: &[usize], answers: &Value) -> Option<Kleene> {
        if !group.is_object() {
            return Some(Kleene::Maybe);
        }
        let conds = &group["conds"];
        if conds.is_null() {
            return None;
        }
        let Some(conds) = conds.as_array() else { return Some(Kleene::Maybe) };
        if conds.is_empty() {
            return None;
        }
        let all = conds.iter().map(|cond| self.condition(cond, pages, answers)).collect::<Vec<_>>();
        Some(join(&group["op"], &all))
    }

    /// Evaluates the conditions of a rule. Returns `None` if the rule has no conditions.
    pub(super) fn conditions(&self, rule: &Value, pages: &[usize], answers: &Value) -> Option<Kleene> {
        let groups = &rule["groups"];
        if groups.is_null() {
            return None;
        }
        let Some(groups) = groups.as_array() else { return Some(join(&rule["outerOp"], &[Kleene::Maybe])) };
        let all = groups.iter().filter_map(|group| self.group(group, pages, answers)).collect::<Vec<_>>();
        if all.is_empty() { None } else { Some(join(&rule["outerOp"], &all)) }
    }
}

/// Returns the points that an answer adds to the score.
fn points(question: &Value, answer: &Value) -> i64 {
    if !["single_choice", "dropdown", "multi_choice"].contains(&kind(question)) {
        return 0;
    }
    let ids = chosen(answer).unwrap();
    options(question).into_iter().filter(|(id, _)| ids.contains(id)).map(|(_, option)| whole(&option["score"])).sum()
}

fn join(op: &Value, all: &[Kleene]) -> Kleene {
    let op = if op.is_null() { "AND" } else { op.as_str().unwrap_or("?") };
    let has = |kleene| all.contains(&kleene);
    match op {
        "AND" if has(Kleene::No) => Kleene::No,
        "AND" if has(Kleene::Maybe) => Kleene::Maybe,
        "AND" => Kleene::Yes,
        "OR" if has(Kleene::Yes) => Kleene::Yes,
        "OR" if has(Kleene::Maybe) => Kleene::Maybe,
        "OR" => Kleene::No,
        _ => Kleene::Maybe,
    }
}
