//! The client accounts, pipelines and stages of a business, which a row can name.

use std::collections::{HashMap, HashSet};

use leadapi_client::{Call, Client, Error};
use leadapi_core::model::{ClientAccount, NewLead, Page, Pipeline, Window};

use crate::retry::retry_policy;

/// The client accounts and pipelines of a business.
#[derive(Default)]
pub(crate) struct Directory {
    pub(crate) clients: Vec<ClientAccount>,
    pub(crate) pipelines: Vec<Pipeline>,
    client_names: Names,
    pipeline_names: Names,
    stage_names: Names,
    /// The stages of each pipeline, by its id.
    stage_names_by_pipeline: HashMap<String, Names>,
}

impl Directory {
    /// Reads all client accounts and pipelines.
    pub(crate) async fn read(client: &Client) -> Result<Self, Error> {
        let clients = all(|window| client.client_accounts().list(window)).await?;
        let pipelines = all(|window| client.pipelines().list(window)).await?;
        Ok(Self::new(clients, pipelines))
    }

    fn new(clients: Vec<ClientAccount>, pipelines: Vec<Pipeline>) -> Self {
        let stages = |pipeline: &Pipeline| -> Vec<(String, String)> {
            let stages = pipeline.stages.iter();
            stages.map(|stage| (stage.id.as_str().to_owned(), stage.name.as_str().to_owned())).collect()
        };
        let client = |client: &ClientAccount| (client.id.as_str().to_owned(), client.name.as_str().to_owned());
        let pipeline = |pipeline: &Pipeline| (pipeline.id.as_str().to_owned(), pipeline.name.as_str().to_owned());
        let stages_of = |pipeline: &Pipeline| (pipeline.id.as_str().to_owned(), stages(pipeline).into_iter().collect());
        Self {
            client_names: clients.iter().map(client).collect(),
            pipeline_names: pipelines.iter().map(pipeline).collect(),
            stage_names: pipelines.iter().flat_map(stages).collect(),
            stage_names_by_pipeline: pipelines.iter().map(stages_of).collect(),
            clients,
            pipelines,
        }
    }

    /// Replaces names by ids. A text that is neither a name nor an id stays, and the API refuses it.
    pub(crate) fn resolve(&self, new: &mut NewLead) -> Result<(), String> {
        if let Some(client) = &mut new.client_id {
            *client = self.client(client).map_err(|rule| format!("client_id: {rule}"))?;
        }
        if let Some(pipeline) = &mut new.pipeline_id {
            let id = self.pipeline_names.find("pipelines", pipeline);
            *pipeline = id.map_err(|rule| format!("pipeline_id: {rule}"))?;
        }
        let stages = match &new.pipeline_id {
            Some(id) => self.stage_names_by_pipeline.get(id.as_str()),
            None => Some(&self.stage_names),
        };
        if let (Some(stage), Some(stages)) = (&mut new.stage_id, stages) {
            *stage = stages.find("stages", stage).map_err(|rule| format!("stage_id: {rule}"))?;
        }
        Ok(())
    }

    /// Returns whether a client account with this id exists.
    pub(crate) fn has_client(&self, id: &str) -> bool {
        self.client_names.ids.contains(id)
    }

    /// Returns the id of a client account.
    pub(crate) fn client(&self, text: &str) -> Result<String, String> {
        self.client_names.find("client accounts", text)
    }
}

/// The ids of records, and their names without regard to case.
#[derive(Default)]
struct Names {
    ids: HashSet<String>,
    /// The id of a record with each name, and the number of records with this name.
    by_name: HashMap<String, (String, usize)>,
}

impl FromIterator<(String, String)> for Names {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(records: I) -> Self {
        let mut names = Self::default();
        for (id, name) in records {
            names.by_name.entry(name.trim().to_lowercase()).or_insert_with(|| (id.clone(), 0)).1 += 1;
            names.ids.insert(id);
        }
        names
    }
}

impl Names {
    /// Returns the id of the record with this id or, if there is none, with this name.
    fn find(&self, kind: &str, text: &str) -> Result<String, String> {
        if self.ids.contains(text) {
            return Ok(text.to_owned());
        }
        match self.by_name.get(&text.trim().to_lowercase()) {
            Some((id, 1)) => Ok(id.clone()),
            Some((_, count)) => Err(format!("{count} {kind} are named {:?}: use the id", text.trim())),
            None => Ok(text.to_owned()),
        }
    }
}

/// Reads all pages of a list.
async fn all<T: 'static>(list: impl Fn(Window) -> Call<Page<T>>) -> Result<Vec<T>, Error> {
    let (mut all, mut window) = (Vec::new(), Window::LARGEST);
    loop {
        let page = list(window).retry(retry_policy()).await?;
        all.extend(page.data);
        let read = u64::try_from(all.len()).unwrap_or(u64::MAX);
        if read >= page.total || read == window.offset() {
            return Ok(all);
        }
        match window.with_offset(read) {
            Ok(next) => window = next,
            Err(_) => return Ok(all),
        }
    }
}
