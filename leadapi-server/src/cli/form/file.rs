//! The form in a file: what is wrong with it, where it leads, and where some answers lead.

use std::path::{Path, PathBuf};

use clap::Args;
use leadapi_core::form::{
    Answers, Escape, Finding, FormRecord, Outcome, PathEnd, Policy, Questionnaire, Severity, Step, Version,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::cli::{CommandError, data::read_text, escape::escape, output::Format};

/// The most paths that are listed.
const MOST_PATHS: usize = 1_000;

/// The form in a file, and for whom a command prints.
#[derive(Debug, Args)]
pub(in crate::cli) struct InFile {
    /// A JSON file with a form record; - is the standard input.
    file: PathBuf,
    /// The draft, and not what was published.
    #[arg(long)]
    draft: bool,
    #[command(flatten)]
    format: Format,
}

fn read<T: DeserializeOwned>(path: &Path) -> Result<T, CommandError> {
    serde_json::from_str(&read_text(path)?).map_err(|source| CommandError::Form { path: path.to_owned(), source })
}

impl InFile {
    /// Does something with the form.
    fn with(
        self,
        run: impl FnOnce(&Questionnaire<'_>, Format) -> Result<(), CommandError>,
    ) -> Result<(), CommandError> {
        let record: FormRecord = read(&self.file)?;
        let version = if self.draft { Version::Draft } else { Version::Live };
        run(&record.compile(version, &Policy::default()), self.format)
    }

    /// Prints the findings; that there are errors among them is one.
    pub(super) fn check(self) -> Result<(), CommandError> {
        let path = self.file.clone();
        self.with(|form, format| {
            let findings = form.check();
            format.say(&findings, || {
                let line = |finding: &Finding| escape(&finding.to_string()).into_owned();
                let lines: Vec<String> = findings.iter().map(line).collect();
                if lines.is_empty() { "nothing to find".to_owned() } else { lines.join("\n") }
            })?;
            match findings.iter().filter(|finding| finding.severity() == Severity::Error).count() {
                0 => Ok(()),
                errors => Err(CommandError::FormErrors { path, errors }),
            }
        })
    }

    /// Prints every path, with answers that lead along it.
    pub(super) fn paths(self) -> Result<(), CommandError> {
        self.with(|form, format| {
            let ids: Vec<String> = form.pages().zip(1..).map(|(id, number)| name(id, number)).collect();
            let page = |index: usize| ids.get(index).cloned().unwrap_or_default();
            let found = form.paths(MOST_PATHS);
            let paths: Vec<Value> = found
                .paths
                .iter()
                .map(|path| {
                    let mut stops: Vec<String> = path.pages.iter().map(|index| page(*index)).collect();
                    stops.push(match path.end {
                        PathEnd::Ending(id) => format!("end:{}", id.unwrap_or_default()),
                        PathEnd::Endless(index) => format!("{} again", page(index)),
                        _ => String::new(),
                    });
                    json!({"path": stops.join(" > "), "answers": path.answers})
                })
                .collect();
            format.list(&paths, ["path", "answers"], |path| {
                [path["path"].as_str().unwrap_or_default().to_owned(), path["answers"].to_string()]
            })?;
            if found.complete { Ok(()) } else { Err(CommandError::MorePaths) }
        })
    }

    /// Prints the form as a flowchart.
    pub(super) fn graph(self) -> Result<(), CommandError> {
        self.with(|form, format| {
            let chart = form.mermaid();
            format.say(&chart, || chart.trim_end().to_owned())
        })
    }

    /// Prints where answers lead.
    pub(super) fn walk(self, answers: &Path) -> Result<(), CommandError> {
        let answers: Answers = read(answers)?;
        self.with(|form, format| {
            let walk = form.walk(&answers);
            let stops: Vec<String> =
                walk.steps().map(Step::page).zip(1..).map(|(id, number)| name(id, number)).collect();
            let (end, more) = match walk.outcome() {
                Outcome::Empty => ("the form has no page".to_owned(), Value::Null),
                Outcome::Endless { page } => (format!("it leads back to {}", page.unwrap_or_default()), Value::Null),
                Outcome::Awaiting { problems } => {
                    let told = problems.iter().map(|(id, problem)| format!("{id} {problem}"));
                    (format!("it waits: {}", told.collect::<Vec<_>>().join("; ")), Value::Null)
                }
                Outcome::Finished(finish) => {
                    let message = walk.fill(finish.message.unwrap_or_default(), "", Escape::Plain);
                    let lead = walk.lead().map_or_else(|reason| json!(reason.to_string()), |made| json!(made.lead));
                    (format!("it ends at end:{}: {message}", finish.id.unwrap_or_default()), lead)
                }
                _ => (String::new(), Value::Null),
            };
            let told =
                json!({"path": stops, "end": end, "score": walk.score(), "progress": walk.progress(), "lead": more});
            format.say(&told, || {
                let lead = if more.is_null() { String::new() } else { format!("\nlead: {more:#}") };
                format!("{}\n{end}\nscore {}{lead}", stops.join(" > "), walk.score())
            })
        })
    }
}

/// What a page is called: its id, or its number if it has none.
fn name(id: Option<&str>, number: usize) -> String {
    id.map_or_else(|| format!("page {number}"), str::to_owned)
}
