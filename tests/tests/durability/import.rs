//! Tests imports of a CSV file that are killed, or whose store is restored while they run.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
};

use leadapi_core::dataset::Dataset;
use leadapi_sql::SqlStore;
use leadapi_tests::{one_business, scale, wait_until};
use tempfile::TempDir;

use crate::callers::random_below;

/// The default number of kills. `LEADAPI_TEST_IMPORT_KILLS` overrides it.
const KILLS: usize = 6;
/// The default number of restores. `LEADAPI_TEST_RESTORES` overrides it.
const RESTORES: usize = 6;
/// The number of rows in a file whose import is killed.
const ROWS: usize = 300;
/// The number of rows in a file whose import runs during a restore. There are enough rows that the import does not end
/// before the restore begins.
const MANY_ROWS: usize = 3_000;

/// A store with one business, a backup of it, and a file to import.
struct Site {
    folder: TempDir,
    names: Vec<String>,
}

impl Site {
    /// Creates a file in which each name occurs twice.
    async fn new(rows: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let names: Vec<String> = (0..rows).map(|row| format!("lead {:04}", row / 2)).collect();
        fs::write(folder.path().join("leads.csv"), format!("name\n{}\n", names.join("\n"))).unwrap();
        let site = Self { folder, names };
        let store = site.open(&site.path("leads.db")).await;
        let data = fs::read_to_string(one_business(&[]).path()).unwrap();
        store.import(Dataset::parse(&data).unwrap(), |_| {}).await.unwrap();
        drop(store);
        assert!(site.command(&["data", "backup"]).arg(site.path("backup.db")).status().unwrap().success());
        site
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    async fn open(&self, path: &Path) -> SqlStore {
        SqlStore::open(&format!("sqlite:{}", path.display()).parse().unwrap()).await.unwrap()
    }

    /// Returns a command of the server that works on the store.
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_server"));
        command.args(arguments).arg("--store").arg(format!("sqlite:{}", self.path("leads.db").display()));
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// Starts an import, and waits until it has written a random number of lines to its journal or has ended.
    fn start_import(&self) -> Import {
        let mut command = self.command(&["data", "import-csv"]);
        command.arg(self.path("leads.csv")).args(["--business", "b1", "--client", "c1"]);
        let report = File::create(self.path("report")).unwrap();
        let mut import = Import(command.stdout(report).spawn().unwrap());
        let lines = || fs::read_to_string(self.path("leads.csv.journal")).map_or(0, |text| text.lines().count());
        let until = lines() + random_below(ROWS);
        wait_until("the import has written some lines", || import.status().is_some() || lines() >= until);
        import
    }

    /// Returns whether the import has printed its report. The import closes the store after that.
    fn has_report(&self) -> bool {
        self.path("report").metadata().unwrap().len() > 0
    }

    /// Returns the names of the leads in a store, in order.
    async fn names_in(&self, path: &Path) -> Vec<String> {
        let (sender, exported) = std::sync::mpsc::channel();
        let store = self.open(path).await;
        store.export(move |business| Ok(sender.send(business)?)).await.unwrap();
        let mut names: Vec<String> =
            exported.iter().flat_map(|business| business.leads).map(|lead| lead.name.clone()).collect();
        names.sort();
        names
    }
}

/// A running import, which is killed when this value is dropped.
struct Import(Child);

impl Import {
    fn status(&mut self) -> Option<ExitStatus> {
        self.0.try_wait().unwrap()
    }
}

impl Drop for Import {
    fn drop(&mut self) {
        self.0.kill().unwrap_or_default();
        self.0.wait().unwrap();
    }
}

#[tokio::test]
async fn each_row_of_a_killed_import_creates_one_lead() {
    let kills = scale::from_env("LEADAPI_TEST_IMPORT_KILLS", KILLS);
    let (mut killed, mut files) = (0, 0);
    while killed < kills {
        let site = Site::new(ROWS).await;
        loop {
            let mut import = site.start_import();
            if let Some(status) = import.status() {
                assert!(status.success(), "{status}");
                break;
            }
            drop(import);
            killed += 1;
        }
        assert_eq!(site.names_in(&site.path("leads.db")).await, site.names);
        files += 1;
    }
    scale::print_figures(format!(
        "{killed} kills during the imports of {files} files with {ROWS} rows: each row created exactly one lead"
    ));
}

/// If a restore runs while an import has the store open, either the restore is refused, or the import fails. If an
/// import reports success, no restore has therefore replaced the store before the report.
#[tokio::test]
async fn a_restore_never_discards_what_a_running_import_reports() {
    let restores = scale::from_env("LEADAPI_TEST_RESTORES", RESTORES);
    let (mut refused, mut failed) = (0, 0);
    for _ in 0..restores {
        let site = Site::new(MANY_ROWS).await;
        let mut import = site.start_import();
        let restore = site.command(&["data", "restore"]).arg(site.path("backup.db")).arg("--force").status().unwrap();
        let was_complete = site.has_report();
        let import = import.0.wait().unwrap();
        if !restore.success() {
            refused += 1;
            assert!(import.success(), "the restore was refused, but the import failed: {import}");
            assert_eq!(site.names_in(&site.path("leads.db")).await, site.names);
        } else if was_complete {
            assert!(import.success(), "{import}");
            assert_eq!(site.names_in(&site.path("leads.db")).await, Vec::<String>::new());
        } else {
            failed += 1;
            assert!(!import.success(), "the store was replaced, but the import reports success");
        }
    }
    assert!(refused + failed > 0, "no import was running");
    scale::print_figures(format!(
        "{restores} restores next to imports of {MANY_ROWS} rows: {refused} refused, {failed} ended the import with an error; \
         nothing was lost that an import reported as created"
    ));
}
