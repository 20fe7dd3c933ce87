//! A proxy in front of PostgreSQL that knows where each protocol message ends, and breaks a connection at a chosen
//! message.

mod connection;
mod message;

use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::{Arc, Mutex},
};

use tokio::{
    net::{TcpListener, TcpStream},
    sync::Notify,
    task::{JoinHandle, JoinSet},
};

pub use message::{Direction, Message};

/// Where a connection breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    /// The direction in which messages are counted.
    pub direction: Direction,
    /// The index of the message, counted from 0 over all connections since the cut was armed.
    pub nth: usize,
    /// How the connection breaks.
    pub kind: CutKind,
}

/// How a connection breaks at a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CutKind {
    /// The message is lost, and the connection is closed on both sides.
    Before,
    /// Half of the bytes arrive, and the connection is closed on both sides.
    Half,
    /// The message arrives, and the connection is closed on both sides.
    After,
    /// The message and everything after it are lost, in both directions, but the connection stays open.
    Stall,
}

impl CutKind {
    /// All ways to break a connection.
    pub const ALL: [Self; 4] = [Self::Before, Self::Half, Self::After, Self::Stall];
}

/// A proxy that listens until it is dropped.
#[derive(Debug)]
pub struct Proxy {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
    task: JoinHandle<()>,
}

/// Notified when all connections must end.
type Outage = Arc<Notify>;

/// The state that the tests share with the connections.
#[derive(Debug, Default)]
struct State {
    refuses: bool,
    /// The number of commits that are still answered before the outage begins.
    outage_after: Option<usize>,
    outage: Outage,
    cut: Option<Cut>,
    has_cut: bool,
    seen: Vec<Message>,
}

impl Proxy {
    /// Starts a proxy in front of a server, given as `host:port`.
    ///
    /// # Panics
    ///
    /// If the proxy cannot listen.
    pub async fn to(server: impl Into<String>) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let state = Arc::default();
        let task = tokio::spawn(listen(listener, server.into(), Arc::clone(&state)));
        Self { address, state, task }
    }

    /// The address on which the proxy listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Restarts the count of messages, without a cut.
    pub fn watch(&self) {
        self.arm(None);
    }

    /// Restarts the count of messages, and cuts one connection. Later connections work normally.
    pub fn cut(&self, cut: Cut) {
        self.arm(Some(cut));
    }

    /// Whether the cut has happened.
    pub fn has_cut(&self) -> bool {
        self.state.lock().unwrap().has_cut
    }

    /// The messages since the count was restarted, including those that were cut.
    ///
    /// A client's Terminate message is not counted and never cut, because it changes nothing and may come at any
    /// time.
    pub fn seen(&self) -> Vec<Message> {
        self.state.lock().unwrap().seen.clone()
    }

    /// The messages of one direction. The index of a message in the result is the `nth` of a [`Cut`].
    pub fn seen_going(&self, direction: Direction) -> Vec<Message> {
        self.seen().into_iter().filter(|message| message.direction == direction).collect()
    }

    /// Starts an outage after this many commits: the answer to the next commit is lost, all connections end, and new
    /// ones are closed until [`refuse(false)`](Self::refuse).
    pub fn outage_after(&self, commits: usize) {
        let mut state = self.state.lock().unwrap();
        state.has_cut = false;
        state.outage_after = Some(commits);
    }

    /// Sets whether the proxy closes new connections as soon as it has accepted them.
    pub fn refuse(&self, refuses: bool) {
        self.state.lock().unwrap().refuses = refuses;
    }

    fn arm(&self, cut: Option<Cut>) {
        let mut state = self.state.lock().unwrap();
        *state = State { refuses: state.refuses, outage: state.outage.clone(), cut, ..State::default() };
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl State {
    /// Records a message, and returns how the connection breaks at it.
    fn pass(&mut self, message: Message) -> Option<CutKind> {
        if message.is_terminate() {
            return None;
        }
        let Message { direction, .. } = message;
        if direction == Direction::ToClient && message.is_commit() && self.begins_outage() {
            return Some(CutKind::Before);
        }
        let nth = self.seen.iter().filter(|seen| seen.direction == direction).count();
        self.seen.push(message);
        let cut = self.cut.take_if(|cut| (cut.direction, cut.nth) == (direction, nth))?;
        self.has_cut = true;
        Some(cut.kind)
    }
}

impl State {
    /// Counts a commit, and returns whether it is the one whose answer is lost.
    fn begins_outage(&mut self) -> bool {
        let Some(before) = self.outage_after else { return false };
        self.outage_after = before.checked_sub(1);
        if self.outage_after.is_none() {
            (self.has_cut, self.refuses) = (true, true);
            self.outage.notify_one();
        }
        self.outage_after.is_none()
    }
}

async fn listen(listener: TcpListener, server: String, state: Arc<Mutex<State>>) {
    // The connections are aborted with this task, and so when the proxy is dropped.
    let mut connections = JoinSet::new();
    let outage = state.lock().unwrap().outage.clone();
    loop {
        let (client, _) = tokio::select! {
            accepted = listener.accept() => accepted.unwrap(),
            () = outage.notified() => {
                connections.abort_all();
                continue;
            }
        };
        if state.lock().unwrap().refuses {
            continue;
        }
        // If the server cannot be reached, the client's connection is closed.
        let Ok(server) = TcpStream::connect(&server).await else { continue };
        connections.spawn(connection::run(client, server, Arc::clone(&state)));
        while connections.try_join_next().is_some() {}
    }
}
