//! Command output: human-readable lines and tables, JSON for scripts, and progress bars.

use std::{
    env,
    ffi::OsStr,
    fmt::Display,
    io::{self, IsTerminal, Write},
    sync::mpsc,
    thread,
    time::Duration,
};

use clap::Args;
use comfy_table::{ColumnConstraint, ContentArrangement, Table, presets};
use console::Term;
use indicatif::{ProgressBar, ProgressStyle};
use leadapi_core::tokens::IssuedToken;
use serde::Serialize;

use super::{
    CommandError,
    escape::{escape, escape_json},
};

/// Prints a line. Ignores errors, because a closed output must not stop a server.
pub(super) fn print_line(line: &str) {
    writeln!(io::stdout(), "{}", escape_lines(line)).unwrap_or_default();
}

/// Prints a warning to standard error, in the same form as an error.
pub(super) fn print_warning(warning: &impl Display) {
    let line = if is_json_requested() {
        json_line("warning", &warning.to_string())
    } else {
        escape_lines(&format!("warning: {warning}"))
    };
    writeln!(io::stderr(), "{line}").unwrap_or_default();
}

/// Escapes each line of `text`, to make it safe to print on a terminal.
pub(super) fn escape_lines(text: &str) -> String {
    text.split('\n').map(escape).collect::<Vec<_>>().join("\n")
}

/// Formats a number followed by the singular or plural of a noun.
pub(super) fn count<N: Copy + Display + From<u8> + PartialEq>(number: N, one: &str, many: &str) -> String {
    let noun = if number == N::from(1) { one } else { many };
    format!("{number} {noun}")
}

/// Prints a final line, and waits at most one second for a stalled reader.
pub(super) fn print_last_line(line: &str) {
    let line = escape_lines(line);
    write_with_timeout(move || writeln!(io::stdout(), "{line}"));
}

/// Runs a write on another thread and waits at most one second for it. A slower write continues in the background.
/// Errors are ignored, because they cannot be reported anywhere else.
pub(super) fn write_with_timeout(write: impl FnOnce() -> io::Result<()> + Send + 'static) {
    let (done, written) = mpsc::channel();
    // If the thread cannot be started, nothing is written, and the wait ends immediately.
    drop(thread::Builder::new().spawn(move || done.send(write())));
    drop(written.recv_timeout(Duration::from_secs(1)));
}

pub(super) fn print_issued(issued: &[IssuedToken]) {
    for IssuedToken { business, name, scopes, secret, .. } in issued {
        print_line(&format!("token {name:?} of {business:?} ({scopes}): {}", secret.expose()));
    }
}

/// The output format of a command.
#[derive(Debug, Clone, Copy, Args)]
pub(super) struct Format {
    /// Print JSON, for scripts.
    #[arg(long)]
    json: bool,
}

impl Format {
    pub(super) const fn is_json(self) -> bool {
        self.json
    }

    /// Prints a result. Returns write errors, because the result may contain a secret that is shown only once.
    pub(super) fn print(self, value: &impl Serialize, text: impl FnOnce() -> String) -> Result<(), CommandError> {
        self.print_verbatim(value, || escape_lines(&text()))
    }

    /// Like `print`, but for text that must not be escaped, such as JSON.
    pub(super) fn print_verbatim(
        self,
        value: &impl Serialize,
        text: impl FnOnce() -> String,
    ) -> Result<(), CommandError> {
        let line = if self.json { json(value)? } else { text() };
        writeln!(io::stdout(), "{line}").map_err(CommandError::Output)
    }

    /// Prints a list as a JSON array or as a table.
    pub(super) fn list<T: Serialize, const N: usize>(
        self,
        items: &[T],
        header: [&str; N],
        row: impl Fn(&T) -> [String; N],
    ) -> Result<(), CommandError> {
        self.print_verbatim(&items, || table(header, items.iter().map(row)))
    }
}

/// Formats a table: on a terminal for people, wrapped to its width, and otherwise for programs, with one line per row
/// and tabs between the cells.
pub(super) fn table<const N: usize>(header: [&str; N], rows: impl Iterator<Item = [String; N]>) -> String {
    let rows = rows.map(|row| row.map(|cell| escape(&cell).into_owned()));
    if !io::stdout().is_terminal() {
        return tab_separated(header, rows);
    }
    table_within(Term::stdout().size_checked().map(|(_, columns)| columns), header, rows)
}

