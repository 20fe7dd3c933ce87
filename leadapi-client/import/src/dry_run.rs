//! The in-memory copy of an API that a dry run calls.

use leadapi_client::Client;
use leadapi_core::{
    clock::SystemClock,
    dataset::{BusinessSeed, Dataset},
    id::BusinessId,
    model::Timestamp,
};
use leadapi_memory::MemoryStore;

use crate::{directory::Directory, error::ImportError, in_process::in_process};

/// Returns a client for an in-memory copy of an API. The copy has the API's client accounts and pipelines, but no
/// leads.
pub(crate) fn copy_without_leads(directory: &Directory) -> Result<Client, ImportError> {
    let id = BusinessId::parse("copy").map_err(|error| ImportError::Setup(error.into()))?;
    let mut business = BusinessSeed::new(id.clone(), "copy", Timestamp::UNIX_EPOCH);
    business.clients.clone_from(&directory.clients);
    business.pipelines.clone_from(&directory.pipelines);
    let store = MemoryStore::new(Dataset::new(vec![business]));
    in_process(store, SystemClock, id).map_err(ImportError::Setup)
}
