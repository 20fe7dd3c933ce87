//! The tokio runtime for all network connections. It has its own thread.

use std::{
    io,
    pin::{Pin, pin},
    sync::{Mutex, PoisonError, mpsc::sync_channel},
    task::{Context, Poll},
    thread,
};

use tokio::runtime::{Builder, Handle};

/// Returns the handle of the process-wide runtime, and starts the runtime if it is not running.
///
/// The runtime never shuts down, so a client in a `static` keeps working after its first caller's runtime has shut
/// down.
pub(super) fn handle() -> io::Result<Handle> {
    static HANDLE: Mutex<Option<Handle>> = Mutex::new(None);
    let mut handle = HANDLE.lock().unwrap_or_else(PoisonError::into_inner);
    match &*handle {
        Some(handle) => Ok(handle.clone()),
        None => Ok(handle.insert(start()?).clone()),
    }
}

fn start() -> io::Result<Handle> {
    let (send, receive) = sync_channel(1);
    let run = move || {
        // Build the runtime on its own thread. If the caller's thread runs async code, dropping the runtime there after
        // a failed start would panic.
        match Builder::new_current_thread().enable_all().build() {
            Ok(runtime) => {
                send.send(Ok(runtime.handle().clone())).unwrap_or_default();
                runtime.block_on(std::future::pending::<()>());
            }
            Err(error) => send.send(Err(error)).unwrap_or_default(),
        }
    };
    thread::Builder::new().name("leadapi-io".into()).spawn(run)?;
    receive.recv().map_err(io::Error::other)?
}

/// Runs a future on the caller's task. The future's sockets, its timers and the tasks that it spawns belong to the
/// handle's runtime.
pub(super) async fn enter<F: Future>(handle: &Handle, future: F) -> F::Output {
    Entered { handle, future: pin!(Some(future)) }.await
}

struct Entered<'a, F> {
    handle: &'a Handle,
    future: Pin<&'a mut Option<F>>,
}

impl<F: Future> Future for Entered<'_, F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let _guard = self.handle.enter();
        self.future.as_mut().as_pin_mut().map_or(Poll::Pending, |future| future.poll(cx))
    }
}

impl<F> Drop for Entered<'_, F> {
    fn drop(&mut self) {
        // Dropping the future may return a connection to the pool, which spawns a task and therefore needs the runtime.
        let _guard = self.handle.enter();
        self.future.set(None);
    }
}
