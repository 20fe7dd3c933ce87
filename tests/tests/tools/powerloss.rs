//! Checks that a simulated power loss destroys all data that was not synced, and nothing else.

use std::{
    collections::BTreeSet,
    fs::{self, File},
    io::{self, BufRead, BufReader, Lines, Read, Write},
    path::Path,
    process::{Child, ChildStdout},
};

use leadapi_tests::powerloss::PowerLoss;
use rusqlite::Connection;
use tempfile::TempDir;

use crate::child;

/// Runs a test again as a child process on a disk that can lose power.
fn start(kit: &PowerLoss, test: &str, role: &str) -> (Child, Lines<BufReader<ChildStdout>>) {
    let mut command = child::run(test, role);
    kit.command(&mut command);
    let mut child = command.spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    (child, lines)
}

#[test]
fn only_synced_data_survives() {
    if let Some(disk) = child::role() {
        write_files(Path::new(&disk)).unwrap();
        println!("\nwritten");
        // Keeps the child process alive until the parent kills it or closes the pipe.
        io::stdin().read_to_end(&mut Vec::new()).unwrap();
        return;
    }
    let disk = tempfile::tempdir().unwrap();
    for name in ["old", "overwritten", "removed", "renamed", "shortened", "replaced"] {
        fs::write(disk.path().join(name), "before").unwrap();
    }
    fs::write(disk.path().join("large"), vec![1; 10_000]).unwrap();
    let kit = PowerLoss::new(disk.path());
    let role = disk.path().to_str().unwrap();
    let (mut child, mut lines) = start(&kit, "powerloss::only_synced_data_survives", role);
    lines.find(|line| line.as_ref().unwrap() == "written").unwrap().unwrap();
    let found = kit.cut(&mut child);

    let names = fs::read_dir(found.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let expected = ["large", "named", "old", "overwritten", "removed", "renamed", "replaced", "shortened", "synced"];
    assert_eq!(names.collect::<BTreeSet<_>>(), expected.map(String::from).into());
    let text = |name| fs::read_to_string(found.path().join(name)).unwrap();
    assert_eq!(text("old"), "before");
    assert_eq!(text("overwritten"), "before", "not synced");
    assert_eq!(text("removed"), "before", "the folder has not been synced since");
    assert_eq!(text("renamed"), "before", "the folder has not been synced since");
    assert_eq!(text("replaced"), "after", "the file and, after the rename, the folder were synced");
    assert_eq!(text("shortened"), "be\0\0", "truncated to two bytes and then extended again");
    assert_eq!(text("named"), "", "a name without content");
    assert_eq!(text("synced"), "after");
    let large = fs::read(found.path().join("large")).unwrap();
    assert_eq!(
        (large[0], large[4096], large[9000], large.len()),
        (1, 2, 1, 10_000),
        "only the second page was synced again"
    );
}

fn write_files(disk: &Path) -> io::Result<()> {
    let at = |name: &str| disk.join(name);
    let folder = File::open(disk)?;

    fs::write(at("temporary"), "after")?;
    File::open(at("temporary"))?.sync_all()?;
    fs::rename(at("temporary"), at("replaced"))?;
    fs::write(at("named"), "after")?;
    fs::write(at("synced"), "after")?;
    File::options().append(true).open(at("synced"))?.sync_data()?;
    folder.sync_all()?;

    let shortened = File::options().write(true).open(at("shortened"))?;
    shortened.sync_all()?;
    shortened.set_len(2)?;
    shortened.set_len(4)?;
    shortened.sync_all()?;

    let mut large = File::options().read(true).write(true).open(at("large"))?;
    large.sync_all()?;
    write_page(&large, 1)?;
    large.sync_all()?;
    write_page(&large, 2)?;
    large.write_all(b"not synced")?;

    fs::write(at("overwritten"), "after")?;
    fs::write(at("unnamed"), "after")?;
    File::open(at("unnamed"))?.sync_all()?;
    fs::remove_file(at("removed"))?;
    fs::rename(at("renamed"), at("moved"))
}

fn write_page(file: &File, page: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, &[2; 1000], page * 4096)
}

