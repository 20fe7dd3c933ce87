//! The simulated server: the service behind hyper. It shuts down gracefully and starts again at random times.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use hyper_util::{
    rt::{TokioExecutor, TokioIo},
    server::{conn::auto, graceful::GracefulShutdown},
    service::TowerToHyperService,
};
use leadapi_core::http::LeadService;
use tokio::time::{sleep, timeout};
use turmoil::net::TcpListener;

use super::draw::Draw;

pub(super) const PORT: u16 = 80;
/// The time for which a graceful shutdown waits for in-flight requests.
const DRAIN: Duration = Duration::from_secs(3);

/// Serves until the host crashes. Between two shutdowns, the server accepts connections for 2 to 15 seconds, or forever
/// if there are no faults.
pub(super) async fn serve(service: LeadService, mut draw: Option<Draw>, drains: Arc<AtomicU64>) -> turmoil::Result {
    loop {
        let listener = TcpListener::bind(("0.0.0.0", PORT)).await?;
        let (builder, graceful) = (auto::Builder::new(TokioExecutor::new()), GracefulShutdown::new());
        let accept = async {
            loop {
                let Ok((stream, _)) = listener.accept().await else { continue };
                let service = TowerToHyperService::new(service.clone());
                let connection = builder.serve_connection(TokioIo::new(stream), service).into_owned();
                let connection = graceful.watch(connection);
                tokio::spawn(async move {
                    // An error is expected, because the simulation breaks connections.
                    let _ended = connection.await;
                });
            }
        };
        match &mut draw {
            None => accept.await,
            Some(draw) => {
                let _elapsed = timeout(Duration::from_secs(draw.between(2, 15)), accept).await;
                drains.fetch_add(1, Ordering::Relaxed);
                drop(listener);
                // Connections that have not closed by then continue in their own tasks.
                let _elapsed = timeout(DRAIN, graceful.shutdown()).await;
                sleep(Duration::from_millis(draw.between(0, 2_000))).await;
            }
        }
    }
}
