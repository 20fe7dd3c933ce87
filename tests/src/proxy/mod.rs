//! A proxy before PostgreSQL that knows where each message of its protocol ends, and breaks the connection at a chosen
//! one.

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
    /// Among the messages of this direction,
    pub direction: Direction,
    /// at this one, counted from 0 over all connections since the cut was made,
    pub nth: usize,
    /// in this way.
    pub how: How,
}

/// How a connection breaks at a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// The message is lost, and both sides see the end of the connection.
    Before,
    /// Half of its bytes arrive, and both sides see the end.
    Half,
    /// It arrives, and both sides see the end.
    After,
    /// It is lost, and so is all after it, in both directions; both sides see nothing.
    Stall,
}

impl How {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Before, Self::Half, Self::After, Self::Stall];
}

/// A proxy that listens as long as it is held.
#[derive(Debug)]
pub struct Proxy {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
    task: JoinHandle<()>,
}

/// Told when all connections must end.
type Outage = Arc<Notify>;

/// What the tests and the connections share.
#[derive(Debug, Default)]
struct State {
    refuses: bool,
    /// How many commits are still answered before an outage begins.
    outage_after: Option<usize>,
    outage: Outage,
    cut: Option<Cut>,
    has_cut: bool,
    seen: Vec<Message>,
}

impl Proxy {
    /// A proxy before a server, given as `host:port`.
    ///
    /// # Panics
    ///
    /// When it cannot listen.
    pub async fn to(server: impl Into<String>) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let state = Arc::default();
        let task = tokio::spawn(listen(listener, server.into(), Arc::clone(&state)));
        Self { address, state, task }
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Counts from here, and cuts nothing.
    pub fn watch(&self) {
        self.arm(None);
    }

    /// Counts from here, and cuts once. Connections that come later are whole again.
    pub fn cut(&self, cut: Cut) {
        self.arm(Some(cut));
    }

    /// Whether the cut was made.
    pub fn has_cut(&self) -> bool {
        self.state.lock().unwrap().has_cut
    }

    /// The messages that came since the count began, those included that were cut.
    ///
    /// A client's last word is not among them and never cut: it changes nothing, and comes at any time.
    pub fn seen(&self) -> Vec<Message> {
        self.state.lock().unwrap().seen.clone()
    }

    /// Those of one direction; the place of one here is the `nth` of a [`Cut`].
    pub fn seen_going(&self, direction: Direction) -> Vec<Message> {
        self.seen().into_iter().filter(|message| message.direction == direction).collect()
    }

    /// After this many commits, the answer to the next is lost, all connections end, and new ones are refused until
    /// [`refuse`](Self::refuse) says otherwise.
    pub fn outage_after(&self, commits: usize) {
        let mut state = self.state.lock().unwrap();
        state.has_cut = false;
        state.outage_after = Some(commits);
    }

    /// Ends new connections as soon as they are made, or no longer.
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
    /// Notes a message, and says how the connection breaks at it.
    fn pass(&mut self, message: Message) -> Option<How> {
        if message.is_farewell() {
            return None;
        }
        let Message { direction, .. } = message;
        if direction == Direction::ToClient && message.is_commit() && self.begins_outage() {
            return Some(How::Before);
        }
        let nth = self.seen.iter().filter(|seen| seen.direction == direction).count();
        self.seen.push(message);
        let cut = self.cut.take_if(|cut| (cut.direction, cut.nth) == (direction, nth))?;
        self.has_cut = true;
        Some(cut.how)
    }
}

impl State {
    /// Whether this commit is the one whose answer is lost.
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
    // They end with this task, and so with the proxy.
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
        // Where the server is away, the client sees the end of its connection.
        let Ok(server) = TcpStream::connect(&server).await else { continue };
        connections.spawn(connection::run(client, server, Arc::clone(&state)));
        while connections.try_join_next().is_some() {}
    }
}
