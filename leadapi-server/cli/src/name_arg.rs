//! The name of a record as an argument.

use clap::Args;

/// The name of a new record, or the new name of a record.
#[derive(Debug, Args)]
#[group(id = "new_name", required = true, multiple = false)]
pub(super) struct NameArg {
    /// The name: 1 to 200 characters, or 1 to 100 for a token.
    #[arg(value_name = "NAME")]
    given: Option<String>,
    /// The name, as an option. Earlier versions had only this form.
    #[arg(long = "name", value_name = "NAME", hide = true)]
    option: Option<String>,
}

impl From<NameArg> for String {
    fn from(name: NameArg) -> Self {
        // clap requires one of the two.
        name.given.or(name.option).unwrap_or_default()
    }
}
