//! A client that sends one request after another on one connection.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
};

use http_body_util::BodyExt;

use crate::{Operation, business};

/// A connection to a server whose service is that of [`service`](crate::service) for the same number of calls.
#[derive(Debug)]
pub struct Client {
    stream: BufReader<TcpStream>,
    token: String,
}

impl Client {
    /// Connects to a server, for requests with a token.
    #[must_use]
    pub fn connect(address: &str, token: &str) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_nodelay(true).unwrap();
        Self { stream: BufReader::new(stream), token: token.to_owned() }
    }

    /// Sends the first `count` requests of an operation, and checks the status of each response.
    pub fn send(&mut self, operation: &Operation, count: usize) {
        let business = business(count);
        for nth in 0..count {
            let (head, body) = operation.request(nth, &business, &self.token).into_parts();
            let body = futures_executor::block_on(body.collect()).unwrap().to_bytes();
            let authorization = head.headers["authorization"].to_str().unwrap();
            let request = format!(
                "{} {} HTTP/1.1\r\nhost: localhost\r\nauthorization: {authorization}\r\ncontent-length: {}\r\n\r\n",
                head.method,
                head.uri,
                body.len()
            );
            self.stream.get_mut().write_all(&[request.as_bytes(), &body].concat()).unwrap();
            assert_eq!(self.receive(), operation.status.as_str());
        }
    }

    /// Reads a response and returns its status.
    fn receive(&mut self) -> String {
        let (mut status, mut length) = (String::new(), 0);
        loop {
            let mut line = String::new();
            self.stream.read_line(&mut line).unwrap();
            match line.trim_end().split_once(' ') {
                Some(("HTTP/1.1", rest)) => rest[..3].clone_into(&mut status),
                Some(("content-length:", value)) => length = value.parse().unwrap(),
                Some(_) => {}
                None => break,
            }
        }
        self.stream.read_exact(&mut vec![0; length]).unwrap();
        status
    }
}
