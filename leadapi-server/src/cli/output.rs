//! What commands print: lines and tables for people, JSON for scripts, and how far long work has come.

use std::{
    io::{self, Write},
    sync::mpsc,
    thread,
    time::Duration,
};

use clap::Args;
use comfy_table::{Table, presets};
use indicatif::{ProgressBar, ProgressStyle};
use leadapi_core::tokens::Minted;
use serde::Serialize;

use super::CommandError;

/// Whoever reads the output may have gone, which is no reason for a server to end.
pub(super) fn print_line(line: &str) {
    writeln!(io::stdout(), "{line}").unwrap_or_default();
}

/// Prints a last line, but does not wait for a reader that does not read.
pub(super) fn print_last_line(line: &str) {
    let line = line.to_owned();
    within_a_second(move || writeln!(io::stdout(), "{line}"));
}

/// Gives a write a second, after which it is left to itself. What it cannot write has no other way to be told.
pub(super) fn within_a_second(write: impl FnOnce() -> io::Result<()> + Send + 'static) {
    let (done, written) = mpsc::channel();
    thread::spawn(move || done.send(write()));
    drop(written.recv_timeout(Duration::from_secs(1)));
}

pub(super) fn print_minted(minted: &[Minted]) {
    for Minted { business, name, scopes, secret, .. } in minted {
        print_line(&format!("token {name:?} of {business:?} ({scopes}): {}", secret.expose()));
    }
}

/// For whom a command prints.
#[derive(Debug, Clone, Copy, Args)]
pub(super) struct Format {
    /// Print JSON, for scripts.
    #[arg(long)]
    json: bool,
}

impl Format {
    pub(super) const fn is_json(self) -> bool {
        self.json
    }

    /// Prints what has been done. That nobody can read it is a failure: it may be a secret that is shown this once.
    pub(super) fn say(self, value: &impl Serialize, text: impl FnOnce() -> String) -> Result<(), CommandError> {
        let line = if self.json { json(value)? } else { text() };
        writeln!(io::stdout(), "{line}").map_err(CommandError::Output)
    }

    /// Prints what there is: an array, or a table.
    pub(super) fn list<T: Serialize, const N: usize>(
        self,
        items: &[T],
        header: [&str; N],
        row: impl Fn(&T) -> [String; N],
    ) -> Result<(), CommandError> {
        self.say(&items, || table(header, items.iter().map(row)))
    }
}

/// A table for people.
pub(super) fn table<const N: usize>(header: [&str; N], rows: impl Iterator<Item = [String; N]>) -> String {
    let mut table = Table::new();
    table.load_style(presets::ASCII_BORDERS_ONLY_CONDENSED).set_header(header);
    table.add_rows(rows).trim_fmt()
}

fn json(value: &impl Serialize) -> Result<String, CommandError> {
    serde_json::to_string(value).map_err(|error| CommandError::Output(error.into()))
}

/// Shows on a terminal how far something has come, and nothing anywhere else.
pub(super) fn progress(what: &'static str, of: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{msg} {wide_bar} {human_pos} of {human_len}");
    let bar = ProgressBar::new(of).with_message(what);
    style.map_or_else(|_| bar.clone(), |style| bar.clone().with_style(style))
}
