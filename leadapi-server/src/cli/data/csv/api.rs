//! The API that an import or an export calls.

use std::{env, time::Duration};

use clap::Args;
use leadapi_client::{Client, Pacing};
use leadapi_core::{
    admin::Admin,
    dataset::{BusinessSeed, Dataset},
    id::BusinessId,
    memory::{MemoryStore, SystemClock},
    model::{Page, Timestamp, Window},
};
use leadapi_sql::DatabaseUrl;

use super::{
    in_process,
    journal::{StoreIdentity, Target},
};
use crate::cli::{
    CommandError,
    csv_error::CsvError,
    store::{AcceptLoss, open, sensitive},
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
    #[arg(long, value_name = "STORE", requires = "business", value_parser = sensitive::<DatabaseUrl>())]
    store: Option<DatabaseUrl>,
    #[command(flatten)]
    loss: AcceptLoss,
}

/// A client, and the API that it calls.
pub(super) struct Api {
    pub(super) client: Client,
    /// The journal records the target, to detect an import of the same file into another API.
    pub(super) target: Target,
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
        let client = Client::builder(&url, token).application("leadapi-server").pacing(pacing).timeout(TIMEOUT);
        let client = client.build().map_err(|error| CsvError::api(&error))?;
        let target = Target { name: url.trim_end_matches('/').to_owned(), store: None };
        Ok(Api { client, target, concurrency: 8 })
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
        let identity = StoreIdentity { id: store.store_id().await?, business: business.clone() };
        let target = Target { name: format!("{url} {business}"), store: Some(identity) };
        let clock = store.clock();
        let client = in_process::client(store, clock, business.clone()).map_err(|error| CsvError::api(&*error))?;
        Ok(Api { client, target, concurrency: 64 })
    }
}

impl Api {
    /// Returns a client of an in-memory API with the client accounts and pipelines of this API, but without its leads.
    pub(super) async fn copy_without_leads(&self) -> Result<Client, CommandError> {
        let id = BusinessId::parse("copy").map_err(|error| CsvError::api(&error))?;
        let mut business = BusinessSeed::new(id.clone(), "copy", Timestamp::UNIX_EPOCH);
        business.clients = all(async |window| self.client.client_accounts().list(window).await).await?;
        business.pipelines = all(async |window| self.client.pipelines().list(window).await).await?;
        let store = MemoryStore::new(Dataset::new(vec![business]));
        Ok(in_process::client(store, SystemClock, id).map_err(|error| CsvError::api(&*error))?)
    }
}

/// Reads all pages of a list.
async fn all<T>(list: impl AsyncFn(Window) -> Result<Page<T>, leadapi_client::Error>) -> Result<Vec<T>, CsvError> {
    let (mut all, mut window) = (Vec::new(), Window::LARGEST);
    loop {
        let page = list(window).await.map_err(|error| CsvError::api(&error))?;
        all.extend(page.data);
        let read = u64::try_from(all.len()).unwrap_or(u64::MAX);
        if read >= page.total || read == window.offset() {
            return Ok(all);
        }
        window = window.with_offset(read).map_err(|error| CsvError::api(&error))?;
    }
}

fn from_environment() -> Result<DatabaseUrl, CsvError> {
    let text = env::var("LEADAPI_STORE").map_err(|_| CsvError::Api("--business needs --store".to_owned()))?;
    text.parse().map_err(|rule| CsvError::Api(format!("LEADAPI_STORE {rule}")))
}