/// Formats a table as lines, of which the first contains the header. The cells contain neither tabs nor line breaks,
/// because they are escaped.
fn tab_separated<const N: usize>(header: [&str; N], rows: impl Iterator<Item = [String; N]>) -> String {
    let rows = rows.map(|row| format!("\n{}", row.join("\t")));
    header.join("\t") + &rows.collect::<String>()
}

/// Formats a table to fit the width if possible. All columns except those with ids are wrapped, so that ids can be
/// copied.
fn table_within<const N: usize>(
    width: Option<u16>,
    header: [&str; N],
    rows: impl Iterator<Item = [String; N]>,
) -> String {
    let mut table = Table::new();
    table.load_style(presets::ASCII_BORDERS_ONLY_CONDENSED).set_header(header);
    table.add_rows(rows);
    if let Some(width) = width {
        table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
        for (column, _) in table.column_iter_mut().zip(header).filter(|(_, name)| name.ends_with("id")) {
            column.set_constraint(ColumnConstraint::ContentWidth);
        }
    }
    table.trim_fmt()
}

fn json(value: &impl Serialize) -> Result<String, CommandError> {
    serde_json::to_string(value).map_err(|error| CommandError::Output(error.into()))
}

/// Returns whether the output to a stream may have colors: it is a terminal, and `NO_COLOR` is unset or empty.
pub(super) fn is_colored(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && !forbids_colors(env::var_os("NO_COLOR").as_deref())
}

fn forbids_colors(no_color: Option<&OsStr>) -> bool {
    no_color.is_some_and(|value| !value.is_empty())
}

/// Formats the error of a command: as an object like an error body of the API if the command line has `--json`,
/// otherwise as one line.
pub(super) fn error_line(message: &str) -> String {
    if is_json_requested() { json_line("error", message) } else { format!("leadapi: {}", escape(message)) }
}

fn json_line(kind: &str, message: &str) -> String {
    escape_json(&serde_json::json!({kind: message}).to_string()).into_owned()
}

/// Returns whether the command line has the option `--json`, even if the rest of it is invalid.
pub(super) fn is_json_requested() -> bool {
    env::args_os().skip(1).take_while(|arg| arg != "--").any(|arg| arg == "--json")
}

/// Creates a progress bar, which is visible only on a terminal.
pub(super) fn progress(what: &'static str, of: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{msg} {wide_bar} {human_pos} of {human_len}, {eta} left");
    let bar = ProgressBar::new(of).with_message(what);
    style.map_or_else(|_| bar.clone(), |style| bar.clone().with_style(style))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_fits_a_terminal_and_keeps_ids_whole() {
        let id = "019bb16e-fe80-71bd-97d4-34affe250f1f";
        let rows = [[id.to_owned(), "a long name ".repeat(9), "2026-05-04T07:58:12.004Z".to_owned()]];
        let header = ["id", "name", "created"];
        let narrow = table_within(Some(80), header, rows.clone().into_iter());
        assert!(narrow.lines().count() > 4 && narrow.lines().all(|line| line.chars().count() <= 80), "{narrow}");
        assert!(narrow.contains(id), "{narrow}");
        let wide = table_within(None, header, rows.into_iter());
        assert!(wide.lines().any(|line| line.chars().count() > 120), "{wide}");
    }

    #[test]
    fn a_piped_table_has_one_line_per_row() {
        let rows = [["1", "Ann Lee"], ["2", ""]].map(|row| row.map(str::to_owned));
        assert_eq!(tab_separated(["id", "name"], rows.into_iter()), "id\tname\n1\tAnn Lee\n2\t");
    }

    #[test]
    fn any_text_in_the_variable_forbids_colors() {
        let values = [None, Some(""), Some("0"), Some("1")];
        assert_eq!(values.map(|value| forbids_colors(value.map(OsStr::new))), [false, false, true, true]);
    }

    #[test]
    fn counts_use_singular_or_plural() {
        assert_eq!([0, 1, 2].map(|many: usize| count(many, "lead", "leads")), ["0 leads", "1 lead", "2 leads"]);
    }

    #[test]
    fn line_breaks_are_preserved() {
        assert_eq!(escape_lines("a\n\u{1b}[2J\nb"), "a\n\\u{1b}[2J\nb");
    }
}
