//! The HTTP listener, from its socket to the service, and its graceful shutdown.

mod accept;
mod address;
mod answer;
mod close;
mod connection;
mod descriptors;
mod limits;
mod server;
mod stage;
mod tls;
mod unread;

pub(crate) use self::{
    accept::Listener,
    answer::Answer,
    connection::{Timely, Wait},
    stage::{Life, Stage},
};
pub use self::{
    limits::HttpLimits,
    server::{Ended, Server},
    tls::{TlsError, TlsFiles},
};
