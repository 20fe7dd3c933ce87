//! What stands around the service on every request: its id, its line in the log, its place in the metrics, and the
//! guard.

mod ambiguous;
mod detached;
mod guard;
mod log;
mod place;
mod refusal;
mod request_id;

use std::{convert::Infallible, sync::Arc, time::Duration};

use bytes::Bytes;
use http::{Request, Response};
use http_body::Body;
use leadapi_core::{BoxError, http::LeadService};
use tower::{Service, ServiceBuilder, layer::layer_fn};
use tower_http::{ServiceBuilderExt, trace::TraceLayer};
use tracing::Span;

pub(crate) use self::guard::Guard;
pub use self::request_id::with_request_ids;
use self::{
    detached::Detached,
    guard::Guarded,
    log::{log, span},
    request_id::{Uuids, without_bad_id},
};
use crate::metrics::Metrics;

/// The service as the server serves it.
pub(crate) fn stack<B>(
    service: LeadService,
    guard: Guard,
    metrics: Arc<Metrics>,
) -> impl Service<
    Request<B>,
    Response = Response<impl Body<Data = Bytes, Error: Into<BoxError>> + Send + Unpin + 'static>,
    Error = Infallible,
    Future: Send,
> + Clone
+ Send
+ Sync
+ 'static
where
    B: Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<BoxError> + Send,
{
    let measured = metrics.clone();
    ServiceBuilder::new()
        .layer(layer_fn(Detached))
        .map_request(without_bad_id)
        .set_x_request_id(Uuids)
        .layer(
            TraceLayer::new_for_http()
                .make_span_with(span)
                .on_request(())
                .on_response(move |response: &Response<_>, took: Duration, _: &Span| {
                    measured.answered(response, took);
                    log(response, took);
                })
                .on_body_chunk(())
                .on_eos(())
                .on_failure(()),
        )
        .propagate_x_request_id()
        .layer(layer_fn(move |service| Guarded { guard: guard.clone(), service, in_flight: metrics.in_flight() }))
        .service(service)
}
