//! Cleans up when the test process exits, even if it is killed.
//!
//! Rust never drops a static, and a killed process drops nothing. However, the kernel always closes the process's end
//! of a pipe, and a shell at the other end notices.

use std::{
    ffi::OsStr,
    io::{self, Write},
    os::unix::process::CommandExt,
    process::{Child, Command, Stdio},
};

/// A shell that runs a cleanup script. The script acts when its input ends.
#[derive(Debug)]
pub(crate) struct Watchdog(Child);

impl Watchdog {
    /// Starts a script. `shell` is a command that runs `sh`.
    pub(crate) fn start(mut shell: Command, script: &str, arguments: &[&OsStr]) -> io::Result<Self> {
        shell.args(["-c", script, "watchdog"]).args(arguments).process_group(0).current_dir("/");
        shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().map(Self)
    }

    /// Sends the script the id of the process to end, or an empty line if there is no process.
    pub(crate) fn watch(&mut self, process: Option<u32>) {
        let line = process.map_or_else(String::new, |id| id.to_string());
        writeln!(self.0.stdin.as_ref().unwrap(), "{line}").unwrap();
    }

    /// Runs the cleanup now.
    pub(crate) fn clean_up(&mut self) {
        drop(self.0.stdin.take());
        self.0.wait().unwrap();
    }
}
