//! The pipeline and the stage of the lead of a walk.

use super::Walk;
use crate::{Field, plan::non_blank};
use leadapi_model::id::{PipelineId, StageId};

/// A pipeline, a stage, or both. A store puts a lead with only a stage into the pipeline of the stage.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Placement {
    pub pipeline: Option<PipelineId>,
    pub stage: Option<StageId>,
}

impl Placement {
    fn new(pipeline: &Field<String>, stage: &Field<String>) -> Option<Self> {
        let pipeline = non_blank(pipeline).and_then(|id| PipelineId::parse(id.trim()).ok());
        let stage = non_blank(stage).and_then(|id| StageId::parse(id.trim()).ok());
        (pipeline.is_some() || stage.is_some()).then_some(Self { pipeline, stage })
    }
}

impl Walk<'_> {
    /// Returns what the last rule on the path that names a pipeline or a stage says, or else the ending, or else the
    /// form. An id that is malformed counts as absent.
    pub(super) fn placement(&self, ending: Option<usize>) -> Placement {
        let form = self.form;
        let ending = || {
            let ending = form.endings.get(ending?)?.record;
            Placement::new(&ending.pipeline_id, &ending.stage_id)
        };
        let of_form = || Placement::new(&form.source.form?.target_pipeline_id, &Field::Absent);
        self.placement_of_rules().or_else(ending).or_else(of_form).unwrap_or_default()
    }

    fn placement_of_rules(&self) -> Option<Placement> {
        let places =
            |page: usize| self.form.pages.get(page).is_some_and(|page| page.rules.iter().any(|rule| rule.places));
        // Only the rules of pages that matter are evaluated again.
        let steps = self.steps().zip(&self.visits).filter(|(_, visit)| places(visit.page)).map(|(step, _)| step);
        let taken = steps.filter_map(|step| {
            let then = step.taken_rule()?.then.get()?;
            Placement::new(&then.pipeline_id, &then.stage_id)
        });
        taken.last()
    }
}

#[cfg(test)]
mod tests {
    use crate::{Answers, FormRecord, Policy, Questionnaire, Version};
    use serde_json::{Value, json};

    fn placed(form: &Value, answer: i32) -> [Option<String>; 2] {
        let record: FormRecord = serde_json::from_value(json!({ "form": form })).unwrap();
        let form = Questionnaire::compile(&record, Version::Draft, &Policy::default());
        let lead = form.walk(&Answers::new().with("q", answer).with("name", "Ann")).lead().unwrap().lead;
        [lead.pipeline_id, lead.stage_id]
    }

    #[test]
    fn the_last_rule_precedes_the_ending_and_the_ending_the_form() {
        let rule = |from: &str, op: &str, then: Value| json!({"fromPageId": from, "then": then, "groups": [{"conds": [{"fieldId": "q", "op": op, "value": 5}]}]});
        let mut form = json!({"client_id": "c1", "target_pipeline_id": "form",
            "pages": [{"id": "a", "fields": [{"id": "q", "type": "number"}]},
                {"id": "b", "fields": [{"id": "name", "type": "short_text", "mappedKey": "name"}]}],
            "settings": {"endings": [{"id": "e"}, {"id": "f", "pipelineId": "ending", "stageId": "two words"}]}});
        let ids = |pipeline: Option<&str>, stage: Option<&str>| [pipeline, stage].map(|id| id.map(str::to_owned));
        assert_eq!(placed(&form, 7), ids(Some("form"), None));
        form["logic"] = json!({"rules": [rule("b", "gt", json!({"kind": "jump", "target": "end:f"}))]});
        assert_eq!(placed(&form, 7), ids(Some("ending"), None));
        form["logic"]["rules"].as_array_mut().unwrap().extend([
            rule("a", "gt", json!({"kind": "jump", "target": "b", "pipelineId": "rule", "stageId": " s1 "})),
            rule("b", "equals", json!({"kind": "jump", "target": "nowhere", "stageId": "s2"})),
            rule("b", "lt", json!({"kind": "jump", "target": "end:f", "stageId": "s3"})),
        ]);
        assert_eq!(placed(&form, 7), ids(Some("rule"), Some("s1")));
        assert_eq!(placed(&form, 3), ids(None, Some("s3")), "a stage decides the pipeline");
        assert_eq!(placed(&form, 5), ids(Some("form"), None), "a rule without its target is not taken");
    }
}
