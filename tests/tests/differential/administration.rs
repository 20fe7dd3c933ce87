//! Generates and performs random administrative changes to a business. Only the SQL stores support them.

use leadapi_core::{
    admin::{AdminError, AdminExt},
    auth::Role,
    id::{ClientId, FormId, PipelineId, StageId},
    model::{ClientAccount, Pipeline, Stage, Timestamp},
};
use leadapi_sql::SqlStore;
use proptest::{option, prelude::*};

use super::{
    fixture::{self, Tenant},
    operation::{Id, id, new_id, tenant},
    sides::{Check, silent},
};

/// An administrative task for a business. The store may refuse it.
#[derive(Debug, Clone)]
pub(crate) struct TaskRequest {
    pub(crate) tenant: Tenant,
    pub(crate) task: Task,
}

#[derive(Debug, Clone)]
pub(crate) enum Task {
    List,
    AddMember { member: u8, role: Role },
    ChangeMember { member: u8, to: Option<u8>, role: Option<Role> },
    RemoveMember { member: u8 },
    AddClient { id: Id },
    RenameClient { id: Id, name: u8 },
    RemoveClient { id: Id, with_leads: bool },
    AddPipeline { id: Id, stages: Vec<Id> },
    RenamePipeline { id: Id, name: u8 },
    RemovePipeline { id: Id },
    AddStage { pipeline: Id, id: Id, position: Option<u32> },
    ChangeStage { id: Id, name: Option<u8>, position: Option<u32> },
    RemoveStage { id: Id, move_to: Option<Id> },
    AddForm,
    RenameForm { is_there: bool, name: u8 },
    RemoveForm { is_there: bool },
}

/// The creation time of every record that a task adds.
pub(crate) const CREATED: &str = "2026-01-03T00:00:00Z";

impl TaskRequest {
    pub(crate) fn client(&self, id: Id) -> ClientId {
        ClientId::parse(id.client(self.tenant)).unwrap()
    }

    pub(crate) fn pipeline(&self, id: Id) -> PipelineId {
        PipelineId::parse(id.pipeline(self.tenant)).unwrap()
    }

    pub(crate) fn stage(&self, id: Id) -> StageId {
        StageId::parse(id.stage(self.tenant)).unwrap()
    }

    pub(crate) fn name(&self, name: u8) -> String {
        format!("{name} {}", self.tenant.canary())
    }

