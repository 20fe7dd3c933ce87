//! Runs the server on a separate thread, as shipped except that logging is off and the rate limits are raised.

use std::{net::SocketAddr, sync::mpsc::channel, thread};

use leadapi_core::{
    dataset::Dataset,
    http::LeadService,
    memory::{Limits, MemoryStore, MemoryTokens, SlidingWindow, SystemClock},
    port::Clock,
    tokens::{self, StoredTokens},
};
use leadapi_server::Server;
use tokio::runtime::Builder;

/// Starts the server, and returns its address and a token for its first business.
pub(crate) fn start(dataset: Dataset) -> (SocketAddr, String) {
    let (send, receive) = channel();
    thread::spawn(move || {
        Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
            let tokens = MemoryTokens::default();
            let issued = tokens::import(&tokens, &dataset, SystemClock.now()).await.unwrap();
            let token = issued[0].secret.expose().to_owned();
            let many = u32::MAX.try_into().unwrap();
            let service = LeadService::builder(MemoryStore::new(dataset), StoredTokens::new(tokens, SystemClock))
                .limiter(SlidingWindow::new(Limits::new(many, many)))
                .base_path("/v1")
                .build()
                .unwrap();
            let server = Server::bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
            send.send((server.local_addr(), token)).unwrap();
            server.serve(service, std::future::pending()).await;
        });
    });
    receive.recv().unwrap()
}
