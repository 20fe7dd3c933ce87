//! Collects the import paths in a source file.

use syn::{
    Attribute, File, Item, ItemUse, Meta, UseTree, Visibility,
    visit::{self, Visit},
};

/// An imported path as written, such as `super::Lead`, and the name under which the file uses it.
pub(crate) struct Import {
    pub(crate) name: String,
    pub(crate) path: Vec<String>,
}

/// The paths in one file, excluding its test modules.
#[derive(Default)]
pub(crate) struct Imports {
    /// The names that `use` brings into the module. Other modules may refer to items by these names.
    pub(crate) names: Vec<Import>,
    /// The modules whose public items are imported with `use …::*`.
    pub(crate) globs: Vec<Vec<String>>,
    /// Paths in expressions, types and patterns that start with `crate`, `self` or `super`.
    pub(crate) paths: Vec<Vec<String>>,
}

impl Imports {
    pub(crate) fn of(source: &str) -> Self {
        let file: File = syn::parse_file(source).unwrap();
        let mut imports = Self::default();
        imports.visit_file(&file);
        imports
    }

    fn add(&mut self, tree: &UseTree, mut prefix: Vec<String>) {
        match tree {
            UseTree::Path(path) => {
                prefix.push(path.ident.to_string());
                self.add(&path.tree, prefix);
            }
            UseTree::Name(name) if name.ident == "self" => {
                let name = prefix.last().unwrap().clone();
                self.names.push(Import { name, path: prefix });
            }
            UseTree::Name(name) => {
                prefix.push(name.ident.to_string());
                self.names.push(Import { name: name.ident.to_string(), path: prefix });
            }
            UseTree::Rename(rename) => {
                if rename.ident != "self" {
                    prefix.push(rename.ident.to_string());
                }
                self.names.push(Import { name: rename.rename.to_string(), path: prefix });
            }
            UseTree::Glob(_) => self.globs.push(prefix),
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.add(tree, prefix.clone())),
        }
    }
}

impl<'a> Visit<'a> for Imports {
    fn visit_item(&mut self, item: &'a Item) {
        if !attributes(item).iter().any(is_test) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'a ItemUse) {
        self.add(&item.tree, vec![]);
    }

    fn visit_path(&mut self, path: &'a syn::Path) {
        let segments: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        if segments.len() > 1 && ["crate", "self", "super"].contains(&&*segments[0]) {
            self.paths.push(segments);
        }
        visit::visit_path(self, path);
    }

    /// Ignores paths such as `pub(in crate::cli)`, which name a module without depending on it.
    fn visit_visibility(&mut self, _: &'a Visibility) {}
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

fn is_test(attribute: &Attribute) -> bool {
    matches!(&attribute.meta, Meta::List(list)
        if list.path.is_ident("cfg") && list.tokens.to_string() == "test")
}
