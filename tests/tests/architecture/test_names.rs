//! Finds the tests of all packages in their source.

use std::{collections::BTreeSet, fs, path::Path};

use leadapi_tests::crates;
use syn::{Attribute, Item, Meta};

use crate::{root, rust_files};

/// The names of all tests, written as `package::target::path`. The target of unit tests is `lib`.
pub(crate) struct TestNames(BTreeSet<String>);

impl TestNames {
    pub(crate) fn all() -> Self {
        let mut names = BTreeSet::new();
        let published = crates::published();
        let published = published.iter().map(|package| (package.name.as_str(), package.folder().to_owned()));
        for (package, folder) in published.chain([("leadapi-tests", root().join("tests"))]) {
            for (of_target, files) in [(Some("lib"), folder.join("src")), (None, folder.join("tests"))] {
                if !files.exists() {
                    continue;
                }
                for file in rust_files(&files) {
                    let mut path = vec![package.to_owned()];
                    path.extend(of_target.map(str::to_owned));
                    path.extend(module_path(file.strip_prefix(&files).unwrap()));
                    add(
                        &syn::parse_file(&fs::read_to_string(&file).unwrap()).unwrap().items,
                        &path.join("::"),
                        &mut names,
                    );
                }
            }
        }
        assert!(names.len() > 800, "only {} tests found", names.len());
        Self(names)
    }

    pub(crate) fn contains(&self, name: &str) -> bool {
        self.0.contains(name)
    }
}

/// Returns the module of a source file, relative to its crate's folder.
fn module_path(file: &Path) -> Vec<String> {
    let mut path: Vec<String> = file.with_extension("").iter().map(|part| part.to_str().unwrap().to_owned()).collect();
    path.pop_if(|last| ["lib", "main", "mod"].contains(&last.as_str()));
    path
}

fn add(items: &[Item], module: &str, names: &mut BTreeSet<String>) {
    for item in items {
        match item {
            Item::Fn(function) if function.attrs.iter().any(is_test) => {
                names.insert(format!("{module}::{}", function.sig.ident));
            }
            Item::Mod(inner) => {
                let items = inner.content.as_ref().map(|(_, items)| items.as_slice()).unwrap_or_default();
                add(items, &format!("{module}::{}", inner.ident), names);
            }
            // The tests within `proptest!` are tokens instead of items, but they have the same attribute.
            Item::Macro(call) => {
                let tokens = call.mac.tokens.to_string();
                for test in tokens.split("test]").skip(1) {
                    let name = test.split_once("fn ").and_then(|(_, rest)| rest.split([' ', '(']).next());
                    names.extend(name.map(|name| format!("{module}::{name}")));
                }
            }
            _ => {}
        }
    }
}

/// Returns whether this is `#[test]` or a similar attribute, such as `#[tokio::test]`.
fn is_test(attribute: &Attribute) -> bool {
    let path = match &attribute.meta {
        Meta::Path(path) => path,
        Meta::List(list) => &list.path,
        Meta::NameValue(_) => return false,
    };
    path.segments.last().is_some_and(|last| last.ident == "test")
}