/// The simulation must match the guarantees of SQLite's `synchronous` modes. Otherwise, it could not test a store that
/// relies on them.
#[test]
fn sqlite_keeps_the_guarantees_of_its_synchronous_modes() {
    if let Some(role) = child::role() {
        let [synchronous, first, disk] = role.split(' ').collect::<Vec<_>>()[..] else { panic!("{role}") };
        write_rows(Path::new(disk), synchronous, first.parse().unwrap()).unwrap();
    }
    let losses = [("FULL", 60), ("NORMAL", 10), ("OFF", 5)].map(|(mode, cycles)| cycles_with_a_loss(mode, cycles));
    println!("cycles with a loss: {losses:?} of 60, 10 and 5");
    assert_eq!(losses[0], 0);
    assert!(losses[1] > 0 && losses[2] > 0);
}

/// Inserts rows in sequence, and prints each row's number once its insert has returned.
fn write_rows(disk: &Path, synchronous: &str, first: i64) -> rusqlite::Result<()> {
    let db = Connection::open(disk.join("db"))?;
    db.pragma_update(None, "synchronous", synchronous)?;
    db.query_one("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
    // Checkpoints about every twenty pages, so that many power losses interrupt a checkpoint.
    db.query_one("PRAGMA wal_autocheckpoint = 20", [], |_| Ok(()))?;
    db.execute_batch("CREATE TABLE IF NOT EXISTS t (n INTEGER PRIMARY KEY, filling BLOB)")?;
    let mut output = io::stdout();
    for n in first.. {
        db.execute("INSERT INTO t VALUES (?1, zeroblob(?1 % 3000))", [n])?;
        output.write_all(format!("\nrow {n}").as_bytes()).unwrap();
        output.flush().unwrap();
    }
    Ok(())
}

/// Repeatedly cuts a writer's power on the same disk, and returns the number of cycles that lost a row.
fn cycles_with_a_loss(synchronous: &str, cycles: u32) -> u32 {
    let mut disk = tempfile::tempdir().unwrap();
    let mut acknowledged = BTreeSet::new();
    let mut losses = 0;
    for cycle in 0..cycles {
        let (found, acknowledged_now) = one_cycle(&disk, synchronous, i64::from(cycle) * 1_000_000);
        assert!(!acknowledged_now.is_empty());
        acknowledged.extend(acknowledged_now);
        let rows = rows(found.path());
        let lost = acknowledged.difference(&rows).count();
        losses += u32::from(lost > 0);
        // A lost row must not count again in the next cycle.
        acknowledged = rows;
        disk = found;
    }
    losses
}

fn one_cycle(disk: &TempDir, synchronous: &str, first: i64) -> (TempDir, Vec<i64>) {
    let kit = PowerLoss::new(disk.path());
    let role = format!("{synchronous} {first} {}", disk.path().display());
    let (mut child, lines) = start(&kit, "powerloss::sqlite_keeps_the_guarantees_of_its_synchronous_modes", &role);
    let mut numbers = lines.map_while(Result::ok).filter_map(|line| line.strip_prefix("row ")?.parse().ok());
    // The writer continues while the test reads these rows, so the power is cut at a random time.
    let mut acknowledged: Vec<i64> = numbers.by_ref().take(random(200) + 1).collect();
    let found = kit.cut(&mut child);
    acknowledged.extend(numbers);
    (found, acknowledged)
}

/// Checks the database's integrity and returns its rows. Returns an empty set if the table never became durable.
fn rows(disk: &Path) -> BTreeSet<i64> {
    let db = Connection::open(disk.join("db")).unwrap();
    let state: String = db.query_one("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(state, "ok");
    let Ok(mut query) = db.prepare("SELECT n FROM t") else { return BTreeSet::new() };
    query.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

fn random(below: u64) -> usize {
    use std::hash::{BuildHasher, RandomState};
    usize::try_from(RandomState::new().hash_one(0) % below).unwrap()
}
