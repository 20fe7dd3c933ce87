//! Walks through a list that changes between requests.

mod course;
mod line;
mod model;
mod poller;
mod stream;
