//! Writes that run to their end, and into the log, also when nobody waits for their answer any longer.

use std::{
    convert::Infallible,
    panic::resume_unwind,
    pin::Pin,
    task::{Context, Poll},
};

use http::Request;
use tower::{Service, ServiceExt};

#[derive(Clone)]
pub(super) struct Detached<S>(pub(super) S);

impl<S, B> Service<Request<B>> for Detached<S>
where
    S: Service<Request<B>, Response: Send, Error = Infallible, Future: Send> + Clone + Send + 'static,
    B: Send + 'static,
{
    type Response = S::Response;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<S::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let is_safe = request.method().is_safe();
        let answer = self.0.clone().oneshot(request);
        if is_safe {
            return Box::pin(answer);
        }
        let running = tokio::spawn(answer);
        Box::pin(async move {
            match running.await.map_err(tokio::task::JoinError::try_into_panic) {
                Ok(answer) => answer,
                Err(Ok(panic)) => resume_unwind(panic),
                // The runtime is ending, and this with it.
                Err(Err(_)) => std::future::pending().await,
            }
        })
    }
}
