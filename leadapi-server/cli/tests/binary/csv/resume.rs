//! Tests that kill imports and repeat them.

use std::{
    fs,
    io::Read,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use super::{Site, remote};
use crate::process::{BINARY, CLIENT, ServerProcess, wait_until};

const ROWS: usize = 400;

/// The number of journal lines between two kills.
const STEP: usize = 90;

/// Runs an import until it succeeds, and returns the number of kills. Kills each run after it has written some lines to
/// the journal.
fn import_with_kills(journal: &Path, keeps_journal: bool, mut command: impl FnMut() -> Command) -> usize {
    let lines = || fs::read_to_string(journal).map_or(0, |text| text.lines().count());
    let mut kills = 0;
    loop {
        // Without a journal, each run begins with the first row.
        let until = if keeps_journal { lines() + STEP } else { (kills + 1) * STEP };
        let mut run = Run(command().stdout(Stdio::null()).spawn().unwrap());
        let mut status = None;
        wait_until("the import has written some lines", || {
            status = run.0.try_wait().unwrap();
            status.is_some() || lines() >= until
        });
        if let Some(status) = status {
            assert!(status.success(), "{status}");
            return kills;
        }
        drop(run);
        kills += 1;
        if !keeps_journal {
            fs::remove_file(journal).unwrap();
        }
        assert!(kills < 100, "the import makes no progress");
    }
}

struct Run(Child);

impl Drop for Run {
    /// Sends SIGKILL. Ignores the error if the command has already exited.
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

/// Starts a server that does not limit the import.
fn serve(site: &Site) -> ServerProcess {
    let mut serve = Command::new(BINARY);
    serve.args(["serve", "--listen", "127.0.0.1:0", "--store", &site.database.store, "--writes-per-minute", "1000000"]);
    ServerProcess::start(&mut serve)
}

fn file(site: &Site) -> (PathBuf, Vec<String>) {
    // Each row occurs twice.
    let names: Vec<String> = (0..ROWS).map(|row| format!("lead {:03}", row / 2)).collect();
    (site.write("leads.csv", format!("name\n{}\n", names.join("\n"))), names)
}

#[test]
fn each_row_creates_one_lead_when_imports_into_a_server_are_killed() {
    let site = Site::empty();
    let token = site.database.token();
    let server = serve(&site);
    let url = format!("http://{}/v1", server.address);
    let (file, names) = file(&site);
    let mut expected = Vec::new();
    for keeps_journal in [true, false] {
        let name = keeps_journal.to_string();
        let kills = import_with_kills(&site.path("leads.csv.journal"), keeps_journal, || {
            let mut import = remote("import-csv", &file, &url, &token);
            import.args(["--client", CLIENT, "--writes-per-minute", "0", "--name", &name]);
            import
        });
        assert!(kills >= 3, "the import was killed {kills} times");
        expected.extend(names.clone());
        expected.sort();
        assert_eq!(site.rows("name"), expected);
    }
    drop(server);
}

#[test]
fn each_row_creates_one_lead_when_imports_into_a_store_are_killed() {
    let site = Site::empty();
    let (file, names) = file(&site);
    let kills = import_with_kills(&site.path("leads.csv.journal"), true, || {
        site.command("import-csv", &file, &["--client", CLIENT])
    });
    assert!(kills >= 3, "the import was killed {kills} times");
    assert_eq!(site.rows("name"), names);
}

#[test]
fn a_file_that_is_truncated_during_an_import_makes_it_fail() {
    let site = Site::empty();
    let token = site.database.token();
    let server = serve(&site);
    let text = (0..3_000).fold("name\n".to_owned(), |text, row| text + &format!("lead {row:04}\n"));
    let (path, url) = (site.write("leads.csv", &text), format!("http://{}/v1", server.address));
    // While the server is stopped, the import waits for it and reads no more of the file.
    server.signal("STOP");
    let mut import = remote("import-csv", &path, &url, &token);
    import.args(["--client", CLIENT, "--writes-per-minute", "0"]).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut import = Run(import.spawn().unwrap());
    let journal = site.path("leads.csv.journal");
    wait_until("the import has opened the file", || {
        fs::read_to_string(&journal).is_ok_and(|text| text.lines().count() > 1)
    });
    // Truncates the file in the middle of a row.
    let cut = u64::try_from(text.len()).unwrap() - 10_003;
    fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(cut).unwrap();
    server.signal("CONT");
    let mut error = String::new();
    import.0.stderr.take().unwrap().read_to_string(&mut error).unwrap();
    assert_eq!(import.0.wait().unwrap().code(), Some(1), "{error}");
    assert!(error.contains("the file changed while it was read"), "{error}");
    assert!(!site.rows("name").iter().any(|name| name.len() < "lead 0000".len()));
}
