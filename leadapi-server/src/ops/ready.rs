//! Whether a server is to be sent requests.

use std::{sync::Arc, time::Duration};

use leadapi_core::{
    id::{BusinessId, LeadId},
    port::Store,
};
use tokio::time::timeout;
use tracing::warn;

use crate::{chain::chain, listen::Life};

/// A store that takes longer to say that something is not there is not one to send requests to.
const PATIENCE: Duration = Duration::from_secs(2);

pub(super) struct Readiness {
    store: Arc<dyn Store>,
    life: Life,
}

#[derive(Debug, thiserror::Error)]
pub(super) enum NotReady {
    #[error("the server stops")]
    Stopping,
    #[error("the store fails")]
    Failing,
    #[error("the store does not answer within {PATIENCE:?}")]
    Silent,
}

impl Readiness {
    pub(super) const fn new(store: Arc<dyn Store>, life: Life) -> Self {
        Self { store, life }
    }

    pub(super) async fn check(&self) -> Result<(), NotReady> {
        if !self.life.is_running() {
            return Err(NotReady::Stopping);
        }
        // Nobody's lead: every store can say that it is not there, and has to look for that.
        let (Ok(business), Ok(lead)) = (BusinessId::parse("nobody"), LeadId::parse("nothing")) else { return Ok(()) };
        match timeout(PATIENCE, self.store.get(&business, &lead)).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) => {
                warn!(error = %chain(&*error), "the server is not ready: the store fails");
                Err(NotReady::Failing)
            }
            Err(_) => Err(NotReady::Silent),
        }
    }
}
