//! Builds the module tree of a crate and finds the imports between its modules.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use crate::{imports::Imports, rust_files};

/// The path of a module within its crate. The crate root has an empty path.
type Module = Vec<String>;

pub(crate) struct Tree {
    modules: BTreeMap<Module, Imports>,
}

impl Tree {
    pub(crate) fn read(src: &Path) -> Self {
        let files = rust_files(src).into_iter().filter(|path| !path.ends_with("main.rs"));
        let modules = files.map(|path| {
            let source = fs::read_to_string(&path).unwrap();
            let path = path.strip_prefix(src).unwrap().with_extension("");
            let mut module: Module = path.iter().map(|part| part.to_str().unwrap().to_owned()).collect();
            module.pop_if(|last| *last == "mod" || *last == "lib");
            (module, Imports::of(&source))
        });
        let is_test = |module: &Module| module.iter().any(|part| part == "tests");
        Self { modules: modules.filter(|(module, _)| !is_test(module)).collect() }
    }

    /// Returns the number of pairs of modules in which the first imports the second.
    pub(crate) fn edges(&self) -> usize {
        self.imports().len()
    }

    /// Describes each cycle of imports between sibling modules. A module and its ancestors may import each other,
    /// because a `mod.rs` re-exports items of its children.
    pub(crate) fn cycles(&self) -> Vec<String> {
        let mut siblings: BTreeMap<Module, BTreeSet<(String, String)>> = BTreeMap::new();
        for (from, to) in self.imports() {
            let shared = from.iter().zip(&to).take_while(|(one, other)| one == other).count();
            if let (Some(one), Some(other)) = (from.get(shared), to.get(shared)) {
                siblings.entry(from[..shared].to_vec()).or_default().insert((one.clone(), other.clone()));
            }
        }
        siblings
            .iter()
            .flat_map(|(parent, edges)| {
                cycles(edges).into_iter().map(|cycle| {
                    format!(
                        "in {}: {}",
                        if parent.is_empty() { "the crate".into() } else { parent.join("::") },
                        cycle.join(" -> ")
                    )
                })
            })
            .collect()
    }

    fn imports(&self) -> BTreeSet<(Module, Module)> {
        let mut edges = BTreeSet::new();
        for (module, imports) in &self.modules {
            let named = imports.names.iter().map(|import| &import.path);
            for path in named.chain(&imports.globs).chain(&imports.paths) {
                if let Some(target) = self.resolve(module, path, 0)
                    && target != *module
                {
                    edges.insert((module.clone(), target));
                }
            }
        }
        edges
    }

    /// Returns the module that defines the item at a path, if it belongs to this crate.
    fn resolve(&self, module: &Module, path: &[String], depth: usize) -> Option<Module> {
        let mut path = path.iter();
        let mut at = match path.as_slice().first()?.as_str() {
            "crate" => vec![],
            "self" => module.clone(),
            "super" => module[..module.len() - 1].to_vec(),
            child if self.modules.contains_key(&[&**module, &[child.to_owned()]].concat()) => {
                [&**module, &[path.next()?.clone()]].concat()
            }
            _ => return None,
        };
        if ["crate", "self", "super"].contains(&path.as_slice().first().map_or("", |first| first)) {
            path.next();
        }
        while let Some(name) = path.next() {
            let child = [&*at, std::slice::from_ref(name)].concat();
            if name == "super" {
                at.pop();
            } else if self.modules.contains_key(&child) {
                at = child;
            } else {
                // This module may import the name from another module.
                let imports = self.modules.get(&at)?;
                let import = imports.names.iter().find(|import| import.name == *name && depth < 8);
                let full = import.map(|import| [&*import.path, path.as_slice()].concat());
                return full.and_then(|full| self.resolve(&at, &full, depth + 1)).or(Some(at));
            }
        }
        Some(at)
    }
}

/// Returns the shortest cycle through each edge. Cycles between the same modules are returned once.
fn cycles(edges: &BTreeSet<(String, String)>) -> Vec<Vec<String>> {
    let mut found: BTreeMap<BTreeSet<String>, Vec<String>> = BTreeMap::new();
    for (from, to) in edges {
        if let Some(mut way) = path(edges, to, from) {
            way.insert(0, from.clone());
            found.entry(way.iter().cloned().collect()).or_insert(way);
        }
    }
    found.into_values().collect()
}

/// Returns the shortest path from one module to another.
fn path(edges: &BTreeSet<(String, String)>, from: &str, to: &str) -> Option<Vec<String>> {
    let mut paths = vec![vec![from.to_owned()]];
    let mut seen = BTreeSet::from([from.to_owned()]);
    while !paths.is_empty() {
        let mut longer = vec![];
        for path in paths {
            let last = path.last().unwrap();
            if last == to {
                return Some(path);
            }
            for (_, next) in edges.iter().filter(|(one, _)| one == last) {
                if seen.insert(next.clone()) {
                    longer.push([&*path, std::slice::from_ref(next)].concat());
                }
            }
        }
        paths = longer;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[(&str, &str)]) -> Tree {
        let folder = tempfile::tempdir().unwrap();
        for (path, source) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, source).unwrap();
        }
        Tree::read(folder.path())
    }

    #[test]
    fn cycles_are_found_through_reexports_paths_and_groups() {
        let tree = tree(&[
            ("lib.rs", "mod a; mod b; mod c;"),
            ("a/mod.rs", "pub use self::deep::Deep; mod deep;"),
            ("a/deep.rs", "use crate::{b::B, c}; pub struct Deep(B);"),
            ("b.rs", "pub struct B(super::c::C);"),
            ("c.rs", "use super::a::Deep; pub struct C(Deep);"),
        ]);
        assert_eq!(tree.cycles(), ["in the crate: a -> b -> c -> a", "in the crate: a -> c -> a"]);
    }

    #[test]
    fn parents_and_tests_close_no_cycle() {
        let tree = tree(&[
            ("lib.rs", "mod a; mod b;"),
            ("a/mod.rs", "mod x; mod y; pub struct Shared; pub use x::X;"),
            ("a/x.rs", "use super::Shared; pub struct X(Shared);"),
            ("a/y.rs", "use super::{Shared, X}; pub struct Y(Shared, X);"),
            ("b.rs", "use crate::a::X; #[cfg(test)] mod tests { use super::*; }"),
            ("a/tests.rs", "use crate::b::B;"),
        ]);
        assert_eq!(tree.cycles(), [""; 0]);
    }
}
