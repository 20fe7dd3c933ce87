//! Prompts on a terminal.
//!
//! The prompts go to standard error, so that standard output contains only a command's result.

use std::{
    fmt::Display,
    io::{self, BufRead, IsTerminal, Write},
};

use super::{CommandError, escape::escape, output::escape_lines};

/// Returns whether there is a terminal for a prompt.
pub(super) fn is_possible() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Returns the value of an option. If the option is not set, asks for it on a terminal. Without a terminal, returns
/// `default`, or an error if there is none.
pub(super) fn given_or_asked<T, E: Display>(
    given: Option<T>,
    option: &'static str,
    question: &str,
    default: Option<&str>,
    parse: impl Fn(&str) -> Result<T, E>,
) -> Result<T, CommandError> {
    if let Some(given) = given {
        return Ok(given);
    }
    if is_possible() {
        return ask(&mut io::stdin().lock(), &mut io::stderr(), question, default, parse);
    }
    let missing = || CommandError::NotGiven(option);
    parse(default.ok_or_else(missing)?).map_err(|_| missing())
}

/// Shows a preview on the terminal, and asks whether to go on. Returns an error if the answer is no.
pub(super) fn confirm(preview: &str, question: &str) -> Result<(), CommandError> {
    let mut terminal = io::stderr();
    writeln!(terminal, "{}", escape_lines(preview)).map_err(CommandError::Output)?;
    if ask(&mut io::stdin().lock(), &mut terminal, question, None, yes_or_no)? {
        return Ok(());
    }
    Err(CommandError::Cancelled)
}

fn yes_or_no(answer: &str) -> Result<bool, &'static str> {
    match answer.to_lowercase().as_str() {
        "yes" | "y" => Ok(true),
        "no" | "n" => Ok(false),
        _ => Err("answer yes or no"),
    }
}

/// Asks until the answer is valid. An empty answer selects the default, if there is one. Fails if the input ends.
fn ask<T, E: Display>(
    input: &mut impl BufRead,
    output: &mut impl Write,
    question: &str,
    default: Option<&str>,
    parse: impl Fn(&str) -> Result<T, E>,
) -> Result<T, CommandError> {
    let hint = default.map(|default| format!(" [{}]", escape(default))).unwrap_or_default();
    loop {
        write!(output, "{question}{hint}: ").and_then(|()| output.flush()).map_err(CommandError::Output)?;
        let mut line = String::new();
        if input.read_line(&mut line).map_err(|_| CommandError::Cancelled)? == 0 {
            return Err(CommandError::Cancelled);
        }
        let answer = match (line.trim(), default) {
            ("", Some(default)) => default,
            (answer, _) => answer,
        };
        match parse(answer) {
            Ok(value) => return Ok(value),
            Err(rule) => writeln!(output, "  {rule}").map_err(CommandError::Output)?,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(input: &str, default: Option<&str>) -> (Result<u8, CommandError>, String) {
        let mut output = Vec::new();
        let parse = |text: &str| text.parse::<u8>().map_err(|_| "must be a small number");
        let answer = ask(&mut input.as_bytes(), &mut output, "How many", default, parse);
        (answer, String::from_utf8(output).unwrap())
    }

    #[test]
    fn a_question_is_repeated_until_the_answer_is_valid() {
        let (answer, output) = number("many\n\n 7 \n", None);
        assert_eq!(answer.unwrap(), 7);
        assert_eq!(output, "How many: ".to_owned() + &"  must be a small number\nHow many: ".repeat(2));
    }

    #[test]
    fn an_empty_answer_means_the_default() {
        let (answer, output) = number("\n", Some("3"));
        assert_eq!((answer.unwrap(), output.as_str()), (3, "How many [3]: "));
    }

    #[test]
    fn the_end_of_the_input_cancels_the_command() {
        assert!(matches!(number("", Some("3")), (Err(CommandError::Cancelled), _)));
    }
}
