//! Checks the crates that integrators use: every public function has an example that is run as a test.

use std::fs;

use crate::{root, rust_files};

const CRATES: [&str; 3] = ["leadapi-client", "leadapi-client/testkit", "leadapi-client/import"];

/// Returns the public functions of a file, each with its documentation.
fn functions(source: &str) -> Vec<(String, String)> {
    let (code, _) = source.split_once("#[cfg(test)]\nmod tests").unwrap_or((source, ""));
    let (mut found, mut doc) = (Vec::new(), String::new());
    for line in code.lines().map(str::trim) {
        let words: Vec<&str> = line.split([' ', '(', '<']).collect();
        if line.starts_with("///") {
            doc.push_str(line);
            doc.push('\n');
        } else if line.starts_with("pub ") && words.iter().take(4).any(|word| *word == "fn") {
            found.push((line.to_owned(), std::mem::take(&mut doc)));
        } else if !line.starts_with("#[") {
            doc.clear();
        }
    }
    found
}

#[test]
fn every_public_function_has_an_example_that_runs() {
    let mut without = Vec::new();
    for name in CRATES {
        let mut all = 0;
        for file in rust_files(&root().join(name).join("src")) {
            for (function, doc) in functions(&fs::read_to_string(&file).unwrap()) {
                all += 1;
                let runs = doc.contains("/// ```\n");
                let skips =
                    ["ignore", "no_run", "compile_fail", "text"].iter().any(|skip| doc.contains(&format!("```{skip}")));
                if !runs || skips {
                    without.push(format!("{}: {function}", file.strip_prefix(root()).unwrap().display()));
                }
            }
        }
        assert!(all > 20, "{name}: only {all} functions were found");
    }
    assert!(without.is_empty(), "public functions without an example that runs:\n{}", without.join("\n"));
}
