//! A leadapi server and the example host in front of it, both real processes with fixed ports.

use std::{
    collections::HashMap,
    fs,
    path::Path,
    process::{Command, Stdio},
};

use leadapi_client::{
    Client, Pacing,
    model::{LeadQuery, Window},
};
use leadapi_tests::{ServerProcess, free_port, one_business, secret};
use serde_json::{Value, json};
use tempfile::{NamedTempFile, TempDir};

/// Both programs and their files.
pub(crate) struct Programs {
    folder: TempDir,
    data: NamedTempFile,
    token: String,
    ports: [u16; 2],
    server: Option<ServerProcess>,
    host: Option<ServerProcess>,
}

impl Programs {
    /// Starts both programs. The host has one form, `care`.
    pub(crate) fn start(form: &Value) -> Self {
        let (folder, token) = (tempfile::tempdir().unwrap(), secret("submissions"));
        fs::create_dir(folder.path().join("forms")).unwrap();
        fs::write(folder.path().join("forms/care.json"), form.to_string()).unwrap();
        let ports = [free_port(), free_port()];
        let data = one_business(&[&token]);
        let mut programs = Self { folder, data, token, ports, server: None, host: None };
        programs.restart_server();
        programs.restart_host();
        programs
    }

    /// Kills the leadapi server with SIGKILL, and starts it again.
    pub(crate) fn restart_server(&mut self) {
        self.server = None;
        let limit = u32::MAX.to_string();
        let mut command = Command::new(env!("CARGO_BIN_EXE_server"));
        command.args(["serve", "--store", &format!("sqlite:{}", self.path("leads.db").display())]);
        command.args(["--listen", &format!("127.0.0.1:{}", self.ports[0]), "--data"]).arg(self.data.path());
        command.args(["--reads-per-minute", &limit, "--writes-per-minute", &limit]);
        self.server = Some(ServerProcess::spawn(command.stderr(Stdio::null())));
    }

    /// Kills the leadapi server with SIGKILL, and does not restart it.
    pub(crate) fn kill_server(&mut self) {
        self.server = None;
    }

    /// Kills the host with SIGKILL, and starts it again.
    pub(crate) fn restart_host(&mut self) {
        self.host = None;
        let mut command = Command::new(env!("CARGO_BIN_EXE_form_submissions"));
        command.arg(self.path("forms")).arg("--store").arg(self.path("submissions.db"));
        command.args(["--listen", &format!("127.0.0.1:{}", self.ports[1]), "--writes-per-minute", "0"]);
        command.env("LEADAPI_URL", self.api_url()).env("LEADAPI_TOKEN", &self.token);
        self.host = Some(ServerProcess::spawn(command.stderr(Stdio::null())));
    }

    /// Kills the host with SIGKILL, and does not restart it.
    pub(crate) fn kill_host(&mut self) {
        self.host = None;
    }

    /// Opens the SQLite file of the host.
    pub(crate) fn open_submissions(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(self.path("submissions.db")).unwrap()
    }

    /// Returns the URL to which the submissions of the form are sent.
    pub(crate) fn submissions_url(&self) -> String {
        format!("http://127.0.0.1:{}/forms/care/submissions", self.ports[1])
    }

    /// Returns the names of all leads, each with the ids of the leads that have this name.
    pub(crate) async fn leads(&self) -> HashMap<String, Vec<String>> {
        let client = Client::builder(self.api_url(), &*self.token).pacing(Pacing::off()).build().unwrap();
        let mut leads: HashMap<String, Vec<String>> = HashMap::new();
        let mut offset = 0;
        loop {
            let window = Window::new(200, offset).unwrap();
            let page = client.leads().list(&LeadQuery::new().window(window)).await.unwrap();
            if page.data.is_empty() {
                return leads;
            }
            offset += page.data.len() as u64;
            for lead in page.data {
                leads.entry(lead.name).or_default().push(lead.id.to_string());
            }
        }
    }

    fn api_url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.ports[0])
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        Path::new(self.folder.path()).join(name)
    }
}

/// Returns a form that asks for a name and an email address to verify, and has a choice with three options. The options
/// lead to an ending with a lead, to an ending without a lead, and to a rule that cannot be evaluated.
pub(crate) fn form() -> Value {
    let ending = |id: &str, lead: bool| json!({"id": id, "message": "Thanks.", "createsLead": lead});
    let rule = |id: &str, op: &str, value: &str, target: &str| {
        json!({"id": id, "fromPageId": "p", "then": {"kind": "jump", "target": target},
            "groups": [{"op": "AND", "conds": [{"fieldId": "what", "op": op, "value": value}]}]})
    };
    json!({"form": {"client_id": "c1", "name": "Care",
        "pages": [{"id": "p", "fields": [
            {"id": "name", "type": "short_text", "label": "Name?", "mappedKey": "name"},
            {"id": "mail", "type": "email", "label": "Email?"},
            {"id": "what", "type": "single_choice", "label": "What?", "required": true, "options": [
                {"id": "yes", "label": "Yes"}, {"id": "no", "label": "No"}, {"id": "odd", "label": "Odd"}]}]}],
        "logic": {"rules": [
            rule("r1", "equals", "yes", "end:lead"), rule("r2", "equals", "no", "end:none"),
            rule("r3", "an_operator_of_another_product", "odd", "end:none")]},
        "settings": {"verifyEmail": true, "endings": [ending("lead", true), ending("none", false)]}}})
}
