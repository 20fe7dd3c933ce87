//! Walks through a list that changes between any two requests.

mod course;
mod line;
mod model;
mod poller;
mod stream;
