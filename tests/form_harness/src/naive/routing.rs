//! Routes a walk from page to page.

use serde_json::{Value, json};

use super::{
    Naive, Walk,
    conditions::Kleene,
    values::{blank, objects, text_of},
};

impl<'v> Naive<'v> {
    /// Returns the rules of a page, in evaluation order.
    pub(super) fn rules(&self, page: usize) -> Vec<(usize, &'v Value)> {
        let Some(id) = self.pages[page].id else { return vec![] };
        let mut rules = vec![];
        for fallbacks in [false, true] {
            for (at, rule) in objects(&self.version["logic"]["rules"]) {
                if rule["fromPageId"] == id && (rule["name"] == "__fallback__") == fallbacks {
                    rules.push((at, rule));
                }
            }
        }
        rules
    }

    /// Returns the rule's target: the index of a page (`Ok`) or of an ending (`Err`). Returns `None` if the target does
    /// not exist.
    pub(super) fn target(&self, rule: &Value) -> Option<Result<usize, usize>> {
        let target = text_of(&rule["then"]["target"])?;
        if let Some(id) = target.strip_prefix("end:") {
            if blank(id) {
                return None;
            }
            return self.endings().iter().position(|(known, _)| *known == Some(id)).map(Err);
        }
        self.pages.iter().position(|page| page.id == Some(target)).map(Ok)
    }

    pub(super) fn after(&self, page: usize) -> Result<usize, Option<usize>> {
        if page + 1 < self.pages.len() {
            return Ok(page + 1);
        }
        Err(if self.endings().is_empty() { None } else { Some(0) })
    }

    /// Walks the form with these answers.
    pub fn walk(&self, answers: &Value) -> Walk {
        self.walk_if(answers, &[])
    }

    /// Walks the form. A rule in `matching` counts as matching if its conditions cannot be evaluated.
    pub fn walk_if(&self, answers: &Value, matching: &[usize]) -> Walk {
        let mut walk = Walk {
            path: vec![],
            outcome: "empty",
            ending: None,
            again: None,
            open: vec![],
            undecided: vec![],
            certain_pages: 0,
            anywhere: false,
            problems: vec![],
            uncertain: vec![],
            skipped_rules: vec![],
            taken: vec![],
        };
        if self.pages.is_empty() {
            return walk;
        }
        let mut page = 0;
        loop {
            if walk.path.contains(&page) {
                walk.outcome = "endless";
                walk.again = Some(page);
                return walk;
            }
            walk.path.push(page);
            if walk.undecided.is_empty() {
                walk.certain_pages += 1;
            }
            for (id, question) in &self.pages[page].questions {
                if let Some(problem) = self.problem(question, &answers[*id]) {
                    walk.problems.push(((*id).to_owned(), problem));
                }
            }
            if !walk.problems.is_empty() {
                walk.outcome = "awaiting";
                return walk;
            }
            let step = walk.path.len() - 1;
            let mut next = None;
            for (at, rule) in self.rules(page) {
                let fallback = rule["name"] == "__fallback__";
                let holds = match self.conditions(rule, &walk.path, answers) {
                    Some(holds) => holds,
                    None if fallback => Kleene::Yes,
                    None => Kleene::No,
                };
                let reason = match holds {
                    Kleene::No => continue,
                    Kleene::Maybe => "uncertain_conditions",
                    Kleene::Yes if rule["then"]["kind"] != "jump" => "unknown_jump",
                    Kleene::Yes => match self.target(rule) {
                        None => "missing_target",
                        Some(target) => {
                            next = Some(target.map_err(Some));
                            walk.taken.push(at);
                            break;
                        }
                    },
                };
                if reason != "missing_target" {
                    if rule["then"]["kind"] != "jump" {
                        walk.anywhere = true;
                        walk.undecided.push(at);
                    } else if let Some(target) = self.target(rule) {
                        walk.open.push(at);
                        walk.undecided.push(at);
                        if matching.contains(&at) {
                            next = Some(target.map_err(Some));
                            break;
                        }
                    }
                }
                walk.skipped_rules.push(json!([step, at, reason]));
                if reason != "missing_target" && !walk.uncertain.contains(&step) {
                    walk.uncertain.push(step);
                }
            }
            match next.unwrap_or_else(|| self.after(page)) {
                Ok(next) => page = next,
                Err(ending) => {
                    walk.outcome = "finished";
                    walk.ending = ending;
                    return walk;
                }
            }
        }
    }
}
