//! The implementation of the tools. Each tool makes one or more API calls.

use leadapi_client::Client;
use leadapi_core::{
    id::{ClientId, LeadId, StageId},
    model::LeadQuery,
};
use serde_json::{Map, Value};

use crate::{
    arguments::{Arguments, InvalidArgument},
    json::{escape_hidden, one_lead, page, without_nulls},
    overview::overview,
    tool::Tool,
};

/// The tools for one caller.
#[derive(Debug, Clone)]
pub(crate) struct Tools(Client);

/// The reason why a tool failed. The agent reads the message.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ToolError {
    #[error(transparent)]
    Argument(#[from] InvalidArgument),
    /// The API's error message, as in the body of its response.
    #[error("{}", .0.message())]
    Api(#[from] leadapi_client::Error),
}

impl Tools {
    pub(crate) const fn new(client: Client) -> Self {
        Self(client)
    }

    /// Calls a tool, and returns a JSON object that conforms to its output schema.
    pub(crate) async fn call(&self, tool: Tool, arguments: Option<Map<String, Value>>) -> Result<Value, ToolError> {
        let mut result = self.run(tool, arguments).await?;
        escape_hidden(&mut result);
        Ok(result)
    }

    async fn run(&self, tool: Tool, arguments: Option<Map<String, Value>>) -> Result<Value, ToolError> {
        let Self(client) = self;
        let mut arguments = Arguments::new(arguments);
        match tool {
            Tool::GetOverview => {
                arguments.finish()?;
                Ok(overview(client).await?)
            }
            Tool::GetLead => {
                let id = arguments.id("id", |text| LeadId::parse(text))?.ok_or(InvalidArgument::Missing("id"))?;
                arguments.finish()?;
                Ok(one_lead(&client.leads().get(&id).await?))
            }
            Tool::ListLeads => {
                let mut query = LeadQuery::new();
                query.client = arguments.id("client_id", |text| ClientId::parse(text))?;
                query.stage = arguments.id("stage_id", |text| StageId::parse(text))?;
                query.window = arguments.window()?;
                arguments.finish()?;
                let leads = client.leads().list(&query).await?;
                Ok(page(leads.data.iter().map(without_nulls), leads.total, leads.offset))
            }
            Tool::ListPipelines => {
                let window = arguments.window()?;
                arguments.finish()?;
                let pipelines = client.pipelines().list(window).await?;
                Ok(page(pipelines.data.iter().map(without_nulls), pipelines.total, pipelines.offset))
            }
            Tool::ListClients => {
                let window = arguments.window()?;
                arguments.finish()?;
                let accounts = client.client_accounts().list(window).await?;
                Ok(page(accounts.data.iter().map(without_nulls), accounts.total, accounts.offset))
            }
        }
    }
}
