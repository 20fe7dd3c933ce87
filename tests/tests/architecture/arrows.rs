//! Checks which crates a crate may import, directly or through other crates of the workspace.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use leadapi_tests::crates;

use crate::root;

/// The crates that each crate must not import. The diagram in `ARCHITECTURE.md` shows the actual imports.
const FORBIDDEN: &[(&str, &[&str])] = &[
    ("leadapi-model", &["bytes", "leadapi-core", "leadapi-form", "tokio", "tower-service"]),
    (
        "leadapi-core",
        &[
            "leadapi-access",
            "leadapi-client",
            "leadapi-form",
            "leadapi-memory",
            "leadapi-server",
            "leadapi-sql",
            "tokio",
        ],
    ),
    ("leadapi-conformance", &["leadapi-client", "leadapi-server", "leadapi-sql", "tokio"]),
    ("leadapi-memory", &["leadapi-client", "leadapi-server", "leadapi-sql", "tokio"]),
    ("leadapi-form", &["leadapi-client", "leadapi-core", "leadapi-server", "leadapi-sql", "tokio"]),
    (
        "leadapi-client",
        &["leadapi-core", "leadapi-form", "leadapi-server", "leadapi-sql", "leadapi-testkit", "wiremock"],
    ),
    ("leadapi-testkit", &["leadapi-server", "leadapi-sql"]),
    ("leadapi-import", &["clap", "indicatif", "leadapi-server", "leadapi-sql"]),
    (
        "leadapi-server",
        &[
            "clap",
            "leadapi",
            "leadapi-client",
            "leadapi-mcp",
            "leadapi-pages",
            "leadapi-redis",
            "leadapi-sql",
            "maud",
            "rustls",
        ],
    ),
    (
        "leadapi-operator",
        &["clap", "leadapi", "leadapi-client", "leadapi-mcp", "leadapi-pages", "leadapi-sql", "leadapi-tls"],
    ),
    ("leadapi-tls", &["clap", "leadapi", "leadapi-client", "leadapi-mcp", "leadapi-pages", "leadapi-sql"]),
    ("leadapi-access", &["clap", "hyper", "leadapi-server", "leadapi-sql"]),
    ("leadapi-limiter", &["leadapi-server", "leadapi-sql", "tokio-postgres"]),
    ("leadapi-mcp", &["clap", "leadapi-pages", "leadapi-server", "leadapi-sql"]),
    ("leadapi-pages", &["clap", "hyper", "leadapi-mcp", "leadapi-server", "leadapi-sql"]),
    ("leadapi-redis", &["hyper", "leadapi-server", "leadapi-sql"]),
    ("leadapi-sqlite-file", &["leadapi-core", "leadapi-sql", "tokio"]),
    ("leadapi-sql", &["clap", "hyper", "leadapi-client", "leadapi-mcp", "leadapi-pages", "leadapi-server"]),
];

#[test]
fn no_crate_imports_what_it_must_not() {
    let packages = crates::published();
    let imports: BTreeMap<&str, BTreeSet<&str>> =
        packages.iter().map(|package| (package.name.as_str(), package.imports())).collect();
    let mut wrong = vec![];
    for (name, forbidden) in FORBIDDEN {
        let all = all_imports(name, &imports);
        wrong.extend(forbidden.iter().filter(|other| all.contains(*other)).map(|other| format!("{name} → {other}")));
    }
    // Only the program may import any crate.
    for name in imports.keys().filter(|name| **name != "leadapi") {
        if !FORBIDDEN.iter().any(|(listed, _)| listed == name) {
            wrong.push(format!("{name} is not in the table"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The diagram omits the arrows to `leadapi-model` and `leadapi-core`, because almost every crate imports one of them.
#[test]
fn the_diagram_shows_the_imports() {
    let packages = crates::published();
    let is_shown = |name: &str| name.starts_with("leadapi") && !["leadapi-core", "leadapi-model"].contains(&name);
    let of = |package: &crates::Package| {
        let imports = package.imports().into_iter().filter(|name| is_shown(name));
        imports.map(|import| format!("{} --> {import}", package.name)).collect::<Vec<_>>()
    };
    let imports: BTreeSet<String> = packages.iter().flat_map(of).collect();
    let map = map();
    let shown: BTreeSet<String> =
        map.lines().filter(|line| line.contains("-->")).map(|line| line.trim().to_owned()).collect();
    assert_eq!(shown, imports);
}

#[test]
fn the_table_lists_each_crate_with_its_folder() {
    let map = map();
    let listed: BTreeSet<(&str, &str)> = map
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once("` | "))
        .filter_map(|(folder, rest)| Some((folder, rest.split_once(" | ")?.0)))
        .filter(|(_, name)| !name.starts_with("npm"))
        .collect();
    let packages = crates::published();
    let folder =
        |package: &crates::Package| package.folder().strip_prefix(root()).unwrap().to_str().unwrap().to_owned();
    let found: Vec<(String, &str)> = packages.iter().map(|package| (folder(package), package.name.as_str())).collect();
    assert_eq!(listed, found.iter().map(|(folder, name)| (folder.as_str(), *name)).collect());
}

#[test]
fn the_files_on_the_map_exist() {
    let map = map();
    let files: Vec<&str> =
        map.split('`').filter(|code| Path::new(code).extension().is_some_and(|extension| extension == "rs")).collect();
    assert!(files.len() > 15, "only {} files found", files.len());
    let missing: Vec<&str> = files.into_iter().filter(|file| !root().join(file).is_file()).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

fn map() -> String {
    fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap()
}

fn all_imports<'a>(name: &str, imports: &BTreeMap<&str, BTreeSet<&'a str>>) -> BTreeSet<&'a str> {
    let (mut all, mut next) = (BTreeSet::new(), vec![name]);
    while let Some(name) = next.pop() {
        for import in imports.get(name).into_iter().flatten() {
            if all.insert(*import) {
                next.push(import);
            }
        }
    }
    all
}
