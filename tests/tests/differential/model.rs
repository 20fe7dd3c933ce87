//! A model of the administrative tasks: the effect of each task on a business.

use leadapi_core::{
    auth::Role,
    dataset::{BusinessSeed, MemberSeed},
    form::FormRecord,
    model::{Pipeline, Stage},
};
use serde_json::Value;

use super::{
    administration::{Task, TaskRequest},
    fixture,
};

/// Returns the business after the task, or `None` if a rule forbids the task.
pub(crate) fn apply(request: &TaskRequest, before: &BusinessSeed) -> Option<BusinessSeed> {
    let mut after = before.clone();
    match &request.task {
        Task::List => {}
        Task::AddMember { role, .. } if before.members.is_empty() && *role != Role::Owner => return None,
        Task::AddMember { member, role } => {
            after.members.push(MemberSeed::new(TaskRequest::email(*member), *role));
            members(before, &mut after)?;
        }
        Task::ChangeMember { member, to, role } => {
            let found = after.members.iter_mut().find(|found| same(&found.email, TaskRequest::email(*member)))?;
            let (email, role) =
                (to.map_or(found.email.clone(), |to| TaskRequest::email(to).to_owned()), role.unwrap_or(found.role));
            *found = MemberSeed::new(email, role);
            members(before, &mut after)?;
        }
        Task::RemoveMember { member } => {
            let at = after.members.iter().position(|found| same(&found.email, TaskRequest::email(*member)))?;
            after.members.remove(at);
            members(before, &mut after)?;
        }
        Task::AddClient { id } => {
            let client = request.new_client(*id);
            (!before.clients.iter().any(|known| known.id == client.id)).then(|| after.clients.push(client))?;
        }
        Task::RenameClient { id, name } => {
            let id = request.client(*id);
            after.clients.iter_mut().find(|client| client.id == id)?.name = request.name(*name);
        }
        Task::RemoveClient { id, with_leads } => {
            let id = request.client(*id);
            after.clients.remove(before.clients.iter().position(|client| client.id == id)?);
            after.leads.retain(|lead| lead.client_id != id);
            let is_named = forms(before).any(|form| form["form"]["client_id"] == id.as_str());
            (!is_named && (*with_leads || after.leads == before.leads)).then_some(())?;
        }
        Task::AddPipeline { id, stages } => {
            let pipeline = request.new_pipeline(*id, stages);
            let is_new = |(at, stage): (usize, &Stage)| {
                let known = before.pipelines.iter().flat_map(|pipeline| &pipeline.stages);
                !known.chain(&pipeline.stages[..at]).any(|known| known.id == stage.id)
            };
            let is_new = !pipeline.stages.is_empty()
                && !before.pipelines.iter().any(|known| known.id == pipeline.id)
                && pipeline.stages.iter().enumerate().all(is_new);
            is_new.then(|| after.pipelines.push(pipeline))?;
        }
        Task::RenamePipeline { id, name } => {
            let id = request.pipeline(*id);
            after.pipelines.iter_mut().find(|pipeline| pipeline.id == id)?.name = request.name(*name);
        }
        Task::RemovePipeline { id } => {
            let id = request.pipeline(*id);
            after.pipelines.remove(before.pipelines.iter().position(|pipeline| pipeline.id == id)?);
            (!before.leads.iter().any(|lead| lead.pipeline_id.as_ref() == Some(&id))).then_some(())?;
        }
        Task::AddStage { pipeline, id, position } => {
            let (pipeline, id) = (request.pipeline(*pipeline), request.stage(*id));
            let is_known = before.pipelines.iter().flat_map(|pipeline| &pipeline.stages).any(|stage| stage.id == id);
            let pipeline = after.pipelines.iter_mut().find(|known| known.id == pipeline)?;
            (!is_known).then_some(())?;
            put_in(pipeline, Stage::new(id, request.name(0), 0), *position)?;
        }
        Task::ChangeStage { id, name, position } => {
            let (pipeline, at) = stage(&mut after, request.stage(*id).as_str())?;
            let mut stage = pipeline.stages.remove(at);
            if let Some(name) = name {
                stage.name = request.name(*name);
            }
            let position = position.unwrap_or(stage.position);
            put_in(pipeline, stage, Some(position))?;
        }
        Task::RemoveStage { id, move_to } => delete_stage(request, &mut after, request.stage(*id).as_str(), *move_to)?,
        Task::AddForm => {
            let form = fixture::form(request.tenant);
            let has_client = before.clients.iter().any(|client| form["form"]["client_id"] == client.id.as_str());
            (before.forms.is_empty() && has_client).then(|| after.forms.push(serde_json::from_value(form).unwrap()))?;
        }
        Task::RenameForm { is_there, name } => {
            (*is_there).then_some(())?;
            let mut form = forms(before).next()?;
            form["form"]["name"] = request.name(*name).into();
            after.forms = vec![serde_json::from_value::<FormRecord>(form).unwrap()];
        }
        Task::RemoveForm { is_there } => (*is_there && after.forms.pop().is_some()).then_some(())?,
    }
    Some(after)
}

