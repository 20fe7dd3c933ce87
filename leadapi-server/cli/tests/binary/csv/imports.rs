//! Imports the files in `tests/data/imports`, which have the columns and the peculiarities of real exports.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Stdio,
};

use serde::Deserialize;

use super::output;
use crate::process::Database;

/// What a file contains, in the file `NAME.json` next to it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    /// The name of the file to import.
    file: String,
    /// The options of the command.
    #[serde(default)]
    args: Vec<String>,
    /// Whether the command reads the file from standard input.
    #[serde(default)]
    stdin: bool,
    #[serde(default)]
    exit_code: i32,
    /// Lines of the report.
    #[serde(default)]
    report: Vec<String>,
    /// Parts of the error.
    #[serde(default)]
    errors: Vec<String>,
    /// The fields of the leads that are not empty, except their ids. The pipeline and the stage are listed only if they
    /// are not the first ones.
    #[serde(default)]
    leads: Vec<BTreeMap<String, String>>,
}

type Lead = BTreeMap<String, String>;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/imports")
}

/// Returns the expectations, each with the name of its file.
fn cases() -> BTreeMap<String, Expected> {
    let files = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let files = files.filter(|path| path.extension().is_some_and(|extension| extension == "json"));
    files
        .map(|path| {
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            let text = fs::read_to_string(&path).unwrap();
            (name, serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
        })
        .collect()
}

/// Creates a store with one client account per case, and some for the files that name their own.
fn store(cases: &BTreeMap<String, Expected>) -> Database {
    const CREATED_AT: &str = "2026-01-12T09:00:00Z";
    let named = |id: &str, name: &str| serde_json::json!({"id": id, "name": name, "created_at": CREATED_AT});
    let mut clients: Vec<_> = cases.keys().map(|case| named(case, case)).collect();
    clients.extend([named("casa-verde", "Casa Verde"), named("twin-1", "Twin"), named("twin-2", "Twin")]);
    let pipeline = |id: &str, name: &str, stages: &[&str]| {
        let stages: Vec<_> = stages
            .iter()
            .zip(1..)
            .map(|(stage, position)| {
                let id = format!("{id}-{}", stage.to_lowercase());
                serde_json::json!({"id": id, "name": stage, "position": position})
            })
            .collect();
        serde_json::json!({"id": id, "name": name, "created_at": CREATED_AT, "stages": stages})
    };
    let data = serde_json::json!({"businesses": [{
        "id": "sol", "name": "Sol", "created_at": CREATED_AT, "clients": clients,
        "pipelines": [pipeline("sales", "Sales", &["New", "Won", "Lost"]), pipeline("rent", "Rentals", &["Open", "Lost"])],
    }]});
    let database = Database::empty();
    let path = database.folder.path().join("businesses.json");
    fs::write(&path, data.to_string()).unwrap();
    database.run(&["data", "import", path.to_str().unwrap()]);
    database
}

/// Returns the leads of each client account, without the fields that are empty or the same for every lead.
fn leads(database: &Database) -> BTreeMap<String, Vec<Lead>> {
    let text = database.run(&["data", "export-csv", "-", "--business", "sol", "--raw"]);
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let mut leads: BTreeMap<String, Vec<Lead>> = BTreeMap::new();
    for lead in reader.deserialize::<Lead>() {
        let mut lead = lead.unwrap();
        lead.retain(|field, text| !text.is_empty() && !["id", "created_at"].contains(&field.as_str()));
        for (field, first) in [("pipeline_id", "sales"), ("stage_id", "sales-new")] {
            if lead.get(field).is_some_and(|text| text == first) {
                lead.remove(field);
            }
        }
        leads.entry(lead.remove("client_id").unwrap()).or_default().push(lead);
    }
    for leads in leads.values_mut() {
        leads.sort();
    }
    leads
}

#[test]
fn files_of_other_products_are_imported_as_expected() {
    let cases = cases();
    assert!(cases.len() >= CASES, "only {} cases", cases.len());
    let database = store(&cases);
    let mut expected: BTreeMap<String, Vec<Lead>> = BTreeMap::new();
    for (name, case) in &cases {
        let path = database.folder.path().join(&case.file);
        fs::copy(folder().join(&case.file), &path).unwrap();
        let file = if case.stdin { "-" } else { path.to_str().unwrap() };
        let state = database.folder.path().join(name);
        fs::create_dir(&state).unwrap();
        let mut import = database.command(&["data", "import-csv", file, "--business", "sol"]);
        import.arg("--state").arg(&state).args(&case.args);
        if !case.args.iter().any(|arg| arg == "--client") {
            import.args(["--client", name]);
        }
        if case.stdin {
            import.stdin(fs::File::open(&path).unwrap());
        } else {
            import.stdin(Stdio::null());
        }
        let (code, report, error) = output(&mut import);
        assert_eq!(code, case.exit_code, "{name}: {report}{error}");
        for line in &case.report {
            assert!(report.lines().any(|found| found.ends_with(line)), "{name}: {line}\n{report}{error}");
        }
        for part in &case.errors {
            assert!(error.contains(part), "{name}: {part}\n{report}{error}");
        }
        for lead in &case.leads {
            let mut lead = lead.clone();
            let client = lead.remove("client_id").unwrap_or_else(|| name.clone());
            expected.entry(client).or_default().push(lead);
        }
    }
    for leads in expected.values_mut() {
        leads.sort();
    }
    let found = leads(&database);
    let clients = expected.keys().chain(found.keys());
    for client in clients {
        assert_eq!(found.get(client), expected.get(client), "the leads of {client}");
    }
}

/// The minimum number of cases.
const CASES: usize = 25;
