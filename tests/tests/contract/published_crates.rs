//! Checks the published crates: each contains its licenses and has few dependencies. Crates that need neither an async
//! runtime nor sockets depend on neither.

use std::{collections::BTreeSet, env, fs, path::Path, process::Command};

use leadapi_tests::crates;

#[test]
fn the_core_has_no_async_runtime_and_few_dependencies() {
    let crates = crates_of("leadapi-core", &[]);
    assert_no_runtime(&crates);
    assert_at_most(40, &crates);
}

#[test]
fn the_model_has_no_async_runtime_and_no_service_dependencies() {
    let crates = crates_of("leadapi-model", &[]);
    assert_no_runtime(&crates);
    assert_without(&["async-trait", "getrandom", "sha2", "tower-service", "uuid"], &crates);
}

// On other systems, reqwest has different dependencies, so the limit may not hold.
#[cfg(target_os = "linux")]
#[test]
fn the_client_has_few_dependencies() {
    assert_at_most(95, &crates_of("leadapi-client", &[]));
}

#[test]
fn the_client_without_a_transport_has_no_async_runtime() {
    let crates = crates_of("leadapi-client", &["--no-default-features"]);
    assert_no_runtime(&crates);
    assert_at_most(40, &crates);
}

#[cfg(target_os = "linux")]
#[test]
fn the_host_has_few_dependencies_and_no_tls() {
    let crates = crates_of("leadapi-server", &[]);
    assert_at_most(80, &crates);
    assert_without(&["ring", "rustls"], &crates);
}

/// The client shares types with the service, but does not contain the service. Test servers belong to the test kit.
#[test]
fn the_client_contains_neither_the_service_nor_test_doubles() {
    assert_without(
        &["crc32fast", "leadapi-core", "quick-junit", "sha2", "uuid", "wiremock"],
        &crates_of("leadapi-client", &[]),
    );
}

/// Both licenses require that their text accompany the code.
#[test]
fn every_published_crate_contains_its_licenses() {
    for package in crates::published() {
        let (package, folder) = (&package.name, package.folder());
        let list = cargo(&["package", "--list", "--allow-dirty", "--offline", "-p", package]);
        for license in ["LICENSE-MIT", "LICENSE-APACHE"] {
            assert!(list.lines().any(|file| file == license), "{package} has no {license}: {list}");
            let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
            let text = |folder: &Path| fs::read(folder.join(license)).unwrap();
            assert_eq!(text(folder), text(&root), "{package}: {license} differs from the repository's copy");
        }
    }
}

/// Returns the output of a cargo command in this repository.
fn cargo(args: &[&str]) -> String {
    let mut cargo = Command::new(env::var("CARGO").unwrap_or_else(|_| "cargo".into()));
    let output = cargo.args(args).current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Returns all transitive dependencies of a crate, one entry per version: `serde v1.0.0`.
fn crates_of(package: &str, features: &[&str]) -> BTreeSet<String> {
    let tree = ["tree", "--offline", "--locked", "-p", package, "-e", "normal", "--prefix", "none"];
    let text = cargo(&[&tree[..], features].concat());
    // The text after ` (` names the crate's source, or marks a crate whose dependencies were already listed.
    let crates: BTreeSet<String> = text
        .lines()
        .filter_map(|line| line.split(" (").next())
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect();
    let (itself, others): (BTreeSet<_>, BTreeSet<_>) =
        crates.into_iter().partition(|name| name.starts_with(&format!("{package} ")));
    assert_eq!(itself.len(), 1, "{text}");
    others
}

fn assert_at_most(most: usize, crates: &BTreeSet<String>) {
    assert!(crates.len() <= most, "{} crates, but at most {most} are allowed: {crates:#?}", crates.len());
}

fn assert_no_runtime(crates: &BTreeSet<String>) {
    let banned =
        ["tokio", "hyper", "mio", "socket2", "async-std", "smol", "rustls", "sqlx", "rusqlite", "reqwest", "axum"];
    assert_without(&banned, crates);
}

fn assert_without(banned: &[&str], crates: &BTreeSet<String>) {
    let names: BTreeSet<&str> = crates.iter().filter_map(|known| known.split(' ').next()).collect();
    for name in banned {
        assert!(!names.contains(name), "{name} is a dependency: {crates:#?}");
    }
}