fn forms(business: &BusinessSeed) -> impl Iterator<Item = Value> {
    business.forms.iter().map(|form| serde_json::to_value(form).unwrap())
}

fn same(one: &str, other: &str) -> bool {
    one.to_lowercase() == other.to_lowercase()
}

/// Sorts the members by address and checks the rules: no two addresses are equal, ignoring case, and a business that
/// has an owner keeps one.
fn members(before: &BusinessSeed, after: &mut BusinessSeed) -> Option<()> {
    let has_owner = |business: &BusinessSeed| business.members.iter().any(|member| member.role == Role::Owner);
    after.members.sort_by(|a, b| a.email.cmp(&b.email));
    let mut addresses: Vec<String> = after.members.iter().map(|member| member.email.to_lowercase()).collect();
    addresses.sort();
    addresses.dedup();
    (addresses.len() == after.members.len() && (has_owner(after) || !has_owner(before))).then_some(())
}

/// Returns the pipeline that contains a stage, and the stage's index.
fn stage<'b>(business: &'b mut BusinessSeed, id: &str) -> Option<(&'b mut Pipeline, usize)> {
    let at = |pipeline: &Pipeline| pipeline.stages.iter().position(|stage| stage.id.as_str() == id);
    business.pipelines.iter_mut().find_map(|pipeline| at(pipeline).map(|at| (pipeline, at)))
}

/// Inserts a stage at a position or at the end, and renumbers the positions.
fn put_in(pipeline: &mut Pipeline, stage: Stage, position: Option<u32>) -> Option<()> {
    let last = pipeline.stages.len() + 1;
    let position = position.map_or(last, |position| position as usize);
    (1..=last).contains(&position).then_some(())?;
    pipeline.stages.insert(position - 1, stage);
    number(pipeline);
    Some(())
}

fn number(pipeline: &mut Pipeline) {
    for (position, stage) in (1..).zip(&mut pipeline.stages) {
        stage.position = position;
    }
}

fn delete_stage(
    request: &TaskRequest,
    business: &mut BusinessSeed,
    id: &str,
    move_to: Option<super::operation::Id>,
) -> Option<()> {
    let (pipeline, at) = stage(business, id)?;
    let removed = pipeline.stages.remove(at);
    number(pipeline);
    (!pipeline.stages.is_empty()).then_some(())?;
    let target = match move_to {
        None => None,
        Some(target) => {
            let target = request.stage(target);
            // The target must not be the deleted stage, which this lookup no longer finds.
            let (pipeline, _) = stage(business, target.as_str())?;
            Some((pipeline.id.clone(), target))
        }
    };
    for lead in business.leads.iter_mut().filter(|lead| lead.stage_id.as_ref() == Some(&removed.id)) {
        let (pipeline, stage) = target.clone()?;
        (lead.pipeline_id, lead.stage_id) = (Some(pipeline), Some(stage));
    }
    Some(())
}
