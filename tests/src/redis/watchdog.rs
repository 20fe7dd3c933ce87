//! Removes a server when the test process exits, however it exits.

use std::{
    io::Write,
    os::unix::process::CommandExt,
    path::Path,
    process::{Child, Command, Stdio},
};

/// Each input line is the process id of the server; an empty line means that there is none. At the end of the input,
/// the script kills the server and removes its directory.
const SCRIPT: &str = r#"
trap '' HUP INT TERM
server=
while read -r line; do server=$line; done
if [ -n "$server" ]; then kill -s KILL "$server"; fi
tries=0
until rm -rf "$1" || [ $tries -eq 100 ]; do sleep 0.05; tries=$((tries + 1)); done
"#;

/// A shell that waits until this process exits.
#[derive(Debug)]
pub(super) struct Watchdog(Child);

impl Watchdog {
    pub(super) fn over(folder: &Path) -> Self {
        let mut shell = Command::new("sh");
        shell.args(["-c", SCRIPT, "watchdog"]).arg(folder).process_group(0).current_dir("/");
        Self(shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
    }

    /// Sets the process that the watchdog kills when this process exits.
    pub(super) fn watch(&mut self, server: Option<u32>) {
        let line = server.map_or_else(String::new, |id| id.to_string());
        writeln!(self.0.stdin.as_ref().unwrap(), "{line}").unwrap();
    }

    /// Kills the watched server now, and removes its directory.
    pub(super) fn kill(&mut self) {
        drop(self.0.stdin.take());
        self.0.wait().unwrap();
    }
}
