//! A server for a given number of calls to one operation, for example `served 1000`. Prints its address and a token, and
//! stops at the end of the standard input.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a failed unwrap fails the measurement")]

use std::env;

use leadapi_server::Server;
use tokio::io::{AsyncReadExt, stdin};

fn main() {
    let (service, token) = leadapi_cost::service(env::args().nth(1).unwrap().parse().unwrap());
    // On one thread, the number of system calls is the same in each run.
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
        let server = Server::bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
        println!("{} {token}", server.local_addr());
        server.serve(service, async { drop(stdin().read_u8().await) }).await;
    });
}
