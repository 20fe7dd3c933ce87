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

/// The runtime that drives all blocking calls, with one worker thread for I/O and timers.
fn runtime() -> io::Result<&'static Runtime> {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    // Only one is created at a time: a second runtime would be dropped, which panics inside another runtime.
    static MAKING: Mutex<()> = Mutex::new(());
    let _making = MAKING.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(runtime) = RUNTIME.get() {
        return Ok(runtime);
    }
    let runtime = Builder::new_multi_thread().worker_threads(1).thread_name("leadapi-client").enable_all().build()?;
    Ok(RUNTIME.get_or_init(|| runtime))
}

/// Drives the call on that runtime, so that it does not matter which thread waits.
fn wait<T: Send + 'static>(operation: Operation, call: Running<T>) -> Result<T, Error> {
    let failed = |error: TransportError| Error::new(operation, Cause::Transport(error));
    let runtime = runtime().map_err(|error| failed(TransportError::not_sent(error).for_good()))?;
    let (done, waiting) = channel();
    runtime.spawn(async move {
        // The receiver waits below, so the send cannot fail.
        done.send(call.await).unwrap_or_default();
    });
    waiting.recv().unwrap_or_else(|gone| Err(failed(TransportError::maybe_sent(gone))))
}

macro_rules! wait {
    ($($type:ty $(, $generic:ident)? => $output:ty;)*) => {$(
        impl $(<$generic: Send + 'static>)? $type {
            /// Makes the call and blocks the thread until it is done. In async code this would also block other tasks
            /// on the thread; await the call instead.
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
            /// The errors of the call.
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
