//! Calls without `async`: `client.leads().get(&id).wait()`.

use std::{io, sync::OnceLock};

use leadapi_core::{http::Operation, model::Lead};
use tokio::runtime::{Builder, Handle, Runtime};

use crate::{
    attempts::Meta,
    call::{Call, CreateLead, WithMeta},
    error::{Cause, Error},
    transport::TransportError,
};

/// The runtime on which all calls are waited for, with a thread of its own for sockets and time.
fn runtime() -> io::Result<&'static Runtime> {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    if let Some(runtime) = RUNTIME.get() {
        return Ok(runtime);
    }
    let runtime = Builder::new_multi_thread().worker_threads(1).thread_name("leadapi-client").enable_all().build()?;
    Ok(RUNTIME.get_or_init(|| runtime))
}

fn wait<T>(operation: Operation, call: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    let cannot = |text| Error::new(operation, Cause::Transport(TransportError::not_sent(text).for_good()));
    if Handle::try_current().is_ok() {
        return Err(cannot("wait() would block a runtime; await the call instead".to_owned()));
    }
    let runtime = runtime().map_err(|error| cannot(format!("there is no runtime to wait on: {error}")))?;
    runtime.block_on(call)
}

macro_rules! wait {
    ($($type:ty $(, $generic:ident)? => $output:ty;)*) => {$(
        impl $(<$generic: 'static>)? $type {
            /// Makes the call and blocks the thread until it is done.
            ///
            /// ```
            /// use leadapi_client::model::LeadQuery;
            /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
            /// # let client = support::in_process();
            ///
            /// let page = client.leads().list(&LeadQuery::new()).wait()?;
            /// # Ok::<(), leadapi_client::Error>(())
            /// ```
            ///
            /// # Errors
            ///
            /// Those of the call; and within a tokio runtime, which must not be blocked, nothing is sent.
            pub fn wait(self) -> Result<$output, Error> {
                wait(self.operation(), self.into_future())
            }
        }
    )*};
}

wait! {
    Call<T>, T => T;
    WithMeta<T>, T => (T, Meta);
    CreateLead => Lead;
}
