//! Tests of iterations over a list that changes between requests.

mod cursor;
mod model;
mod poller;
mod stream;
mod unreliable;
