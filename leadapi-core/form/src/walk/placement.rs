//! The pipeline and the stage of the lead of a walk.

use super::Walk;
use crate::plan::Placement;

impl<'a> Walk<'a> {
    /// Returns the placement of the last rule on the path that has one, or else that of the ending, or else that of the
    /// form.
    pub(super) fn placement(&self, ending: Option<usize>) -> Option<&'a Placement> {
        let of_ending = || self.form.endings.get(ending?)?.placement.as_ref();
        self.placement.or_else(of_ending).or(self.form.placement.as_ref())
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
        let rule = |from: &str, op: &str, then: Value| {
            let groups = json!([{"conds": [{"fieldId": "q", "op": op, "value": 5}]}]);
            json!({"fromPageId": from, "then": then, "groups": groups})
        };
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
