//! The overview: the client accounts and stages, and how many leads each has.

use futures_util::{StreamExt, TryStreamExt, stream};
use leadapi_client::{Client, Error};
use leadapi_core::model::{LeadQuery, Pipeline, Window};
use serde_json::{Value, json};

use super::json::{Budget, NOTICE};

/// The maximum number of client accounts whose leads are counted, and the maximum number of stages. Each count is one
/// request, and a token may make 600 reads per minute by default.
const MAX_COUNTS: u32 = 50;
/// The number of concurrent requests.
const CONCURRENCY: usize = 4;

pub(crate) async fn overview(client: &Client) -> Result<Value, Error> {
    let window = Window::LARGEST.with_limit(MAX_COUNTS).unwrap_or_default();
    let accounts = client.client_accounts().list(window).await?;
    let pipelines = client.pipelines().list(window).await?;
    let leads = count(client, LeadQuery::new()).await?;
    let mut budget = Budget::default();

    let queries = accounts.data.iter().map(|account| LeadQuery::new().client(account.id.clone()));
    let counts = counts(client, queries).await?;
    let accounts_with_counts = accounts.data.iter().zip(counts);
    let clients =
        accounts_with_counts.map(|(account, leads)| json!({"id": account.id, "name": account.name, "leads": leads}));
    let clients: Vec<Value> = clients.take_while(|account| budget.admits(account)).collect();

    let complete = first_complete(&pipelines.data);
    let stages = complete.iter().flat_map(|pipeline| &pipeline.stages);
    let mut counts =
        self::counts(client, stages.map(|stage| LeadQuery::new().stage(stage.id.clone()))).await?.into_iter();
    let with_counts = complete.iter().map(|pipeline| {
        let stages = pipeline.stages.iter().zip(counts.by_ref());
        let stages: Vec<Value> =
            stages.map(|(stage, leads)| json!({"id": stage.id, "name": stage.name, "leads": leads})).collect();
        json!({"id": pipeline.id, "name": pipeline.name, "stages": stages})
    });
    let with_counts: Vec<Value> = with_counts.take_while(|pipeline| budget.admits(pipeline)).collect();

    Ok(json!({
        "notice": NOTICE,
        "leads": leads,
        "clients": clients,
        "clients_total": accounts.total,
        "pipelines": with_counts,
        "pipelines_total": pipelines.total,
    }))
}

/// Returns the first pipelines that together have at most [`MAX_COUNTS`] stages.
fn first_complete(pipelines: &[Pipeline]) -> &[Pipeline] {
    let mut stages = 0;
    let fit = pipelines.iter().take_while(|pipeline| {
        stages += pipeline.stages.len();
        stages <= MAX_COUNTS as usize
    });
    pipelines.get(..fit.count()).unwrap_or_default()
}

async fn counts(client: &Client, queries: impl Iterator<Item = LeadQuery>) -> Result<Vec<u64>, Error> {
    let calls: Vec<_> = queries.map(|query| count(client, query)).collect();
    stream::iter(calls).buffered(CONCURRENCY).try_collect().await
}

async fn count(client: &Client, query: LeadQuery) -> Result<u64, Error> {
    let one = Window::LARGEST.with_limit(1).unwrap_or_default();
    Ok(client.leads().list(&query.window(one)).await?.total)
}
