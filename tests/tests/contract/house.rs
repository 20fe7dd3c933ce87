//! What the core is made of: no runtime, no sockets, and few crates.

use std::{collections::BTreeSet, env, process::Command};

#[test]
fn the_core_has_no_runtime_and_few_crates() {
    let tree = Command::new(env::var("CARGO").unwrap_or_else(|_| "cargo".into()))
        .args([
            "tree",
            "--offline",
            "--locked",
            "-p",
            "leadapi-core",
            "-e",
            "normal",
            "--prefix",
            "none",
            "--format",
            "{p}",
        ])
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .output()
        .unwrap();
    assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
    let text = String::from_utf8(tree.stdout).unwrap();
    let crates: BTreeSet<&str> =
        text.lines().filter_map(|line| line.split(' ').next()).filter(|name| !name.is_empty()).collect();
    for banned in
        ["tokio", "hyper", "mio", "socket2", "async-std", "smol", "rustls", "sqlx", "rusqlite", "reqwest", "axum"]
    {
        assert!(!crates.contains(banned), "{banned} is in the tree of the core: {crates:?}");
    }
    assert!(crates.len() <= 40, "{} crates: {crates:?}", crates.len());
}
