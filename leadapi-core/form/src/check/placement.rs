//! Checks the pipelines and the stages that the form, its endings and its rules name.

use super::{
    Code, Report,
    names::{ending_name, quoted},
};
use crate::{
    Field,
    plan::{Questionnaire, non_blank},
};
use leadapi_model::{
    id::{PipelineId, StageId},
    model::Pipeline,
};

pub(super) fn check(form: &Questionnaire<'_>, report: &mut Report) {
    let mut check = Placements { pipelines: form.policy.pipelines.as_deref(), report };
    let target = form.source.form.map(|form| &form.target_pipeline_id);
    if let Some(target) = target {
        check.add("the form", "/form/target_pipeline_id", target, None);
    }
    for ending in form.endings.iter().filter(|ending| is_named(&ending.record.pipeline_id, &ending.record.stage_id)) {
        let (at, record) = (form.ending_pointer(ending.at), ending.record);
        let stage = (format!("{at}/stageId"), &record.stage_id);
        check.add(&ending_name(ending).to_string(), &format!("{at}/pipelineId"), &record.pipeline_id, Some(stage));
    }
    for (index, rule) in form.source.rules() {
        let Some(then) = rule.then.get().filter(|then| is_named(&then.pipeline_id, &then.stage_id)) else { continue };
        let at = format!("{}/then", form.rule_pointer(index));
        let stage = (format!("{at}/stageId"), &then.stage_id);
        let name = form.rule_name(rule, index).to_string();
        check.add(&name, &format!("{at}/pipelineId"), &then.pipeline_id, Some(stage));
    }
}

fn is_named(pipeline: &Field<String>, stage: &Field<String>) -> bool {
    non_blank(pipeline).is_some() || non_blank(stage).is_some()
}

struct Placements<'c> {
    pipelines: Option<&'c [Pipeline]>,
    report: &'c mut Report,
}

impl Placements<'_> {
    fn add(&mut self, name: &str, at: &str, pipeline: &Field<String>, stage: Option<(String, &Field<String>)>) {
        let (mut is_placed, mut home) = (false, None);
        if let Some(id) = non_blank(pipeline).map(str::trim) {
            is_placed = PipelineId::parse(id).is_ok();
            home = self.pipelines.and_then(|all| all.iter().find(|pipeline| pipeline.id.as_str() == id));
            if !is_placed {
                let message = format_args!("{name} names the pipeline {}, which is malformed", quoted(id));
                self.report.add(Code::PipelineMalformed, at, message);
            } else if self.pipelines.is_some() && home.is_none() {
                let message = format_args!("{name} names the pipeline {}, which does not exist", quoted(id));
                self.report.add(Code::UnknownPipeline, at, message);
            }
        }
        let Some((at, id)) = stage.and_then(|(at, stage)| Some((at, non_blank(stage)?.trim()))) else { return };
        let has = |pipeline: &Pipeline| pipeline.stages.iter().any(|stage| stage.id.as_str() == id);
        if StageId::parse(id).is_err() {
            let message = format_args!("{name} names the stage {}, which is malformed", quoted(id));
            self.report.add(Code::StageMalformed, at, message);
        } else if let Some(home) = home.filter(|home| !has(home)) {
            let message = format_args!("{name} names the stage {}, which is not in {}", quoted(id), quoted(&home.name));
            self.report.add(Code::UnknownStage, at, message);
        } else if !is_placed && self.pipelines.is_some_and(|all| !all.iter().any(has)) {
            let message = format_args!("{name} names the stage {}, which does not exist", quoted(id));
            self.report.add(Code::UnknownStage, at, message);
        }
    }
}
