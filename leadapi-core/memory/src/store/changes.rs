//! Administrative changes to the client accounts, pipelines, stages and forms of a business.

use std::sync::Arc;

use serde_json::value::to_raw_value;

use super::{Leads, Records};
use leadapi_core::{
    admin::{AdminError, AdminRefusal, LeadOwner, rules},
    dataset::Directory,
    form::FormRecord,
    id::{ClientId, FormId, PipelineId, StageId},
    model::{ClientAccount, Lead, Pipeline, Stage},
};

impl Leads {
    fn count(&self, is_concerned: impl Fn(&Lead) -> bool) -> u64 {
        self.by_id.values().filter(|lead| is_concerned(lead)).count() as u64
    }

    fn matching(&self, is_concerned: impl Fn(&Lead) -> bool) -> Vec<Arc<Lead>> {
        self.by_id.values().filter(|lead| is_concerned(lead)).cloned().collect()
    }
}

impl Records {
    /// Restores the order of the records and the directory after a change.
    fn refresh(&mut self) {
        self.clients.sort_by(|a, b| (&a.name, &a.id).cmp(&(&b.name, &b.id)));
        self.pipelines.sort_by(|a, b| (a.created_at, &a.id).cmp(&(b.created_at, &b.id)));
        self.directory = Directory::new(&self.clients, &self.pipelines);
    }

    pub(crate) fn add_client(&mut self, client: &ClientAccount) -> Result<(), AdminRefusal> {
        if self.directory.has_client(client.id.as_str()) {
            return Err(AdminRefusal::ClientExists(client.id.clone()));
        }
        self.clients.push(client.clone());
        self.refresh();
        Ok(())
    }

    pub(crate) fn rename_client(&mut self, id: &ClientId, name: &str) -> Result<ClientAccount, AdminRefusal> {
        let client = self.clients.iter_mut().find(|client| client.id == *id);
        let client = client.ok_or_else(|| AdminRefusal::NoSuchClient(id.clone()))?;
        name.clone_into(&mut client.name);
        let renamed = client.clone();
        self.refresh();
        Ok(renamed)
    }

    pub(crate) fn delete_client(&mut self, id: &ClientId, with_leads: bool) -> Result<u64, AdminRefusal> {
        if !self.directory.has_client(id.as_str()) {
            return Err(AdminRefusal::NoSuchClient(id.clone()));
        }
        rules::check_client_unused(&self.forms(), id)?;
        let leads = self.leads.matching(|lead| lead.client_id == *id);
        if !leads.is_empty() && !with_leads {
            return Err(AdminRefusal::HasLeads { of: LeadOwner::Client, leads: leads.len() as u64 });
        }
        for lead in &leads {
            self.leads.by_id.remove(&lead.id);
            self.leads.index.remove(lead);
        }
        self.clients.retain(|client| client.id != *id);
        self.refresh();
        Ok(leads.len() as u64)
    }

    pub(crate) fn add_pipeline(&mut self, pipeline: &Pipeline) -> Result<(), AdminRefusal> {
        if self.directory.has_pipeline(pipeline.id.as_str()) {
            return Err(AdminRefusal::PipelineExists(pipeline.id.clone()));
        }
        let mut seen: Vec<&StageId> = Vec::new();
        for Stage { id, .. } in &pipeline.stages {
            if self.directory.has_stage(id.as_str()) || seen.contains(&id) {
                return Err(AdminRefusal::StageExists(id.clone()));
            }
            seen.push(id);
        }
        self.pipelines.push(pipeline.clone());
        self.refresh();
        Ok(())
    }

    fn pipeline(&mut self, id: &PipelineId) -> Result<&mut Pipeline, AdminRefusal> {
        let pipeline = self.pipelines.iter_mut().find(|pipeline| pipeline.id == *id);
        pipeline.ok_or_else(|| AdminRefusal::NoSuchPipeline(id.clone()))
    }

    pub(crate) fn rename_pipeline(&mut self, id: &PipelineId, name: &str) -> Result<Pipeline, AdminRefusal> {
        let pipeline = self.pipeline(id)?;
        name.clone_into(&mut pipeline.name);
        Ok(pipeline.clone())
    }

    pub(crate) fn delete_pipeline(&mut self, id: &PipelineId) -> Result<Pipeline, AdminRefusal> {
        let pipeline = self.pipeline(id)?.clone();
        rules::check_pipeline_unused(&self.forms(), id)?;
        let leads = self.leads.count(|lead| lead.pipeline_id.as_ref() == Some(id));
        if leads > 0 {
            return Err(AdminRefusal::HasLeads { of: LeadOwner::Pipeline, leads });
        }
        self.pipelines.retain(|pipeline| pipeline.id != *id);
        self.refresh();
        Ok(pipeline)
    }

    pub(crate) fn add_stage(
        &mut self,
        pipeline: &PipelineId,
        id: &StageId,
        name: &str,
        position: Option<u32>,
    ) -> Result<Stage, AdminRefusal> {
        let exists = self.directory.has_stage(id.as_str());
        let stages = &mut self.pipeline(pipeline)?.stages;
        if exists {
            return Err(AdminRefusal::StageExists(id.clone()));
        }
        rules::insert_stage(stages, Stage::new(id.clone(), name, 0), position)?;
        self.refresh();
        self.stage(id)
    }

