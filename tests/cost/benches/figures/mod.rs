//! Compares the measured costs with the figures in a file.
//!
//! A cost fails the benchmark if it differs by more than its tolerance in either direction, so that the figures stay
//! current. `LEADAPI_ACCEPT=1` records lower costs in the file. A higher cost is accepted only by a row of the table
//! "Accepted growth" in BENCHMARKS.md, which says why.

use std::{collections::BTreeMap, env, fs, path::Path, process::Command};

const BENCHMARKS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../BENCHMARKS.md");
/// The width of the first column of a file.
const NAME: usize = 24;

/// A kind of cost, and its tolerance.
pub(crate) type Kind = (&'static str, f64);

/// Prints the change of each cost, and returns whether all costs are acceptable. `costs` contains, for each name, one
/// cost of each kind.
pub(crate) fn check(file: &str, kinds: &[Kind], costs: &[(String, Vec<usize>)]) -> bool {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches").join(file);
    let text = fs::read_to_string(&path).unwrap_or_default();
    let benchmarks = fs::read_to_string(BENCHMARKS).unwrap();
    let mut figures = read(&text);
    if env::var_os("LEADAPI_ACCEPT").is_some() {
        for (name, costs) in costs {
            let figures = figures.entry(name.clone()).or_insert_with(|| costs.clone());
            figures.iter_mut().zip(costs).for_each(|(figure, cost)| *figure = *cost.min(figure));
        }
        figures.retain(|name, _| costs.iter().any(|(measured, _)| measured == name));
        fs::write(&path, write(kinds, costs, &figures)).unwrap();
    }
    let mut all = costs.len() == figures.len();
    for (name, costs) in costs {
        print!("{name:<NAME$}");
        let figures = figures.get(name).cloned().unwrap_or_else(|| vec![0; costs.len()]);
        for ((cost, figure), (kind, tolerance)) in costs.iter().zip(figures).zip(kinds) {
            let change = change(*cost, figure);
            // Without a figure, the change is infinite and the comparison fails.
            all &= change.abs() <= *tolerance || (change > 0.0 && explains(&benchmarks, name, kind, *cost, *tolerance));
            print!("{cost:>10} {kind} {:+.1} %", change * 100.0);
        }
        println!();
    }
    if !all {
        println!(
            "\nThe costs differ from those in tests/cost/benches/{file}. Record lower costs with LEADAPI_ACCEPT=1."
        );
        println!("Explain a higher one in BENCHMARKS.md, with the row: | name | kind of cost | new cost | why |");
        if !text.contains(&rustc()) {
            println!("The compiler may be the cause: the figures are not from {}.", rustc());
        }
    }
    all
}

fn change(cost: usize, figure: usize) -> f64 {
    cost as f64 / figure as f64 - 1.0
}

/// Returns whether a table in BENCHMARKS.md explains a cost.
fn explains(benchmarks: &str, name: &str, kind: &str, cost: usize, tolerance: f64) -> bool {
    let row = format!("| {name} | {kind} | ");
    benchmarks.lines().filter_map(|line| line.strip_prefix(&row)?.split_once(" | ")).any(|(accepted, why)| {
        let accepted = accepted.replace(',', "").parse().unwrap();
        change(cost, accepted).abs() <= tolerance && why.len() > "why |".len()
    })
}

fn write(kinds: &[Kind], costs: &[(String, Vec<usize>)], figures: &BTreeMap<String, Vec<usize>>) -> String {
    let kinds: Vec<&str> = kinds.iter().map(|(kind, _)| *kind).collect();
    let head = format!("# {} of one call: {}\n", kinds.join(", "), rustc());
    let lines = costs.iter().map(|(name, _)| {
        figures[name].iter().fold(format!("{name:<NAME$}"), |line, figure| format!("{line}{figure:>10}")) + "\n"
    });
    [head].into_iter().chain(lines).collect()
}

fn read(text: &str) -> BTreeMap<String, Vec<usize>> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let (name, figures) = line.split_at(NAME);
            (name.trim_end().to_owned(), figures.split_whitespace().map(|figure| figure.parse().unwrap()).collect())
        })
        .collect()
}

fn rustc() -> String {
    let output = Command::new("rustc").arg("--version").output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}
