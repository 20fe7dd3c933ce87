//! Blocking calls for programs without `async`, such as `client.leads().get(&id).wait()`.

use std::{
    pin::pin,
    sync::Arc,
    task::{Context, Poll, Wake, Waker},
    thread::{self, Thread},
};

use leadapi_model::model::Lead;

use crate::{
    call::{Call, CreateLead, WithMeta},
    error::Error,
    response_meta::ResponseMeta,
};

/// Runs a future to completion on the current thread.
fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut cx = Context::from_waker(&waker);
    loop {
        match future.as_mut().poll(&mut cx) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park(),
        }
    }
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

macro_rules! wait {
    ($($type:ty $(, $generic:ident)? => $output:ty;)*) => {$(
        impl $(<$generic: 'static>)? $type {
            /// Makes the call and blocks the thread until it completes. In async code, await the call instead, because
            /// blocking also stalls other tasks on the thread.
            ///
            /// No runtime is needed, unless an in-process service needs one. In that case, enter that runtime first.
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
            /// Returns the same errors as awaiting the call.
            pub fn wait(self) -> Result<$output, Error> {
                block_on(self.into_future())
            }
        }
    )*};
}

wait! {
    Call<T>, T => T;
    WithMeta<T>, T => (T, ResponseMeta);
    CreateLead => Lead;
}
