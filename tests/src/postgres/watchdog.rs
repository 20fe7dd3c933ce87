//! What takes a server away when the test process ends, however it ends.
//!
//! A static is never dropped and a killed process drops nothing. But the kernel closes the pipes of both, and a shell
//! at the other end sees that.

use std::{
    io::Write,
    path::Path,
    process::{Child, Stdio},
};

use super::programs::Account;

/// Each line names the server's process, and an empty one says that there is none. After the last the server is
/// stopped as it is, and its folder removed.
///
/// A server that was killed leaves a segment of shared memory, which its lock file names on the seventh line.
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

/// A shell that waits for the end of this process.
#[derive(Debug)]
pub(super) struct Watchdog(Child);

impl Watchdog {
    /// Removes this folder at the end.
    pub(super) fn over(folder: &Path, account: Account) -> Self {
        let mut shell = account.command("sh");
        shell.args(["-c", SCRIPT, "watchdog"]).arg(folder);
        Self(shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
    }

    /// Names the process that is to end with this one.
    pub(super) fn watch(&mut self, server: Option<u32>) {
        let line = server.map_or_else(String::new, |id| id.to_string());
        writeln!(self.0.stdin.as_ref().unwrap(), "{line}").unwrap();
    }

    /// Ends what is watched now.
    pub(super) fn bite(&mut self) {
        drop(self.0.stdin.take());
        self.0.wait().unwrap();
    }
}
