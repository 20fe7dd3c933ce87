//! A proxy in front of PostgreSQL that understands message boundaries and cuts a connection at a chosen message.

mod connection;
mod message;

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex, atomic::Ordering},
    time::Duration,
};

use tokio::time::Instant;

pub use message::{Direction, Message};

use super::{Control, CutKind, Listener};

/// The point at which a connection is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    /// The direction in which messages are counted.
    pub direction: Direction,
    /// The index of the message, counted from 0 across all connections since the cut was armed.
    pub nth: usize,
    /// The way in which the connection is cut.
    pub kind: CutKind,
}

/// An error that replaces the response to a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommitError {
    /// The SQLSTATE of the error.
    pub state: &'static str,
    /// Whether the server executes the commit. Otherwise, it rolls the transaction back.
    pub is_applied: bool,
}

/// How long a client must be silent until the proxy assumes that it waits.
const SILENCE: Duration = Duration::from_millis(20);

/// A proxy that listens until it is dropped.
#[derive(Debug)]
pub struct PostgresProxy {
    listener: Listener,
    state: Arc<Mutex<State>>,
}

/// The state shared by the tests and the connections.
#[derive(Debug, Default)]
struct State {
    control: Arc<Control>,
    /// Whether a response is held back until the client has sent everything that does not depend on it.
    holds: bool,
    last_sent: Option<Instant>,
    /// The number of commits to forward before the outage begins.
    outage_after: Option<usize>,
    cut: Option<Cut>,
    commit_error: Option<CommitError>,
    has_cut: bool,
    seen: Vec<Message>,
}

impl PostgresProxy {
    /// Starts a proxy in front of a server, given as `host:port`.
    ///
    /// # Panics
    ///
    /// Panics if the proxy cannot listen.
    pub async fn to(server: impl Into<String>) -> Self {
        let control = Arc::<Control>::default();
        let state = Arc::new(Mutex::new(State { control: control.clone(), ..State::default() }));
        let shared = state.clone();
        let serve = move |client, server| connection::run(client, server, shared.clone());
        Self { listener: Listener::start(server.into(), control, serve).await, state }
    }

    /// Returns the address on which the proxy listens.
    pub fn address(&self) -> SocketAddr {
        self.listener.address
    }

    /// Resets the message count without arming a cut.
    pub fn watch(&self) {
        self.arm(None);
    }

    /// Resets the message count and arms a cut of one connection. Other connections work normally.
    pub fn cut(&self, cut: Cut) {
        self.arm(Some(cut));
    }

    /// Resets the message count, and answers the next commit with an error.
    pub fn fail_commit(&self, error: CommitError) {
        self.arm(None);
        self.state.lock().unwrap().commit_error = Some(error);
    }

    /// Returns whether the cut, the outage or the failed commit has happened.
    pub fn has_cut(&self) -> bool {
        self.state.lock().unwrap().has_cut
    }

    /// Returns the messages since the last reset, including the one that was cut.
    ///
    /// The proxy neither counts nor cuts Terminate messages, because they change nothing and a client may send them at
    /// any time.
    pub fn seen(&self) -> Vec<Message> {
        self.state.lock().unwrap().seen.clone()
    }

    /// Returns the messages in one direction. A message's index in the result is the `nth` of the [`Cut`] that cuts at
    /// this message.
    pub fn seen_going(&self, direction: Direction) -> Vec<Message> {
        self.seen().into_iter().filter(|message| message.direction == direction).collect()
    }

    /// Holds each response back until the client has stopped sending, so that [`Self::round_trips`] can count.
    pub fn hold_responses(&self) {
        self.state.lock().unwrap().holds = true;
    }

    /// Returns how often the client has waited for responses since the last reset, if the responses are
    /// [held back](Self::hold_responses). A client that is slow to send may seem to wait more often.
    pub fn round_trips(&self) -> usize {
        let seen = self.seen();
        let waits = |pair: &&[Message]| [pair[0].direction, pair[1].direction] == Direction::ALL;
        seen.windows(2).filter(waits).count()
    }

    /// Returns how many statements the client has run since the last reset.
    pub fn statements(&self) -> usize {
        self.seen_going(Direction::ToServer).iter().filter(|message| ['E', 'Q'].contains(&message.kind)).count()
    }

    /// Starts an outage after `commits` commits. The proxy then drops the response to the next commit, aborts all
    /// connections, and closes new ones until [`refuse(false)`](Self::refuse).
    pub fn outage_after(&self, commits: usize) {
        let mut state = self.state.lock().unwrap();
        state.has_cut = false;
        state.outage_after = Some(commits);
    }

    /// Sets whether the proxy closes new connections immediately after accepting them.
    pub fn refuse(&self, refuses: bool) {
        self.listener.control.refuses.store(refuses, Ordering::SeqCst);
    }

    fn arm(&self, cut: Option<Cut>) {
        let mut state = self.state.lock().unwrap();
        *state = State { control: state.control.clone(), holds: state.holds, cut, ..State::default() };
    }
}

impl State {
    /// Records a message, and returns how to cut the connection at this message, if a cut is armed for it.
    fn pass(&mut self, message: Message) -> Option<CutKind> {
        if message.is_terminate() {
            return None;
        }
        let Message { direction, .. } = message;
        if direction == Direction::ToServer {
            self.last_sent = Some(Instant::now());
        }
        if direction == Direction::ToClient && message.is_commit() && self.begins_outage() {
            return Some(CutKind::Before);
        }
        let nth = self.seen.iter().filter(|seen| seen.direction == direction).count();
        self.seen.push(message);
        let cut = self.cut.take_if(|cut| (cut.direction, cut.nth) == (direction, nth))?;
        self.has_cut = true;
        Some(cut.kind)
    }

    /// Returns when to pass a response that is held back.
    fn held_until(&self) -> Option<Instant> {
        let until = self.last_sent? + SILENCE;
        (self.holds && Instant::now() < until).then_some(until)
    }

    /// Counts a commit, and returns whether the outage begins now. If it does, the response to the commit is dropped.
    fn begins_outage(&mut self) -> bool {
        let Some(before) = self.outage_after else { return false };
        self.outage_after = before.checked_sub(1);
        if self.outage_after.is_none() {
            self.has_cut = true;
            self.control.begin_outage();
        }
        self.outage_after.is_none()
    }
}
