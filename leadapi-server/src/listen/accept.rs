//! A socket that listens, and the connections that it has.

use std::{sync::Arc, time::Duration};

use tokio::net::{TcpListener, TcpStream};
use tracing::{debug, warn};

use super::{
    Answer, HttpLimits, Life, Stage,
    close::close,
    connection::{self, End},
    tls::{NoHandshake, Tls},
    unread::UnreadBudget,
};
use crate::{
    metrics::Connections,
    room::{Permit, Room},
};

/// After an accept that failed for want of something, such as file descriptors, this is waited for some to come back.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

pub(crate) struct Listener {
    socket: TcpListener,
    door: Door,
}

/// What becomes of a connection that was accepted.
struct Door {
    tls: Option<Tls>,
    limits: Arc<HttpLimits>,
    metrics: Connections,
    room: Room,
    unread: UnreadBudget,
}

impl Listener {
    pub(crate) fn new(socket: TcpListener, tls: Option<Tls>, limits: Arc<HttpLimits>, metrics: Connections) -> Self {
        let room = Room::for_at_most(limits.connections);
        let unread = UnreadBudget::new(limits.unread_bytes, metrics.unread());
        Self { socket, door: Door { tls, limits, metrics, room, unread } }
    }

    /// Accepts connections until the server stops; those that are open then go on, and are in the room that is returned.
    pub(crate) async fn accept(self, service: impl Answer, life: Life) -> Room {
        let Self { socket, door } = self;
        let mut stopping = std::pin::pin!(life.clone().reached(Stage::Stopping));
        loop {
            let accepted = tokio::select! {
                biased;
                () = &mut stopping => break,
                accepted = socket.accept() => accepted,
            };
            match accepted {
                Ok((stream, _)) => door.begin(stream, &service, &life),
                Err(error) => {
                    door.metrics.not_accepted();
                    warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
        for stream in close(socket) {
            door.begin(stream, &service, &life);
        }
        door.room
    }
}

impl Door {
    /// Serves a connection if there is room for it.
    fn begin(&self, stream: TcpStream, service: &impl Answer, life: &Life) {
        let Some(place) = self.room.enter() else {
            self.metrics.refused();
            debug!("a connection was closed: there are as many as there may be");
            return;
        };
        // An answer is written at once and whole; waiting for more to send only delays it.
        if let Err(error) = stream.set_nodelay(true) {
            debug!(%error, "a connection could not be set to send at once");
        }
        tokio::spawn(self.serve(stream, place, service.clone(), life.clone()));
    }

    fn serve<A: Answer>(
        &self,
        stream: TcpStream,
        place: Permit,
        service: A,
        life: Life,
    ) -> impl Future<Output = ()> + Send + use<A> {
        let (tls, limits, metrics) = (self.tls.clone(), self.limits.clone(), self.metrics.clone());
        let unread = self.unread.share();
        async move {
            let _open = metrics.open();
            let end = match tls {
                None => connection::serve(stream, None, service, &limits, unread, life).await,
                Some(tls) => {
                    let accepted = tokio::select! {
                        biased;
                        accepted = tls.accept(stream) => accepted,
                        () = life.clone().ends_connection() => return,
                    };
                    match accepted {
                        Ok((stream, protocol)) => {
                            connection::serve(stream, Some(protocol), service, &limits, unread, life).await
                        }
                        Err(reason) => return metrics.no_handshake(reason.name()),
                    }
                }
            };
            if let End::Cut(wait) = end {
                metrics.cut(wait);
            }
            drop(place);
        }
    }
}

impl NoHandshake {
    fn name(&self) -> &'static str {
        match self {
            Self::Late => "late",
            Self::Crowded => "crowded",
            Self::Failed(error) => {
                debug!(%error, "a TLS handshake failed");
                "failed"
            }
        }
    }
}
