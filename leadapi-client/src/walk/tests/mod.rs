//! Walks through a list that changes between any two requests.

mod course;
mod model;
mod stream;
