//! `data check`: validates a data set without a store.

use std::path::PathBuf;

use clap::Args;
use leadapi_core::dataset::BusinessSeed;
use serde::Serialize;

use super::read;
use crate::{
    CommandError,
    output::{Format, count},
};

/// Check a data set without a store, and print the number of records of each kind, or the location and cause of the
/// first error.
#[derive(Debug, Args)]
pub(crate) struct Check {
    /// The data set to check; - reads standard input.
    file: PathBuf,
    #[command(flatten)]
    format: Format,
}

#[derive(Debug, Default, Serialize)]
struct Counts {
    businesses: usize,
    members: usize,
    clients: usize,
    pipelines: usize,
    stages: usize,
    leads: usize,
    forms: usize,
    tokens: usize,
    idempotency: usize,
    audit: usize,
}

impl Check {
    pub(super) fn run(self) -> Result<(), CommandError> {
        let dataset = read(&self.file)?;
        let counts = dataset.businesses.iter().fold(Counts::default(), Counts::and);
        self.format.print(&counts, || {
            let parts = [
                count(counts.businesses, "business", "businesses"),
                count(counts.members, "member", "members"),
                count(counts.clients, "client account", "client accounts"),
                count(counts.pipelines, "pipeline", "pipelines"),
                count(counts.stages, "stage", "stages"),
                count(counts.leads, "lead", "leads"),
                count(counts.forms, "form", "forms"),
                count(counts.tokens, "token", "tokens"),
                count(counts.idempotency, "idempotency key", "idempotency keys"),
                count(counts.audit, "audit log entry", "audit log entries"),
            ];
            format!("{} is valid: {}", self.file.display(), parts.join(", "))
        })
    }
}

impl Counts {
    fn and(self, business: &BusinessSeed) -> Self {
        Self {
            businesses: self.businesses + 1,
            members: self.members + business.members.len(),
            clients: self.clients + business.clients.len(),
            pipelines: self.pipelines + business.pipelines.len(),
            stages: self.stages + business.pipelines.iter().map(|pipeline| pipeline.stages.len()).sum::<usize>(),
            leads: self.leads + business.leads.len(),
            forms: self.forms + business.forms.len(),
            tokens: self.tokens + business.tokens.len(),
            idempotency: self.idempotency + business.idempotency.len(),
            audit: self.audit + business.audit.len(),
        }
    }
}
