//! The API that an import or an export calls.

use std::{env, time::Duration};

use clap::Args;
use leadapi_client::{Client, Pacing};
use leadapi_core::{admin::Admin, id::BusinessId};
use leadapi_import::{Destination, in_process};
use leadapi_sql::DatabaseUrl;

use crate::{
    CommandError,
    csv_error::CsvError,
    store::{AcceptLoss, database, open},
};

/// The timeout of a call, including its waits for the rate limit. It is long because other programs that share the
/// token can delay a call, and such a delay is not a failure.
const TIMEOUT: Duration = Duration::from_secs(3_600);

#[derive(Debug, Args)]
pub(super) struct ApiArgs {
    /// The base URL of the API, such as <https://api.example.com/v1>. The variable `LEADAPI_TOKEN` contains the token.
    ///
    /// Defaults to the variable `LEADAPI_URL`.
    #[arg(long, value_name = "URL", conflicts_with = "business")]
    url: Option<String>,
    /// Instead of --url, work on this business in a store, without a token or rate limits.
    #[arg(long, value_name = "ID")]
    business: Option<BusinessId>,
    /// The store of --business: `sqlite:PATH` or `postgres://USER@HOST/DATABASE`.
    ///
    /// A running server may use it at the same time. Defaults to the variable `LEADAPI_STORE`.
    #[arg(long, value_name = "STORE", requires = "business", value_parser = database())]
    store: Option<DatabaseUrl>,
    #[command(flatten)]
    loss: AcceptLoss,
}

/// A client, and the API that it calls.
pub(super) struct Api {
    pub(super) client: Client,
    pub(super) destination: Destination,
    /// The maximum number of concurrent creates of an import.
    pub(super) concurrency: usize,
}

impl ApiArgs {
    pub(super) async fn open(&self, pacing: Pacing) -> Result<Api, CommandError> {
        match &self.business {
            Some(business) => self.in_store(business).await,
            None => self.at_url(pacing),
        }
    }

    fn at_url(&self, pacing: Pacing) -> Result<Api, CommandError> {
        let missing = |what: &str| CsvError::Api(what.to_owned());
        let url = self.url.clone().or_else(|| env::var("LEADAPI_URL").ok());
        let url = url.ok_or_else(|| missing("pass --url, or --business and --store"))?;
        // There is no option for the token, because other users can see the command line.
        let token = env::var("LEADAPI_TOKEN");
        let token = token.map_err(|_| missing("LEADAPI_TOKEN must be set to a token of the API"))?;
        let client = Client::builder(&url, token).application("leadapi").pacing(pacing).timeout(TIMEOUT);
        let client = client.build().map_err(|error| CsvError::api(&error))?;
        Ok(Api { client, destination: Destination::url(&url), concurrency: 8 })
    }

    async fn in_store(&self, business: &BusinessId) -> Result<Api, CommandError> {
        let url = match &self.store {
            Some(url) => url.clone(),
            None => from_environment()?,
        };
        let store = open(&self.loss.apply(url.clone())).await?;
        if !store.businesses().await?.iter().any(|known| known.id == *business) {
            return Err(CsvError::Api(format!("no such business: {business}")).into());
        }
        let id = store.store_id().await?;
        let destination = Destination::store(format!("{url} {business}"), id, business.clone());
        let clock = store.clock();
        let client = in_process(store, clock, business.clone()).map_err(|error| CsvError::api(&*error))?;
        Ok(Api { client, destination, concurrency: 64 })
    }
}

fn from_environment() -> Result<DatabaseUrl, CsvError> {
    let text = env::var("LEADAPI_STORE").map_err(|_| CsvError::Api("--business needs --store".to_owned()))?;
    text.parse().map_err(|rule| CsvError::Api(format!("LEADAPI_STORE {rule}")))
}
