//! A mutation test that removes one `business_id` condition from one SQL statement at a time. The differential test
//! must fail for each mutant.
//!
//! The test's executable contains the statements as text, so the tool copies the executable and replaces the statement
//! in the copy with one of the same length. Nothing is rebuilt, and the copy differs from the original only in this
//! condition. Run the tool as follows:
//!
//! ```text
//! cargo test -p leadapi-tests --test differential --no-run
//! cargo run -p leadapi-tests --example without_business -- target/debug/deps/differential-<hash> [NAME]…
//! ```
//!
//! If names are given, the tool mutates only the statements with those names. It prints a table of outcomes, and its
//! exit status is 1 if a mutant survived. A run takes minutes, so it is not part of the regular tests.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a failed unwrap ends the tool"
)]

use std::{
    env, fs,
    os::unix::fs::PermissionsExt,
    path::Path,
    process::{Command, ExitCode},
    time::Instant,
};

/// The timeout of a test in seconds. A mutant that makes the test hang counts as detected.
const LONGEST: &str = "240";

/// The tests in the order in which they run, until one fails.
const TESTS: [&str; 5] = [
    "keys::stores_agree_on_idempotency_keys_that_expire",
    "random::stores_agree_on_random_requests",
    "random::stores_agree_on_random_administration",
    "many::counts_of_thousands_of_leads_equal_a_full_scan",
    "lost::a_create_reports_its_true_outcome_whichever_message_is_lost",
];

const SOURCES: [&str; 3] = ["statement.rs", "admin/statement.rs", "postgres/statement.rs"];

/// An SQL statement, as it appears in the executable.
struct Statement {
    name: String,
    sql: String,
}

fn main() -> ExitCode {
    let mut arguments = env::args().skip(1);
    let executable = arguments.next().expect("the executable of the differential test");
    let names: Vec<String> = arguments.collect();
    let program = fs::read(&executable).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut survived = 0;
    for statement in statements().iter().filter(|statement| names.is_empty() || names.contains(&statement.name)) {
        for (nth, changed) in statement.without_business().into_iter().enumerate() {
            let began = Instant::now();
            let mutant = folder.path().join("mutant");
            let outcome = match replace(&program, statement.sql.as_bytes(), changed.as_bytes()) {
                None => "not in the executable".to_owned(),
                Some(program) => {
                    fs::write(&mutant, program).unwrap();
                    fs::set_permissions(&mutant, fs::Permissions::from_mode(0o700)).unwrap();
                    run(&mutant, &executable)
                }
            };
            survived += u8::from(!outcome.starts_with("red"));
            println!("{:<26} {}  {outcome:<60} {:>4} s", statement.name, nth + 1, began.elapsed().as_secs());
        }
    }
    if survived == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Returns all statements that have a condition on the business.
fn statements() -> Vec<Statement> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../leadapi-server/sql/src"));
    SOURCES.iter().flat_map(|source| constants(&fs::read_to_string(folder.join(source)).unwrap())).collect()
}

fn constants(source: &str) -> Vec<Statement> {
    let mut statements = Vec::new();
    for constant in source.split("const ").skip(1) {
        let Some((name, rest)) = constant.split_once(": &str") else { continue };
        let Some(text) = rest.split('"').nth(1) else { continue };
        let mut lines = text.split("\\\n");
        let first = lines.next().unwrap_or_default().to_owned();
        // As in Rust, a backslash at the end of a line joins the next line without its leading whitespace.
        let sql = lines.fold(first, |sql, line| sql + line.trim_start());
        if !conditions(&sql).is_empty() {
            statements.push(Statement { name: name.to_owned(), sql });
        }
    }
    statements
}

/// Returns the position and length of each `business_id = $n`, including a table name in front of it.
fn conditions(sql: &str) -> Vec<(usize, usize)> {
    const CONDITION: &str = "business_id = $";
    let places = sql.match_indices(CONDITION).map(|(at, _)| {
        let digits = sql[at + CONDITION.len()..].bytes().take_while(u8::is_ascii_digit).count();
        let from = sql[..at].rfind([' ', '(']).map_or(0, |before| before + 1);
        (from, at + CONDITION.len() + digits - from)
    });
    places.collect()
}

impl Statement {
    /// Returns the mutants of the statement. Each one replaces a condition with one that is always true and has the
    /// same length and parameter.
    fn without_business(&self) -> Vec<String> {
        let changed = conditions(&self.sql).into_iter().map(|(at, length)| {
            let condition = &self.sql[at..at + length];
            let parameter = condition.rsplit(' ').next().unwrap_or(condition);
            // The concatenation makes both databases infer the type `text` for the parameter.
            let always = format!("{parameter}||''={parameter}");
            format!("{}{always:<length$}{}", &self.sql[..at], &self.sql[at + length..])
        });
        changed.collect()
    }
}

/// Replaces every occurrence, because an executable may contain the same constant more than once. Returns `None` if
/// there are no occurrences.
fn replace(program: &[u8], from: &[u8], to: &[u8]) -> Option<Vec<u8>> {
    assert_eq!(from.len(), to.len(), "the replacement must have the same length");
    let mut changed = program.to_vec();
    let mut at = 0;
    let mut found = false;
    while let Some(next) = changed[at..].windows(from.len()).position(|window| window == from) {
        at += next;
        changed[at..at + to.len()].copy_from_slice(to);
        found = true;
    }
    found.then_some(changed)
}

/// Runs the tests until one fails. Returns the name of the failed test, and the store that its output names, if any.
fn run(mutant: &Path, executable: &str) -> String {
    for test in TESTS {
        let ran = Command::new("timeout")
            .args([LONGEST.as_ref(), mutant.as_os_str(), test.as_ref(), "--exact".as_ref()])
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .env("LD_LIBRARY_PATH", Path::new(executable).parent().unwrap())
            .env("LEADAPI_DIFFERENTIAL_STEPS", "0")
            .env("RUST_BACKTRACE", "0")
            .output()
            .unwrap();
        let output = String::from_utf8_lossy(&ran.stdout).into_owned() + &String::from_utf8_lossy(&ran.stderr);
        if !ran.status.success() {
            let store = ["Sqlite", "Postgres"].into_iter().find(|store| output.contains(store));
            let failed = output.contains(&format!("test {test} ... FAILED"));
            // `timeout` exits with status 124 if it killed the test.
            let how = match ran.status.code() {
                Some(124) => "red (hangs)",
                _ if failed => "red",
                _ => "broken",
            };
            return format!("{how} {test} {}", store.unwrap_or_default());
        }
        assert!(output.contains(" 1 passed;"), "{test} is not a test: {output}");
    }
    "GREEN".to_owned()
}