    fn stage(&self, id: &StageId) -> Result<Stage, AdminRefusal> {
        let stage = self.pipelines.iter().flat_map(|pipeline| &pipeline.stages).find(|stage| stage.id == *id);
        stage.cloned().ok_or_else(|| AdminRefusal::NoSuchStage(id.clone()))
    }

    /// Returns the stages of the pipeline that a stage belongs to.
    fn stages_with(&mut self, id: &StageId) -> Result<&mut Vec<Stage>, AdminRefusal> {
        let mut stages = self.pipelines.iter_mut().map(|pipeline| &mut pipeline.stages);
        let found = stages.find(|stages| stages.iter().any(|stage| stage.id == *id));
        found.ok_or_else(|| AdminRefusal::NoSuchStage(id.clone()))
    }

    pub(crate) fn change_stage(
        &mut self,
        id: &StageId,
        name: Option<&str>,
        position: Option<u32>,
    ) -> Result<Stage, AdminRefusal> {
        let stages = self.stages_with(id)?;
        let mut changed = stages.clone();
        let mut stage = rules::remove_stage(&mut changed, id)?;
        let position = position.unwrap_or(stage.position);
        if let Some(name) = name {
            name.clone_into(&mut stage.name);
        }
        rules::insert_stage(&mut changed, stage, Some(position))?;
        *stages = changed;
        self.refresh();
        self.stage(id)
    }

    pub(crate) fn delete_stage(&mut self, id: &StageId, move_to: Option<&StageId>) -> Result<u64, AdminRefusal> {
        let mut stages = self.stages_with(id)?.clone();
        rules::remove_stage(&mut stages, id)?;
        if stages.is_empty() {
            return Err(AdminRefusal::LastStage);
        }
        let leads = self.leads.matching(|lead| lead.stage_id.as_ref() == Some(id));
        match move_to {
            Some(target) if target == id => return Err(AdminRefusal::SameStage),
            Some(target) => self.move_leads(&leads, target)?,
            None if leads.is_empty() => {}
            None => return Err(AdminRefusal::HasLeads { of: LeadOwner::Stage, leads: leads.len() as u64 }),
        }
        *self.stages_with(id)? = stages;
        self.refresh();
        Ok(leads.len() as u64)
    }

    fn move_leads(&mut self, leads: &[Arc<Lead>], to: &StageId) -> Result<(), AdminRefusal> {
        let home = self.pipelines.iter().find(|pipeline| pipeline.stages.iter().any(|stage| stage.id == *to));
        let home = home.ok_or_else(|| AdminRefusal::NoSuchStage(to.clone()))?.id.clone();
        for before in leads {
            let mut lead = Lead::clone(before);
            (lead.pipeline_id, lead.stage_id) = (Some(home.clone()), Some(to.clone()));
            let after = self.directory.intern(lead);
            self.leads.index.remove(before);
            self.leads.index.insert(&after);
            self.leads.by_id.insert(after.id.clone(), after);
        }
        Ok(())
    }

    pub(crate) fn form(&self, id: &FormId) -> Result<FormRecord, AdminRefusal> {
        let has_id = |record: &FormRecord| record.form.get().and_then(|form| form.id.as_str()) == Some(id.as_str());
        self.forms().into_iter().find(has_id).ok_or_else(|| AdminRefusal::NoSuchForm(id.clone()))
    }

    pub(crate) fn add_form(&mut self, record: &FormRecord) -> Result<FormId, AdminError> {
        let rules::FormReferences { id, client, pipeline, .. } = rules::form_references(record)?;
        if self.form(&id).is_ok() {
            return Err(AdminRefusal::FormExists(id).into());
        }
        if let Some(client) = client.filter(|client| !self.directory.has_client(client.as_str())) {
            return Err(rules::no_form_client(client.as_str()).into());
        }
        if let Some(pipeline) = pipeline.filter(|pipeline| !self.directory.has_pipeline(pipeline.as_str())) {
            return Err(rules::no_form_pipeline(pipeline.as_str()).into());
        }
        let mut forms = self.forms();
        forms.push(record.clone());
        self.set_forms(forms)?;
        Ok(id)
    }

    pub(crate) fn rename_form(&mut self, id: &FormId, name: &str) -> Result<(), AdminError> {
        let mut renamed = self.form(id)?;
        let form = renamed.form.get_mut().ok_or_else(|| AdminRefusal::NoSuchForm(id.clone()))?;
        form.name.set(name);
        self.delete_form(id)?;
        let mut forms = self.forms();
        forms.push(renamed);
        self.set_forms(forms)
    }

    pub(crate) fn delete_form(&mut self, id: &FormId) -> Result<(), AdminError> {
        self.form(id)?;
        let mut forms = self.forms();
        forms.retain(|record| record.form.get().and_then(|form| form.id.as_str()) != Some(id.as_str()));
        self.set_forms(forms)
    }

    fn set_forms(&mut self, mut forms: Vec<FormRecord>) -> Result<(), AdminError> {
        forms.sort_by(|a, b| form_id(a).cmp(&form_id(b)));
        self.forms = forms.iter().map(to_raw_value).collect::<Result<_, _>>().map_err(AdminError::backend)?;
        Ok(())
    }
}

fn form_id(record: &FormRecord) -> Option<&str> {
    record.form.get()?.id.as_str()
}
