//! Names the process that holds a lock, for error messages.

use std::fs;

use crate::file::Inode;

/// The number of words of a command line that are shown. These words name the command, and never contain a value.
const MAX_WORDS: usize = 2;

/// Describes a process that holds a lock (`flock`) on a file, such as `process 17 (sqlite3)`. Systems other than Linux do
/// not show the process, and neither do containers.
pub(crate) fn describe((_, inode): Inode) -> String {
    let locks = fs::read_to_string("/proc/locks").unwrap_or_default();
    let own = std::process::id();
    let holder = locks.lines().filter_map(|line| parse(line, inode)).find(|process| *process != own);
    match holder {
        Some(process) => format!("process {process}{}", command(process)),
        None => "another process".to_owned(),
    }
}

/// Returns the process of a line such as `1: FLOCK  ADVISORY  READ 4242 fd:00:131090 0 EOF`. The device is not compared,
/// because some file systems have different numbers for it. A process in another container has the number 0 or -1.
fn parse(line: &str, inode: u64) -> Option<u32> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [_, "FLOCK", _, _, process, file, ..] = *words.as_slice() else { return None };
    let found: u64 = file.rsplit(':').next()?.parse().ok()?;
    process.parse().ok().filter(|process| *process != 0 && found == inode)
}

fn command(process: u32) -> String {
    let line = fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
    let mut words = line.split(|byte| *byte == 0).map(String::from_utf8_lossy);
    let Some(program) = words.next().filter(|program| !program.is_empty()) else { return String::new() };
    let program = program.rsplit('/').next().unwrap_or_default().to_owned();
    let is_command = |word: &str| {
        word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-') && word.starts_with(char::is_alphabetic)
    };
    let command = words.take(MAX_WORDS).take_while(|word| is_command(word)).map(|word| format!(" {word}"));
    format!(" ({program}{})", command.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_process_of_a_lock_is_found_by_the_inode() {
        assert_eq!(parse("1: FLOCK  ADVISORY  READ  4242 fd:00:131090 0 EOF", 131_090), Some(4242));
        for other in [
            "1: FLOCK  ADVISORY  READ  4242 fd:00:131091 0 EOF",
            "1: POSIX  ADVISORY  READ  4242 fd:00:131090 128 128",
            "1: FLOCK  ADVISORY  READ  0 fd:00:131090 0 EOF",
            "1: -> FLOCK  ADVISORY  READ  4242 fd:00:131090 0 EOF",
            "",
        ] {
            assert_eq!(parse(other, 131_090), None, "{other}");
        }
    }
}
