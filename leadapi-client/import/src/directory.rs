//! The client accounts, pipelines and stages of a business, which a row can name.

use leadapi_client::{Call, Client, Error};
use leadapi_core::model::{ClientAccount, NewLead, Page, Pipeline, Window};

use crate::run::retry_policy;

/// The client accounts and pipelines of a business.
#[derive(Default)]
pub(crate) struct Directory {
    pub(crate) clients: Vec<ClientAccount>,
    pub(crate) pipelines: Vec<Pipeline>,
}

impl Directory {
    /// Reads all client accounts and pipelines.
    pub(crate) async fn read(client: &Client) -> Result<Self, Error> {
        let clients = all(|window| client.client_accounts().list(window)).await?;
        let pipelines = all(|window| client.pipelines().list(window)).await?;
        Ok(Self { clients, pipelines })
    }

    /// Replaces names by ids. A text that is neither a name nor an id stays, and the API refuses it.
    pub(crate) fn resolve(&self, new: &mut NewLead) -> Result<(), String> {
        if let Some(client) = &mut new.client_id {
            *client = self.client(client).map_err(|rule| format!("client_id: {rule}"))?;
        }
        if let Some(pipeline) = &mut new.pipeline_id {
            let pipelines = self.pipelines.iter().map(|pipeline| (pipeline.id.as_str(), pipeline.name.as_str()));
            *pipeline = find("pipelines", pipeline, pipelines).map_err(|rule| format!("pipeline_id: {rule}"))?;
        }
        if let Some(stage) = &mut new.stage_id {
            let is_possible =
                |pipeline: &&Pipeline| new.pipeline_id.as_ref().is_none_or(|id| pipeline.id.as_str() == id.as_str());
            let stages = self.pipelines.iter().filter(is_possible).flat_map(|pipeline| &pipeline.stages);
            let stages = stages.map(|stage| (stage.id.as_str(), stage.name.as_str()));
            *stage = find("stages", stage, stages).map_err(|rule| format!("stage_id: {rule}"))?;
        }
        Ok(())
    }

    /// Returns the id of a client account.
    pub(crate) fn client(&self, text: &str) -> Result<String, String> {
        find("client accounts", text, self.clients.iter().map(|client| (client.id.as_str(), client.name.as_str())))
    }
}

/// Returns the id of the record with this id or, if there is none, with this name.
fn find<'r>(
    kind: &str,
    text: &str,
    records: impl Iterator<Item = (&'r str, &'r str)> + Clone,
) -> Result<String, String> {
    let wanted = text.trim().to_lowercase();
    if records.clone().any(|(id, _)| id == text) {
        return Ok(text.to_owned());
    }
    let mut named = records.filter(|(_, name)| name.trim().to_lowercase() == wanted);
    match (named.next(), named.count()) {
        (Some((id, _)), 0) => Ok(id.to_owned()),
        (None, _) => Ok(text.to_owned()),
        (Some(_), others) => Err(format!("{} {kind} are named {:?}: use the id", others + 1, text.trim())),
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
