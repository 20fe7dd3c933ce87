//! Tests of `data import-csv` and `data export-csv`.

mod columns;
mod export;
mod files;
mod import;
mod imports;
mod journal;
mod resume;

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use serde_json::Value;

use crate::process::{BINARY, BUSINESS, CLIENT, Database};

/// A store with the business to import into, and a folder for files.
struct Site {
    database: Database,
}

impl Site {
    /// Creates a store with the first business of the sample, without its leads.
    fn empty() -> Self {
        let database = Database::empty();
        let mut sample: Value = serde_json::from_str(leadapi_core::dataset::SAMPLE).unwrap();
        let businesses = sample["businesses"].as_array_mut().unwrap();
        businesses.truncate(1);
        businesses[0]["leads"] = Value::Array(Vec::new());
        let path = database.folder.path().join("businesses.json");
        fs::write(&path, sample.to_string()).unwrap();
        database.run(&["data", "import", path.to_str().unwrap()]);
        Self { database }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.database.folder.path().join(name)
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, content).unwrap();
        path
    }

    fn command(&self, command: &str, file: &Path, args: &[&str]) -> Command {
        let mut it = self.database.command(&["data", command, file.to_str().unwrap(), "--business", BUSINESS]);
        it.args(args);
        it
    }

    /// Imports a file into the first client account. Returns the exit code, the output and the error.
    fn import(&self, file: &Path, args: &[&str]) -> (i32, String, String) {
        output(self.command("import-csv", file, &["--client", CLIENT]).args(args))
    }

    fn export(&self, args: &[&str]) -> String {
        let (code, exported, error) = output(&mut self.command("export-csv", Path::new("-"), args));
        assert_eq!((code, &*error), (0, ""));
        exported
    }

    /// Returns the rows of these columns, sorted.
    fn rows(&self, columns: &str) -> Vec<String> {
        sorted(&self.export(&["--columns", columns, "--raw"]))
    }
}

/// Returns a command that calls a server.
fn remote(command: &str, file: &Path, url: &str, token: &str) -> Command {
    let mut it = Command::new(BINARY);
    it.args(["data", command, file.to_str().unwrap(), "--url", url]).env("LEADAPI_TOKEN", token);
    it
}

fn output(command: &mut Command) -> (i32, String, String) {
    let Output { status, stdout, stderr } = command.output().unwrap();
    (status.code().unwrap(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

/// Returns the lines after the first, sorted.
fn sorted(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = text.lines().skip(1).map(str::to_owned).collect();
    lines.sort();
    lines
}
