//! Converts a panic in host code, such as a store, into a 500 response, so that the panic fails one request instead of
//! the whole connection (contract D2).

use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    task::{Context, Poll},
};

use super::error::ApiError;
use crate::BoxError;

/// A future that converts a panic in the inner future into an [`ApiError`].
pub(super) struct CatchPanic<F>(pub(super) F);

impl<T, F: Future<Output = Result<T, ApiError>> + Unpin> Future for CatchPanic<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        // The future is not polled again after a panic, so its inconsistent state is never observed.
        catch_unwind(AssertUnwindSafe(|| Pin::new(&mut self.0).poll(cx)))
            .unwrap_or_else(|panic| Poll::Ready(Err(ApiError::from(message(&*panic)))))
    }
}

fn message(panic: &(dyn Any + Send)) -> BoxError {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("panicked: {}", text.unwrap_or("no message")).into()
}
