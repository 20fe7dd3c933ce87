//! Tests of the API settings: sign-in, pages and forms over HTTP, and the commands that share their rules.

mod attacks;
mod offboarding;
mod sign_in;
mod tokens;

use std::{
    io::{Read, Write},
    net::TcpStream,
    process::Command,
};

use crate::process::{BINARY, BUSINESS, Database, ServerProcess};

const ADMIN: &str = "admin@harbour.example";
const OTHER_BUSINESS: &str = "019c672e-1800-70f7-b69d-80b43bb17e12";
const SAME_ORIGIN: &str = "sec-fetch-site: same-origin\r\n";

/// A server with the API settings, and a database that contains the sample.
struct Site {
    database: Database,
    server: ServerProcess,
    address: String,
}

impl Site {
    fn new(args: &[&str]) -> Self {
        let database = Database::of_the_sample();
        let server = ServerProcess::start(
            Command::new(BINARY)
                .args(["serve", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--store", &database.store])
                .args(args),
        );
        let address = server.listener("API settings").unwrap().to_owned();
        Self { database, server, address }
    }

    /// Sends a request with a form, and returns the response.
    fn send(&self, method: &str, path: &str, headers: &str, form: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let host = if headers.starts_with("host: ") { String::new() } else { format!("host: {}\r\n", self.address) };
        let request = format!(
            "{method} {path} HTTP/1.1\r\n{host}connection: close\r\n{headers}\
             content-type: application/x-www-form-urlencoded\r\ncontent-length: {}\r\n\r\n{form}",
            form.len()
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    fn link(&self, person: &str) -> String {
        let link = self.database.json(&["login-link", "--business", BUSINESS, "--as", person])["link"].clone();
        link.as_str().unwrap().rsplit('/').next().unwrap().to_owned()
    }

    fn use_link(&self, secret: &str) -> String {
        self.send("POST", "/sign-in", SAME_ORIGIN, &format!("secret={secret}"))
    }

    fn sign_in(&self, person: &str) -> Browser<'_> {
        let answer = self.use_link(&self.link(person));
        assert!(answer.starts_with("HTTP/1.1 303"), "{answer}");
        Browser { site: self, cookie: cookie(&answer) }
    }
}

fn cookie(answer: &str) -> String {
    let set = answer.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
    set.split(';').next().unwrap().to_owned()
}

/// The browser of a person with a session.
struct Browser<'s> {
    site: &'s Site,
    cookie: String,
}

impl Browser<'_> {
    fn get(&self, page: &str) -> String {
        self.site.send("GET", &path(page), &format!("cookie: {}\r\n", self.cookie), "")
    }

    fn post(&self, page: &str, form: &str) -> String {
        self.site.send("POST", &path(page), &format!("{SAME_ORIGIN}cookie: {}\r\n", self.cookie), form)
    }

    /// Submits the form for `page` that the page `on` contains.
    fn submit(&self, on: &str, page: &str, form: &str) -> String {
        let shown = self.get(on);
        let rendered = shown.split(&format!("action=\"{}\"", path(page))).nth(1).unwrap();
        let token = rendered.split("name=\"form_token\" value=\"").nth(1).unwrap().split('"').next().unwrap();
        self.post(page, &format!("{form}&form_token={token}"))
    }
}

fn path(page: &str) -> String {
    if page.starts_with('/') { page.to_owned() } else { format!("/b/{BUSINESS}/{page}") }
}

fn status(answer: &str) -> &str {
    &answer[9..12]
}
