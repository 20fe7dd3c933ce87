//! `form preview`: a local page on which the user walks through a form like a visitor, and which shows the path, the
//! score and the lead.
//!
//! The pages are plain HTML forms without scripts. The URL contains the whole visit, so a reload shows the same page of
//! a changed file, and the server keeps no sessions. The engine evaluates every answer, so the browser has no copy of
//! the rules.

mod broken;
mod control;
mod findings;
mod handler;
mod lead;
mod page;
mod path;
#[cfg(test)]
mod tests;
mod theme;
mod visit;
mod visitor;

use std::{net::SocketAddr, path::PathBuf, sync::Arc};

use clap::{Args, ValueEnum};
use leadapi_form::Version;

use self::handler::{Preview, PreviewService};
use crate::{
    CommandError,
    output::{print_last_line, print_line},
    signals::Signals,
};
use leadapi_server::{HttpLimits, Listener, Socket};

/// The maximum size of a request head, whose URL contains all answers of a visit.
const MAX_HEAD_BYTES: usize = 512 * 1_024;

/// Serve a page on which you walk through a form from a file like a visitor.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  leadapi form preview form.json --version draft

Each request reads the file again: edit it, and reload the page. The page shows the path so far with the rules that
matched and why, the score, the progress, the resulting lead, and the findings of \"form check\". It loads nothing from
other hosts, so it shows neither logos nor fonts that this machine does not have.")]
pub(crate) struct PreviewForm {
    /// A JSON file with a form record.
    file: PathBuf,
    /// The loopback address and port to listen on; with port 0, the system chooses a port.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:0", value_parser = loopback)]
    listen: SocketAddr,
    /// The version to preview. The page can switch between both.
    #[arg(long, value_name = "VERSION", default_value = "live")]
    version: FormVersion,
    /// The language and country of the visitor, such as de or en-GB, instead of that of the form.
    #[arg(long, value_name = "LOCALE")]
    locale: Option<String>,
}

/// The version of a form, as named on the command line and in URLs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum FormVersion {
    Live,
    Draft,
}

impl FormVersion {
    fn parse(text: &str) -> Option<Self> {
        [Self::Live, Self::Draft].into_iter().find(|version| version.as_str() == text)
    }

    const fn as_str(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Draft => "draft",
        }
    }
}

impl From<FormVersion> for Version {
    fn from(version: FormVersion) -> Self {
        match version {
            FormVersion::Live => Self::Live,
            FormVersion::Draft => Self::Draft,
        }
    }
}

/// Parses an address that only this machine can reach.
fn loopback(text: &str) -> Result<SocketAddr, &'static str> {
    let address = text.parse().ok().filter(|address: &SocketAddr| address.ip().is_loopback());
    address.ok_or("must be a loopback address with a port, such as 127.0.0.1:8082")
}

impl PreviewForm {
    /// Serves the preview until a signal arrives.
    pub(super) async fn run(self) -> Result<(), CommandError> {
        // A file that cannot be read now is more likely a wrong path than a file that will appear later.
        super::input::text(&self.file)?;
        let failed = |source| CommandError::Listen { address: self.listen, source };
        let signals = Signals::new();
        let socket = Socket::bind(&self.listen.into()).await.map_err(failed)?;
        let address = socket.local_addr().unwrap_or(self.listen);
        let limits = HttpLimits::default().address_connections(0).head_bytes(MAX_HEAD_BYTES);
        print_line(&format!("the preview of {} listens at http://{address}/", self.file.display()));
        let preview = PreviewService(Arc::new(Preview::new(self.file, self.version, self.locale)));
        let listener = Listener::new(socket, preview).limits(limits);
        listener.serve(async { _ = signals.first().await }).await.map_err(CommandError::Output)?;
        print_last_line("the preview has stopped");
        Ok(())
    }
}
