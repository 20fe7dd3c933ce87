//! The crates of the workspace.

use std::{collections::BTreeSet, path::Path, process::Command};

use serde::Deserialize;

/// A crate of the workspace.
#[derive(Debug, Deserialize)]
pub struct Package {
    /// The name of the crate.
    pub name: String,
    manifest_path: String,
    /// The registries that the crate may be published on; `None` stands for all.
    publish: Option<Vec<String>>,
    dependencies: Vec<Dependency>,
}

#[derive(Debug, Deserialize)]
struct Dependency {
    name: String,
    /// `None` for a normal dependency.
    kind: Option<String>,
}

/// Returns the crates that are published.
///
/// # Panics
///
/// Panics if cargo fails.
pub fn published() -> Vec<Package> {
    #[derive(Deserialize)]
    struct Metadata {
        packages: Vec<Package>,
    }
    let mut cargo = Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".into()));
    cargo.args(["metadata", "--no-deps", "--offline", "--format-version", "1"]).current_dir(env!("CARGO_MANIFEST_DIR"));
    let Metadata { mut packages } = serde_json::from_slice(&cargo.output().unwrap().stdout).unwrap();
    packages.retain(|package| package.publish.is_none());
    assert!(packages.len() > 10, "only {} crates found", packages.len());
    packages
}

impl Package {
    /// Returns the folder of the crate.
    ///
    /// # Panics
    ///
    /// Never panics: cargo prints paths of files.
    pub fn folder(&self) -> &Path {
        Path::new(&self.manifest_path).parent().unwrap()
    }

    /// Returns the names of the normal dependencies, including optional ones.
    pub fn imports(&self) -> BTreeSet<&str> {
        let normal = self.dependencies.iter().filter(|dependency| dependency.kind.is_none());
        normal.map(|dependency| dependency.name.as_str()).collect()
    }
}
