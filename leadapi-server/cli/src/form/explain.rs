//! `form explain`: explains the codes of findings.

use clap::{Args, builder::PossibleValuesParser};
use leadapi_form::Code;
use serde_json::json;

use crate::{CommandError, output::Format};

/// Explains the code of a finding, or lists all codes.
#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// The code, such as `endless-walk`. Without it, the command lists all codes.
    #[arg(value_parser = PossibleValuesParser::new(Code::ALL.iter().map(|code| code.as_str())), hide_possible_values = true)]
    code: Option<String>,
    #[command(flatten)]
    format: Format,
}

impl Explain {
    /// Prints the explanation or the list.
    pub(super) fn run(&self) -> Result<(), CommandError> {
        let data = |code: &Code| json!({"code": code, "severity": code.severity().as_str(), "meaning": code.meaning(), "fix": code.fix()});
        let code = self.code.as_deref().and_then(|name| Code::ALL.iter().find(|code| code.as_str() == name));
        if let Some(code) = code {
            let text = || format!("{}[{code}]: {}\n  help: {}", code.severity(), code.meaning(), code.fix());
            return self.format.print(&data(code), text);
        }
        let line = |code: &Code| format!("{}[{code}]: {}", code.severity(), code.meaning());
        let text = || Code::ALL.iter().map(line).collect::<Vec<_>>().join("\n");
        self.format.print(&Code::ALL.iter().map(data).collect::<Vec<_>>(), text)
    }
}
