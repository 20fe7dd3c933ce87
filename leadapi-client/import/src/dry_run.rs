//! The in-memory copy of an API that a dry run calls.

use leadapi_client::{Call, Client};
use leadapi_core::{
    dataset::{BusinessSeed, Dataset},
    id::BusinessId,
    memory::{MemoryStore, SystemClock},
    model::{Page, Timestamp, Window},
};

use crate::{error::ImportError, in_process::in_process};

/// Returns a client for an in-memory copy of an API. The copy has the API's client accounts and pipelines, but no
/// leads.
pub(crate) async fn copy_without_leads(client: &Client) -> Result<Client, ImportError> {
    let id = BusinessId::parse("copy").map_err(|error| ImportError::Setup(error.into()))?;
    let mut business = BusinessSeed::new(id.clone(), "copy", Timestamp::UNIX_EPOCH);
    business.clients = all(|window| client.client_accounts().list(window)).await?;
    business.pipelines = all(|window| client.pipelines().list(window)).await?;
    let store = MemoryStore::new(Dataset::new(vec![business]));
    in_process(store, SystemClock, id).map_err(ImportError::Setup)
}

/// Reads all pages of a list.
async fn all<T: 'static>(list: impl Fn(Window) -> Call<Page<T>>) -> Result<Vec<T>, ImportError> {
    let (mut all, mut window) = (Vec::new(), Window::LARGEST);
    loop {
        let page = list(window).await.map_err(ImportError::Api)?;
        all.extend(page.data);
        let read = u64::try_from(all.len()).unwrap_or(u64::MAX);
        if read >= page.total || read == window.offset() {
            return Ok(all);
        }
        window = window.with_offset(read).map_err(|error| ImportError::Setup(error.into()))?;
    }
}
