//! Parses the steps of a README: files to save and commands to run.

use std::{fs, path::Path};

/// A step that a README asks its reader to perform.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    /// Saves a block as a file. The sentence before the block names the file.
    File { name: String, text: String },
    /// Runs a command.
    Run(String),
}

/// Returns the steps of a README in order.
pub(crate) fn read(path: &Path) -> Vec<Step> {
    steps(&fs::read_to_string(path).unwrap())
}

fn steps(markdown: &str) -> Vec<Step> {
    let (mut steps, mut sentence, mut lines) = (Vec::new(), "", markdown.lines());
    while let Some(line) = lines.next() {
        let Some(language) = line.strip_prefix("```") else {
            if !line.is_empty() {
                sentence = line;
            }
            continue;
        };
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        match language {
            "console" => steps.extend(commands(&block).into_iter().map(Step::Run)),
            "sh" | "shell" | "bash" => steps.push(Step::Run(block.join("\n"))),
            _ => steps.extend(file_name(sentence, language).map(|name| {
                let text = block.join("\n") + "\n";
                Step::File { name, text }
            })),
        }
    }
    steps
}

/// Returns the commands of a block. Each command begins with a prompt, and a backslash continues it on the next line.
fn commands(block: &[&str]) -> Vec<String> {
    let mut commands: Vec<String> = Vec::new();
    for line in block {
        match (line.strip_prefix("$ "), commands.last_mut()) {
            (Some(command), _) => commands.push(command.to_owned()),
            (None, Some(last)) if last.ends_with('\\') => last.extend(["\n", line]),
            _ => panic!("a console block may contain only commands, because the test compares no output: {line}"),
        }
    }
    commands
}

/// Returns the first file name in the sentence with this extension.
fn file_name(sentence: &str, language: &str) -> Option<String> {
    let names = sentence.split('`').skip(1).step_by(2);
    let mut of_this_kind = names.filter(|name| name.strip_suffix(language).is_some_and(|stem| stem.ends_with('.')));
    of_this_kind.next().map(str::to_owned)
}

#[test]
fn files_and_commands_are_parsed_in_order() {
    let markdown = "Save `a.json`:\n\n```json\n{}\n```\n```console\n$ one \\\n    more\n$ two\n```\ntext\n```sh\nthree\nfour\n```\n\
                    ```json\n[]\n```\n";
    let file = Step::File { name: "a.json".into(), text: "{}\n".into() };
    let commands = ["one \\\n    more", "two", "three\nfour"].map(|command| Step::Run(command.into()));
    assert_eq!(steps(markdown), [vec![file], commands.into()].concat());
}
