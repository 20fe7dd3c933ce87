//! Handles requests: reads the file, and returns the page for the URL.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use bytes::Bytes;
use http::{HeaderValue, Method, Request, Response, StatusCode, header::ALLOW};
use http_body_util::Full;
use leadapi_access::names_this_machine;
use leadapi_form::{Finding, FormRecord, Policy, Questionnaire, Version};
use tokio::{task::spawn_blocking, time::Instant};

use super::{FormVersion, broken, page, theme::Look, visit::Visit};
use crate::{
    cli::{CommandError, form::input},
    listen::{Handler, NotRunnable, RequestBody},
    web::{self, Fields, Page, html, respond},
};

/// The style sheet of the preview, which styles the visitor's page with the variables of the theme.
const STYLE: &[u8] = include_bytes!("preview.css");

/// The file to preview, and its latest findings.
pub(super) struct Preview {
    file: PathBuf,
    version: FormVersion,
    policy: Policy,
    /// The latest findings, kept because a check takes much longer than a walk.
    checked: Mutex<Option<Checked>>,
}

struct Checked {
    text: String,
    version: Version,
    findings: Arc<[Finding]>,
}

/// Handles the requests of one connection.
#[derive(Clone)]
pub(super) struct PreviewHandler(pub(super) Arc<Preview>);

impl Handler for PreviewHandler {
    type ResponseBody = Full<Bytes>;

    async fn handle(
        self,
        request: Request<RequestBody>,
        _received: Instant,
        runnable: Result<(), NotRunnable>,
    ) -> Response<Full<Bytes>> {
        match runnable {
            Ok(()) => {}
            Err(NotRunnable::Ambiguous(_)) => return text(StatusCode::BAD_REQUEST, "the request is ambiguous\n"),
            Err(NotRunnable::UnreadResponses(_)) => {
                return text(StatusCode::SERVICE_UNAVAILABLE, "earlier responses have not been read\n");
            }
        }
        if !names_this_machine(&request) {
            return text(StatusCode::FORBIDDEN, "host must be localhost or an IP address\n");
        }
        if !matches!(*request.method(), Method::GET | Method::HEAD) {
            let mut page = text(StatusCode::METHOD_NOT_ALLOWED, "only GET and HEAD\n");
            page.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
            return page;
        }
        let uri = request.uri().clone();
        // Reading and checking a large form takes long enough to delay other requests.
        let page = spawn_blocking(move || self.0.page(uri.path(), &Fields::of_query(&uri))).await;
        page.unwrap_or_else(|_| text(StatusCode::INTERNAL_SERVER_ERROR, "internal error\n"))
    }
}

impl Preview {
    pub(super) fn new(file: PathBuf, version: FormVersion, locale: Option<String>) -> Self {
        let mut policy = Policy::default();
        policy.locale = locale;
        Self { file, version, policy, checked: Mutex::new(None) }
    }

    pub(super) fn page(&self, path: &str, fields: &Fields) -> Page {
        match path {
            "/" => self.form(fields),
            "/theme.css" => self.theme(fields),
            "/preview.css" => respond(StatusCode::OK, web::CSS, STYLE.into()),
            "/style.css" => respond(StatusCode::OK, web::CSS, web::STYLE.into()),
            "/icon.svg" => respond(StatusCode::OK, web::SVG, web::ICON.into()),
            _ => text(StatusCode::NOT_FOUND, "no such page\n"),
        }
    }

    fn form(&self, fields: &Fields) -> Page {
        let version = self.version(fields);
        let (text, record) = match self.read() {
            Ok(read) => read,
            Err((text, error)) => return html(StatusCode::OK, broken::page(&self.file, &text, &error)),
        };
        let form = Questionnaire::compile(&record, version.into(), &self.policy);
        let visit = Visit::read(&form, version, fields);
        let findings = self.findings(text, &form);
        html(StatusCode::OK, page::page(&self.file, form.locale(), &record, &form, &visit, &findings))
    }

    fn theme(&self, fields: &Fields) -> Page {
        let record = self.read().map(|(_, record)| record).unwrap_or_default();
        let form = Questionnaire::compile(&record, self.version(fields).into(), &self.policy);
        respond(StatusCode::OK, web::CSS, Look::new(form.theme()).css().into())
    }

    fn version(&self, fields: &Fields) -> FormVersion {
        FormVersion::parse(fields.get("version")).unwrap_or(self.version)
    }

    /// Reads the file. If it is not a form record, the error contains its text.
    fn read(&self) -> Result<(String, FormRecord), (String, CommandError)> {
        let text = input::text(&self.file).map_err(|error| (String::new(), error))?;
        match input::parse(&self.file, &text) {
            Ok(record) => Ok((text, record)),
            Err(error) => Err((text, error)),
        }
    }

    fn findings(&self, text: String, form: &Questionnaire<'_>) -> Arc<[Finding]> {
        let mut checked = self.checked.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = checked.as_ref().filter(|known| known.text == text && known.version == form.version()) {
            return known.findings.clone();
        }
        let findings: Arc<[Finding]> = form.check().into();
        *checked = Some(Checked { text, version: form.version(), findings: findings.clone() });
        findings
    }
}

fn text(status: StatusCode, text: &'static str) -> Page {
    respond(status, "text/plain; charset=utf-8", Bytes::from_static(text.as_bytes()))
}
