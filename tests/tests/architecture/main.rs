//! Checks the structure of the source: modules have no import cycles, files have at most 300 lines, every store method
//! takes the business, and every promise has a test.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod arrows;
mod examples;
mod imports;
mod promises;
mod test_names;
mod tree;

use std::{
    fs,
    path::{Path, PathBuf},
};

use leadapi_tests::crates;
use syn::{FnArg, Item, Signature, TraitItem, Type};

use self::tree::Tree;

const MAX_LINES: usize = 300;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// Modules that import each other, even indirectly, cannot be understood separately.
#[test]
fn sibling_modules_have_no_import_cycles() {
    let (mut cycles, mut imports) = (vec![], 0);
    for package in crates::published() {
        let (name, tree) = (&package.name, Tree::read(&package.folder().join("src")));
        imports += tree.edges();
        cycles.extend(tree.cycles().into_iter().map(|cycle| format!("{name}: {cycle}")));
    }
    assert!(imports > 500, "only {imports} imports found");
    assert!(cycles.is_empty(), "{}", cycles.join("\n"));
}

#[test]
fn source_files_have_at_most_300_lines() {
    let mut long: Vec<(usize, PathBuf)> = vec![];
    for folder in ["leadapi-core", "leadapi-server", "leadapi-client", "tests", "examples"] {
        for path in rust_files(&root().join(folder)) {
            let lines = fs::read_to_string(&path).unwrap().lines().count();
            if lines > MAX_LINES {
                long.push((lines, path.strip_prefix(root()).unwrap().to_owned()));
            }
        }
    }
    long.sort();
    let long: Vec<String> = long.iter().map(|(lines, path)| format!("{lines} {}", path.display())).collect();
    assert!(long.is_empty(), "files with more than {MAX_LINES} lines:\n{}", long.join("\n"));
}

/// A store method without a business could read or change the records of all businesses.
#[test]
fn every_store_method_takes_the_business_first() {
    // The methods that list or create businesses do not take a business.
    check_port("leadapi-core/src/port/store.rs", "Store", 7, &[]);
    check_port("leadapi-core/src/admin/port.rs", "Admin", 24, &["businesses", "add_business"]);
}

fn check_port(file: &str, name: &str, at_least: usize, without: &[&str]) {
    let file = syn::parse_file(&fs::read_to_string(root().join(file)).unwrap()).unwrap();
    let methods = file.items.iter().find_map(|item| match item {
        Item::Trait(port) if port.ident == name => Some(&port.items),
        _ => None,
    });
    let methods: Vec<&Signature> = methods
        .unwrap()
        .iter()
        .filter_map(|item| match item {
            TraitItem::Fn(method) => Some(&method.sig),
            _ => None,
        })
        .collect();
    assert!(methods.len() >= at_least, "{name}: only {} methods found", methods.len());
    for method in methods {
        let business = method.inputs.iter().nth(1).is_some_and(|input| match input {
            FnArg::Typed(input) => matches!(&*input.ty, Type::Reference(to) if is_business(&to.elem)),
            FnArg::Receiver(_) => false,
        });
        let is_exempt = without.iter().any(|name| method.ident == name);
        assert_ne!(business, is_exempt, "{name}::{}: the first argument must be `&BusinessId`", method.ident);
    }
}

fn is_business(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.is_ident("BusinessId"))
}

/// Returns all Rust files below a directory, except those in directories named `target`.
fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = vec![];
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                if !path.ends_with("target") {
                    folders.push(path);
                }
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files
}
