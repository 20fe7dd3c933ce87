//! Calls without `async`: `client.leads().get(&id).wait()`.

use std::{
    io,
    sync::{Mutex, OnceLock, PoisonError, mpsc::channel},
};

use leadapi_core::{http::Operation, model::Lead};
use tokio::runtime::{Builder, Runtime};

use crate::{
    call::{Call, CreateLead, Running, WithMeta},
    error::{Cause, Error},
    meta::Meta,
    transport::TransportError,
};

/// The runtime on which all calls are waited for, with a thread of its own for sockets and time.
fn runtime() -> io::Result<&'static Runtime> {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    // One is made at a time: a runtime that came second would be dropped, which it must not be within another one.
    static MAKING: Mutex<()> = Mutex::new(());
    let _making = MAKING.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(runtime) = RUNTIME.get() {
        return Ok(runtime);
    }
    let runtime = Builder::new_multi_thread().worker_threads(1).thread_name("leadapi-client").enable_all().build()?;
    Ok(RUNTIME.get_or_init(|| runtime))
}

/// Makes the call on that runtime, so that it does not matter what the thread is that waits.
fn wait<T: Send + 'static>(operation: Operation, call: Running<T>) -> Result<T, Error> {
    let failed = |error: TransportError| Error::new(operation, Cause::Transport(error));
    let runtime = runtime().map_err(|error| failed(TransportError::not_sent(error).for_good()))?;
    let (done, waiting) = channel();
    runtime.spawn(async move {
        // Nobody else holds the other end, and it waits.
        done.send(call.await).unwrap_or_default();
    });
    waiting.recv().unwrap_or_else(|gone| Err(failed(TransportError::maybe_sent(gone))))
}

macro_rules! wait {
    ($($type:ty $(, $generic:ident)? => $output:ty;)*) => {$(
        impl $(<$generic: Send + 'static>)? $type {
            /// Makes the call and blocks the thread until it is done. In `async` code it would block whatever else runs
            /// on that thread; there the call is awaited.
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
            /// Those of the call.
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
