//! Forwards a single connection until it is closed or cut.

use std::{
    convert::Infallible,
    sync::{Arc, Mutex},
};

use tokio::{
    io::{self, AsyncReadExt, BufReader},
    net::{
        TcpStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
    time::sleep_until,
};

use super::{
    CommitError, State,
    message::{self, Direction, Message},
};
use crate::proxy::{End, forward};

/// One direction of a connection.
struct Pipe {
    direction: Direction,
    from: BufReader<OwnedReadHalf>,
    to: OwnedWriteHalf,
    state: Arc<Mutex<State>>,
    /// The error that replaces the response to the commit that this connection is waiting for. Both directions share it.
    commit_error: Arc<Mutex<Option<CommitError>>>,
}

pub(super) async fn run(client: TcpStream, server: TcpStream, state: Arc<Mutex<State>>) {
    let ((from_client, to_client), (from_server, to_server)) = (client.into_split(), server.into_split());
    let commit_error = Arc::default();
    let pipe = |direction, from, to| Pipe {
        direction,
        from: BufReader::new(from),
        to,
        state: Arc::clone(&state),
        commit_error: Arc::clone(&commit_error),
    };
    let mut up = pipe(Direction::ToServer, from_client, to_server);
    let mut down = pipe(Direction::ToClient, from_server, to_client);
    let Err(end) = forward_messages(&mut up, &mut down).await;
    end.finish().await;
}

async fn forward_messages(up: &mut Pipe, down: &mut Pipe) -> Result<Infallible, End> {
    if forward_startup(up, down).await? {
        tokio::select! {
            end = up.pump() => end,
            end = down.pump() => end,
        }
    } else {
        tokio::select! {
            end = up.pump_unread() => end,
            end = down.pump_unread() => end,
        }
    }
}

/// Forwards the messages that precede the regular protocol: encryption requests, and the startup message with the user
/// and database.
///
/// Returns `false` if the rest of the connection is encrypted.
async fn forward_startup(up: &mut Pipe, down: &mut Pipe) -> Result<bool, End> {
    loop {
        let first = message::read_first(&mut up.from).await?;
        let asks = message::asks_for_encryption(&first);
        up.pass(first).await?;
        if !asks {
            return Ok(true);
        }
        let answer = down.from.read_u8().await?;
        down.pass(vec![answer]).await?;
        if answer != b'N' {
            return Ok(false);
        }
    }
}

impl Pipe {
    async fn pump(&mut self) -> Result<Infallible, End> {
        loop {
            let message = message::read(&mut self.from).await?;
            self.pass(message).await?;
        }
    }

    /// Forwards all bytes without parsing them.
    async fn pump_unread(&mut self) -> Result<Infallible, End> {
        io::copy(&mut self.from, &mut self.to).await?;
        Err(End::Closed)
    }

    /// Forwards a message. If a cut is armed for it, forwards none, half or all of it, and then closes or stalls the
    /// connection.
    async fn pass(&mut self, bytes: Vec<u8>) -> Result<(), End> {
        if self.direction == Direction::ToClient {
            while let Some(until) = { self.state.lock().unwrap().held_until() } {
                sleep_until(until).await;
            }
        }
        let message = Message::new(self.direction, &bytes);
        let bytes = self.fail_commit(&message).unwrap_or(bytes);
        let kind = self.state.lock().unwrap().pass(message);
        forward(&mut self.to, &bytes, kind).await
    }

    /// If an error is armed, returns the bytes that replace a commit or its response.
    fn fail_commit(&self, message: &Message) -> Option<Vec<u8>> {
        match self.direction {
            Direction::ToServer if message.is_commit() => {
                let error = self.state.lock().unwrap().commit_error.take()?;
                *self.commit_error.lock().unwrap() = Some(error);
                (!error.is_applied).then(|| message::query("ROLLBACK"))
            }
            Direction::ToClient if message.ends_transaction() => {
                let error = self.commit_error.lock().unwrap().take()?;
                self.state.lock().unwrap().has_cut = true;
                Some(message::error(error.state))
            }
            _ => None,
        }
    }
}
