//! Checks which crates a crate may import, directly or through other crates of the workspace.

use std::collections::{BTreeMap, BTreeSet};

use leadapi_tests::crates;

/// The crates that each crate must not import. `ARCHITECTURE.md` shows the arrows that exist.
const FORBIDDEN: &[(&str, &[&str])] = &[
    ("leadapi-core", &["leadapi-access", "leadapi-client", "leadapi-form", "leadapi-server", "leadapi-sql", "tokio"]),
    ("leadapi-form", &["leadapi-client", "leadapi-server", "leadapi-sql", "tokio"]),
    ("leadapi-client", &["leadapi-form", "leadapi-server", "leadapi-sql", "leadapi-testkit", "wiremock"]),
    ("leadapi-testkit", &["leadapi-server", "leadapi-sql"]),
    ("leadapi-import", &["clap", "indicatif", "leadapi-server", "leadapi-sql"]),
    (
        "leadapi-server",
        &["clap", "leadapi", "leadapi-client", "leadapi-mcp", "leadapi-pages", "leadapi-redis", "leadapi-sql", "maud"],
    ),
    ("leadapi-access", &["clap", "hyper", "leadapi-server", "leadapi-sql"]),
    ("leadapi-limiter", &["leadapi-server", "leadapi-sql", "tokio-postgres"]),
    ("leadapi-mcp", &["clap", "leadapi-pages", "leadapi-server", "leadapi-sql"]),
    ("leadapi-pages", &["clap", "hyper", "leadapi-mcp", "leadapi-server", "leadapi-sql"]),
    ("leadapi-redis", &["hyper", "leadapi-server", "leadapi-sql"]),
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
