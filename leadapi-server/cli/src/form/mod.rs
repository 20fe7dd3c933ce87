//! `form`: the form records of a business (contract D11), and checks of form files.

mod check;
mod explain;
mod input;
mod location;
mod paths;
mod preview;
mod sarif;
mod walk;

use std::path::PathBuf;

use clap::Subcommand;
use leadapi_core::{form::Form, id::FormId};
use serde::Serialize;
use serde_json::json;

use super::{
    CommandError,
    admin::BusinessArgs,
    escape::{escape, escape_json},
    name_arg::NameArg,
};
use check::Check;
use explain::Explain;
use input::FormFile;
use preview::PreviewForm;
use walk::WalkForm;

#[derive(Debug, Subcommand)]
pub(super) enum FormCommand {
    /// Check a form from a file, and print each finding with its location, the fix, and answers that demonstrate it.
    Check(Check),
    /// Explain the code of a finding, or list all codes.
    Explain(Explain),
    /// List the paths through a form from a file, at most 1,000, with answers for each.
    Paths(FormFile),
    /// Print the pages of a form from a file, and the routes between them, as a Mermaid flowchart.
    Graph(FormFile),
    /// Walk through a form from a file with answers from another file, and print the resulting lead.
    Walk(WalkForm),
    Preview(PreviewForm),
    /// Add a form record from a file, keeping every field.
    Add {
        #[command(flatten)]
        of: BusinessArgs,
        /// A JSON file with the record; - reads standard input. The client account and pipeline in the record must
        /// exist.
        file: PathBuf,
    },
    /// List the forms.
    List {
        #[command(flatten)]
        of: BusinessArgs,
    },
    /// Print a form record with every field of its original file.
    Show {
        #[command(flatten)]
        of: BusinessArgs,
        /// The id of the form.
        id: FormId,
    },
    /// Rename a form.
    Rename {
        #[command(flatten)]
        of: BusinessArgs,
        /// The id of the form.
        id: FormId,
        #[command(flatten)]
        name: NameArg,
    },
    /// Remove a form.
    Remove {
        #[command(flatten)]
        of: BusinessArgs,
        /// The id of the form.
        id: FormId,
    },
}

/// The fields that the list shows for each form. A field that is missing from the record is null.
#[derive(Serialize)]
struct Listed<'f> {
    id: Option<&'f str>,
    name: Option<&'f str>,
    client_id: Option<&'f str>,
    is_active: Option<bool>,
}

impl<'f> From<&'f Form> for Listed<'f> {
    fn from(form: &'f Form) -> Self {
        let (id, name, client_id) = (form.id.as_str(), form.name.as_str(), form.client_id.as_str());
        Self { id, name, client_id, is_active: form.is_active.get().copied() }
    }
}

impl FormCommand {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        match self {
            Self::Check(check) => check.run(),
            Self::Explain(explain) => explain.run(),
            Self::Paths(form) => paths::paths(&form),
            Self::Graph(form) => paths::graph(&form),
            Self::Walk(walk) => walk.run(),
            Self::Preview(preview) => preview.run().await,
            Self::Add { of, file } => {
                let record = input::record(&file)?;
                let id = of.open().await?.admin().forms().add(&record).await?;
                of.at.format.print(&json!({"id": id}), || format!("form {id} was added"))
            }
            Self::List { of } => {
                let records = of.open().await?.admin().forms().list().await?;
                let forms = records.iter().filter_map(|record| record.form.get());
                let listed: Vec<Listed> = forms.map(Listed::from).collect();
                of.at.format.list(&listed, ["id", "name", "client", "active"], |form| {
                    let text = |text: Option<&str>| escape(text.unwrap_or_default()).into_owned();
                    let active = form.is_active.map(|active| if active { "yes" } else { "no" });
                    [text(form.id), text(form.name), text(form.client_id), text(active)]
                })
            }
            Self::Show { of, id } => {
                let record = of.open().await?.admin().forms().get(&id).await?;
                let text = serde_json::to_string_pretty(&record);
                let text = text.map_err(|error| CommandError::Output(error.into()))?;
                of.at.format.print_verbatim(&record, || escape_json(&text).into_owned())
            }
            Self::Rename { of, id, name } => {
                let name = String::from(name);
                of.open().await?.admin().forms().rename(&id, &name).await?;
                of.at
                    .format
                    .print(&json!({"id": id, "name": name.trim()}), || format!("form {id} is now {:?}", name.trim()))
            }
            Self::Remove { of, id } => {
                let business = of.open().await?;
                business.admin().forms().delete(&id).await?;
                of.at.format.print(&json!({"removed": id, "business": business.id()}), || {
                    format!("form {id} was removed from {business}")
                })
            }
        }
    }
}
