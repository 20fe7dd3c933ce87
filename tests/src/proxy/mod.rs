//! TCP proxies between clients and a server, which fail as a test demands. [`postgres`] and [`http`] each understand the
//! messages of one protocol, and choose the fault of each message.

pub mod http;
pub mod postgres;

use std::{
    future::pending,
    io,
    net::{Ipv4Addr, SocketAddr},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use tokio::{
    io::{AsyncWrite, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::Notify,
    task::{JoinHandle, JoinSet},
};

/// A way to cut a connection at a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CutKind {
    /// Drops the message, and closes both sides.
    Before,
    /// Forwards half of the message, and closes both sides.
    Half,
    /// Forwards the message, and closes both sides.
    After,
    /// Drops the message and everything after it, in both directions, but keeps the connection open.
    Stall,
}

impl CutKind {
    /// All kinds of cuts.
    pub const ALL: [Self; 4] = [Self::Before, Self::Half, Self::After, Self::Stall];
}

/// The reason why forwarding stopped.
enum End {
    /// One side closed the connection, or the proxy closed it for a cut.
    Closed,
    Stalled,
}

impl End {
    /// Waits until the proxy aborts a stalled connection, whose sockets the caller keeps open.
    async fn finish(self) {
        if matches!(self, Self::Stalled) {
            pending::<()>().await;
        }
    }
}

impl From<io::Error> for End {
    fn from(_: io::Error) -> Self {
        Self::Closed
    }
}

/// Forwards a message, or the part of it that precedes the cut.
async fn forward(to: &mut (impl AsyncWrite + Unpin), message: &[u8], cut: Option<CutKind>) -> Result<(), End> {
    let passed = match cut {
        None | Some(CutKind::After) => message,
        Some(CutKind::Half) => &message[..message.len() / 2],
        Some(CutKind::Before | CutKind::Stall) => &[],
    };
    to.write_all(passed).await?;
    match cut {
        None => Ok(()),
        Some(CutKind::Stall) => Err(End::Stalled),
        Some(_) => Err(End::Closed),
    }
}

/// Listens until it is dropped, and connects each client to the server.
#[derive(Debug)]
struct Listener {
    address: SocketAddr,
    control: Arc<Control>,
    task: JoinHandle<()>,
}

/// The state that a listener and its protocol share.
#[derive(Debug, Default)]
struct Control {
    /// Whether new connections are closed immediately.
    refuses: AtomicBool,
    /// The number of accepted connections.
    accepted: AtomicUsize,
    /// Notified to abort all connections.
    abort: Notify,
}

impl Listener {
    /// Listens in front of a server, given as `host:port`. `serve` forwards the messages of one connection.
    async fn start<F>(
        server: String,
        control: Arc<Control>,
        serve: impl Fn(TcpStream, TcpStream) -> F + Send + 'static,
    ) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let task = tokio::spawn(accept(listener, server, control.clone(), serve));
        Self { address, control, task }
    }
}

impl Control {
    /// Aborts all connections, and closes new ones until `refuses` is reset.
    fn begin_outage(&self) {
        self.refuses.store(true, Ordering::SeqCst);
        self.abort.notify_one();
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn accept<F>(
    listener: TcpListener,
    server: String,
    control: Arc<Control>,
    serve: impl Fn(TcpStream, TcpStream) -> F,
) where
    F: Future<Output = ()> + Send + 'static,
{
    // The connections are aborted together with this task when the listener is dropped.
    let mut connections = JoinSet::new();
    loop {
        let (client, _) = tokio::select! {
            accepted = listener.accept() => accepted.unwrap(),
            () = control.abort.notified() => {
                connections.abort_all();
                continue;
            }
        };
        control.accepted.fetch_add(1, Ordering::Relaxed);
        if control.refuses.load(Ordering::SeqCst) {
            continue;
        }
        // Closes the client's connection if the server cannot be reached.
        let Ok(server) = TcpStream::connect(&server).await else { continue };
        client.set_nodelay(true).unwrap();
        server.set_nodelay(true).unwrap();
        connections.spawn(serve(client, server));
        while connections.try_join_next().is_some() {}
    }
}
