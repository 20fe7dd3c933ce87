//! Finds processes on this machine and sends them signals.

use std::{fs, path::Path, process::Command};

/// Sends a signal to processes, and ignores those that have already exited.
pub fn signal(signal: &str, processes: &[u32]) {
    // Uses the shell's `kill` builtin, because some machines have no `kill` program.
    let mut shell = Command::new("sh");
    shell.args(["-c", r#"for process do kill -s "$0" "$process" 2>/dev/null; done; true"#, signal]);
    assert!(shell.args(processes.iter().map(u32::to_string)).status().unwrap().success());
}

/// Returns the ids of a process's running children.
pub fn children(parent: u32) -> Vec<u32> {
    running().into_iter().filter(|process| process.parent == parent).map(|process| process.id).collect()
}

/// Returns whether any of these processes is still running. A zombie counts as exited.
pub fn any_runs(ids: &[u32]) -> bool {
    running().iter().any(|process| ids.contains(&process.id))
}

struct Process {
    id: u32,
    parent: u32,
}

fn running() -> Vec<Process> {
    if Path::new("/proc/self/stat").exists() { from_proc() } else { from_ps() }
}

fn from_proc() -> Vec<Process> {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    // A process may exit between the listing and the read.
    let stats = entries.filter_map(|entry| fs::read_to_string(entry.path().join("stat")).ok());
    stats.filter_map(|stat| parse(&stat)).collect()
}

/// Parses a line such as `42 (a name) S 1 …`. The name may contain any character, including spaces and parentheses.
/// Returns `None` for a process that has exited.
fn parse(stat: &str) -> Option<Process> {
    let (front, rest) = stat.rsplit_once(") ")?;
    let mut rest = rest.split(' ');
    let ended = rest.next()?.starts_with(['Z', 'X']);
    let parent = rest.next()?.parse().ok()?;
    let id = front.split(' ').next()?.parse().ok()?;
    (!ended).then_some(Process { id, parent })
}

fn from_ps() -> Vec<Process> {
    let output = Command::new("ps").args(["-A", "-o", "pid=", "-o", "ppid=", "-o", "stat="]).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let lines = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let running = lines.filter(|fields| fields.len() == 3 && !fields[2].starts_with('Z'));
    running.map(|fields| Process { id: fields[0].parse().unwrap(), parent: fields[1].parse().unwrap() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wait_until;

    #[test]
    fn a_process_name_may_contain_any_character() {
        let process = parse("42 (a) b (c) S 7 42 42").unwrap();
        assert_eq!((process.id, process.parent), (42, 7));
        assert!(parse("42 (ended) Z 7 42 42").is_none());
    }

    #[test]
    fn a_child_is_listed_until_it_is_killed() {
        let mut child = Command::new("sleep").arg("60").spawn().unwrap();
        assert!(children(std::process::id()).contains(&child.id()));
        signal("KILL", &[child.id()]);
        wait_until("its end", || !any_runs(&[child.id()]));
        child.wait().unwrap();
    }
}
