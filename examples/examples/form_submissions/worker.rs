//! The worker, which creates the leads of pending submissions one by one.

use std::{sync::Arc, time::Duration};

use leadapi_client::{
    Client, Error, Outcome,
    id::LeadId,
    model::{IdempotencyKey, NewLead},
};
use leadapi_core::BoxError;
use tokio::time::sleep;

use crate::{
    Host,
    store::{Pending, Store},
};

const BATCH: u32 = 32;
const MIN_PAUSE: Duration = Duration::from_millis(50);
const MAX_PAUSE: Duration = Duration::from_secs(10);

/// Creates leads until the process exits. After a failure, the pause before the next attempt doubles.
pub(crate) async fn run(host: Arc<Host>, client: Client) {
    let mut pause = MIN_PAUSE;
    loop {
        match create_batch(&host, &client).await {
            Ok(0) => host.added.notified().await,
            Ok(_) => pause = MIN_PAUSE,
            Err(error) => {
                eprintln!("the next attempt is in {pause:?}: {error}");
                sleep(pause).await;
                pause = (pause * 2).min(MAX_PAUSE);
            }
        }
    }
}

/// Creates the leads of some pending submissions, and returns the number of submissions. If a create fails, the
/// remaining leads are still tried before the error is returned.
async fn create_batch(host: &Arc<Host>, client: &Client) -> Result<usize, BoxError> {
    let batch = host.with_store(|_, store| store.claim(BATCH)).await?;
    let (count, mut failure) = (batch.len(), None);
    for pending in batch {
        match create(client, &pending).await? {
            Ok(lead) => settle(host, pending, Ok(lead.to_string())).await?,
            Err(error) if is_refused(&error) => settle(host, pending, Err(error.message())).await?,
            Err(error) => {
                if error.outcome() != Outcome::Unknown {
                    host.with_store(move |_, store| store.not_created(pending)).await?;
                }
                failure = Some(error.into());
            }
        }
    }
    failure.map_or(Ok(count), Err)
}

async fn settle(host: &Arc<Host>, pending: Pending, outcome: Result<String, String>) -> Result<(), BoxError> {
    let settle =
        move |_: &Host, store: &mut Store| store.settle(&pending.key, outcome.as_deref().map_err(String::as_str));
    host.with_store(settle).await
}

/// Creates a lead. The key depends only on the submission. If the response is lost, or if this process is killed before
/// it records the response, the API therefore recognises the retry.
async fn create(client: &Client, pending: &Pending) -> Result<Result<LeadId, Error>, BoxError> {
    let lead: NewLead = serde_json::from_str(&pending.lead)?;
    let key = IdempotencyKey::parse(&format!("form-{}/{}", pending.key.form, pending.key.id))?;
    Ok(client.leads().create(&lead).idempotency_key(key).await.map(|lead| lead.id))
}

/// Returns whether the API rejected the lead itself. A problem with the token leaves the submission pending, because an
/// operator can correct it.
fn is_refused(error: &Error) -> bool {
    !error.is_retryable() && !error.is_unauthorized() && !error.lacks_scope()
}