    /// Returns a member's email address. Two of the addresses differ only in case. Both businesses use the same
    /// addresses.
    pub(crate) fn email(member: u8) -> &'static str {
        ["owner@agency.example", "Owner@Agency.example", "ann@agency.example", "bo@agency.example"][usize::from(member)]
    }

    pub(crate) fn new_client(&self, id: Id) -> ClientAccount {
        ClientAccount::new(self.client(id), self.name(0), created())
    }

    pub(crate) fn new_pipeline(&self, id: Id, stages: &[Id]) -> Pipeline {
        let stages = (1..).zip(stages).map(|(at, id)| Stage::new(self.stage(*id), self.name(0), at));
        Pipeline::new(self.pipeline(id), self.name(0), stages.collect(), created())
    }

    pub(crate) fn form(is_there: bool) -> FormId {
        let form = fixture::form(Tenant::A);
        let id = form["form"]["id"].as_str().unwrap();
        FormId::parse(if is_there { id } else { "nobody" }).unwrap()
    }

    /// Performs the task, and returns its outcome and whether the store accepted the task. A refusal may repeat the
    /// requested id, so the caller does not search it for the other business's data.
    pub(crate) async fn perform(&self, store: &SqlStore) -> Check<(String, bool)> {
        match self.execute(store).await {
            Ok(done) => silent(self.tenant, &done).map(|()| (done, true)),
            Err(AdminError::Refused(refusal)) => Ok((refusal.to_string(), false)),
            Err(error) => Err(error.to_string()),
        }
    }

    async fn execute(&self, store: &SqlStore) -> Result<String, AdminError> {
        let business = &self.tenant.business();
        let admin = store.admin(business);
        Ok(match &self.task {
            Task::List => self.list(store).await?,
            Task::AddMember { member, role } => {
                debug(admin.members().add(Self::email(*member), *role, created()).await?)
            }
            Task::ChangeMember { member, to, role } => {
                debug(admin.members().change(Self::email(*member), to.map(Self::email), *role, created()).await?)
            }
            Task::RemoveMember { member } => {
                debug(admin.members().delete(Self::email(*member), true, created()).await?)
            }
            Task::AddClient { id } => debug(admin.clients().add(self.new_client(*id)).await?),
            Task::RenameClient { id, name } => {
                debug(admin.clients().rename(&self.client(*id), &self.name(*name)).await?)
            }
            Task::RemoveClient { id, with_leads } => {
                debug(admin.clients().delete(&self.client(*id), *with_leads).await?)
            }
            Task::AddPipeline { id, stages } => debug(admin.pipelines().add(self.new_pipeline(*id, stages)).await?),
            Task::RenamePipeline { id, name } => {
                debug(admin.pipelines().rename(&self.pipeline(*id), &self.name(*name)).await?)
            }
            Task::RemovePipeline { id } => debug(admin.pipelines().delete(&self.pipeline(*id)).await?),
            Task::AddStage { pipeline, id, position } => {
                let (pipeline, id) = (self.pipeline(*pipeline), self.stage(*id));
                debug(admin.stages().add(&pipeline, &id, &self.name(0), *position).await?)
            }
            Task::ChangeStage { id, name, position } => {
                let name = name.map(|name| self.name(name));
                debug(admin.stages().change(&self.stage(*id), name.as_deref(), *position).await?)
            }
            Task::RemoveStage { id, move_to } => {
                let move_to = move_to.map(|id| self.stage(id));
                debug(admin.stages().delete(&self.stage(*id), move_to.as_ref()).await?)
            }
            Task::AddForm => {
                let form = serde_json::from_value(fixture::form(self.tenant)).unwrap();
                debug(admin.forms().add(&form).await?)
            }
            Task::RenameForm { is_there, name } => {
                debug(admin.forms().rename(&Self::form(*is_there), &self.name(*name)).await?)
            }
            Task::RemoveForm { is_there } => debug(admin.forms().delete(&Self::form(*is_there)).await?),
        })
    }

    async fn list(&self, store: &SqlStore) -> Result<String, AdminError> {
        let business = &self.tenant.business();
        let admin = store.admin(business);
        let form = admin.forms().get(&Self::form(true)).await.map(|form| serde_json::to_string(&form).unwrap());
        Ok(debug((
            admin.members().list().await?,
            admin.clients().list().await?,
            admin.pipelines().list().await?,
            serde_json::to_string(&admin.forms().list().await?).unwrap(),
            form.map_err(|error| error.to_string()),
        )))
    }
}

fn debug(value: impl std::fmt::Debug) -> String {
    format!("{value:?}")
}

fn created() -> Timestamp {
    CREATED.parse().unwrap()
}

pub(crate) fn task_request() -> impl Strategy<Value = TaskRequest> {
    (tenant(), task()).prop_map(|(tenant, task)| TaskRequest { tenant, task })
}

fn task() -> impl Strategy<Value = Task> {
    let (member, name) = (|| 0..4_u8, || 0..3_u8);
    let position = || option::of(0..5_u32);
    prop_oneof![
        2 => Just(Task::List),
        1 => (member(), role()).prop_map(|(member, role)| Task::AddMember { member, role }),
        1 => (member(), option::of(member()), option::of(role()))
            .prop_map(|(member, to, role)| Task::ChangeMember { member, to, role }),
        1 => member().prop_map(|member| Task::RemoveMember { member }),
        1 => new_id().prop_map(|id| Task::AddClient { id }),
        1 => (id(), name()).prop_map(|(id, name)| Task::RenameClient { id, name }),
        2 => (id(), any::<bool>()).prop_map(|(id, with_leads)| Task::RemoveClient { id, with_leads }),
        2 => (new_id(), prop::collection::vec(new_id(), 0..3)).prop_map(|(id, stages)| Task::AddPipeline { id, stages }),
        1 => (id(), name()).prop_map(|(id, name)| Task::RenamePipeline { id, name }),
        3 => id().prop_map(|id| Task::RemovePipeline { id }),
        2 => (id(), new_id(), position()).prop_map(|(pipeline, id, position)| Task::AddStage { pipeline, id, position }),
        2 => (id(), option::of(name()), position())
            .prop_map(|(id, name, position)| Task::ChangeStage { id, name, position }),
        4 => (id(), option::weighted(0.7, id())).prop_map(|(id, move_to)| Task::RemoveStage { id, move_to }),
        1 => Just(Task::AddForm),
        1 => (prop::bool::weighted(0.8), name()).prop_map(|(is_there, name)| Task::RenameForm { is_there, name }),
        1 => prop::bool::weighted(0.8).prop_map(|is_there| Task::RemoveForm { is_there }),
    ]
}

fn role() -> impl Strategy<Value = Role> {
    prop_oneof![Just(Role::Owner), Just(Role::Admin), Just(Role::Member)]
}
