//! Removes a server when the test process exits, however it exits.
//!
//! Rust never drops a static, and a killed process drops nothing. But the kernel always closes the process's end of a
//! pipe, and a shell at the other end notices.

use std::{
    io::Write,
    path::Path,
    process::{Child, Stdio},
};

use super::programs::Account;

/// The watchdog's shell script. Each input line contains the process id of the server; an empty line means that there
/// is none. At the end of the input, the script shuts the server down immediately (SIGQUIT) and removes its directory.
///
/// A killed server leaves a shared memory segment behind. The seventh line of its lock file contains the segment's id.
const SCRIPT: &str = r#"
trap '' HUP INT TERM
server=
while read -r line; do server=$line; done
lock=$1/data/postmaster.pid
if [ -n "$server" ]; then
    kill -s QUIT "$server"
    kill -s CONT "$server"
    tries=0
    while [ -e "$lock" ] && [ $tries -lt 200 ]; do sleep 0.05; tries=$((tries + 1)); done
    kill -s KILL "$server"
fi
if [ -e "$lock" ]; then ipcrm -m "$(sed -n '7s/.* //p' "$lock")"; fi
tries=0
until rm -rf "$1" || [ $tries -eq 100 ]; do sleep 0.05; tries=$((tries + 1)); done
"#;

/// A shell that waits until this process exits.
#[derive(Debug)]
pub(super) struct Watchdog(Child);

impl Watchdog {
    /// Starts a watchdog that removes this directory when the test process exits.
    pub(super) fn over(folder: &Path, account: Account) -> Self {
        let mut shell = account.command("sh");
        shell.args(["-c", SCRIPT, "watchdog"]).arg(folder);
        Self(shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
    }

    /// Sets the server process that the watchdog shuts down when this process exits.
    pub(super) fn watch(&mut self, server: Option<u32>) {
        let line = server.map_or_else(String::new, |id| id.to_string());
        writeln!(self.0.stdin.as_ref().unwrap(), "{line}").unwrap();
    }

    /// Shuts the watched server down now and removes its directory.
    pub(super) fn kill(&mut self) {
        drop(self.0.stdin.take());
        self.0.wait().unwrap();
    }
}
