//! Forwards a single connection until it is closed or cut.

use std::{
    convert::Infallible,
    future::pending,
    sync::{Arc, Mutex},
};

use tokio::{
    io::{self, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{
        TcpStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
};

use super::{
    CutKind, State,
    message::{self, Direction, Message},
};

/// The reason why forwarding stopped.
enum End {
    /// One side closed the connection, or the proxy closed it for a cut.
    Closed,
    Stalled,
}

impl From<io::Error> for End {
    fn from(_: io::Error) -> Self {
        Self::Closed
    }
}

/// One direction of a connection.
struct Pipe {
    direction: Direction,
    from: BufReader<OwnedReadHalf>,
    to: OwnedWriteHalf,
    state: Arc<Mutex<State>>,
}

pub(super) async fn run(client: TcpStream, server: TcpStream, state: Arc<Mutex<State>>) {
    client.set_nodelay(true).unwrap();
    server.set_nodelay(true).unwrap();
    let ((from_client, to_client), (from_server, to_server)) = (client.into_split(), server.into_split());
    let pipe = |direction, from, to| Pipe { direction, from: BufReader::new(from), to, state: Arc::clone(&state) };
    let mut up = pipe(Direction::ToServer, from_client, to_server);
    let mut down = pipe(Direction::ToClient, from_server, to_client);
    if let Err(End::Stalled) = forward_messages(&mut up, &mut down).await {
        // Keeps both sockets open until the proxy aborts this task.
        pending::<()>().await;
    }
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
        let kind = self.state.lock().unwrap().pass(Message::new(self.direction, &bytes));
        let passed = match kind {
            None | Some(CutKind::After) => &bytes[..],
            Some(CutKind::Half) => &bytes[..bytes.len() / 2],
            Some(CutKind::Before | CutKind::Stall) => &[],
        };
        self.to.write_all(passed).await?;
        match kind {
            None => Ok(()),
            Some(CutKind::Stall) => Err(End::Stalled),
            Some(_) => Err(End::Closed),
        }
    }
}
