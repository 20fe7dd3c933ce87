//! Handles requests: reads the file, and returns the page for the URL.

use std::{
    convert::Infallible,
    path::PathBuf,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
};

use http::{HeaderValue, Method, Request, StatusCode, header::ALLOW};
use leadapi_access::names_this_machine;
use leadapi_form::{Finding, FormRecord, Policy, Questionnaire, Version};
use leadapi_pages::web::{self, Fields, Page, html, respond};
use tokio::task::spawn_blocking;
use tower::Service;

use super::{FormVersion, broken, page, theme::Look, visit::Visit};
use crate::{CommandError, form::input};

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

/// The preview as a service. Clones share it.
#[derive(Clone)]
pub(super) struct PreviewService(pub(super) Arc<Preview>);

impl<B> Service<Request<B>> for PreviewService {
    type Response = Page;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Page, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let refused = if !names_this_machine(&request) {
            Some(text(StatusCode::FORBIDDEN, "host must be localhost or an IP address\n"))
        } else if !matches!(*request.method(), Method::GET | Method::HEAD) {
            let mut page = text(StatusCode::METHOD_NOT_ALLOWED, "only GET and HEAD\n");
            page.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
            Some(page)
        } else {
            None
        };
        let (preview, uri) = (self.0.clone(), request.uri().clone());
        Box::pin(async move {
            if let Some(page) = refused {
                return Ok(page);
            }
            // Reading and checking a large form takes long enough to delay other requests.
            let page = spawn_blocking(move || preview.page(uri.path(), &Fields::of_query(&uri))).await;
            Ok(page.unwrap_or_else(|_| text(StatusCode::INTERNAL_SERVER_ERROR, "internal error\n")))
        })
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
            "/preview.css" => respond(StatusCode::OK, web::CSS, STYLE),
            "/style.css" => respond(StatusCode::OK, web::CSS, web::STYLE),
            "/icon.svg" => respond(StatusCode::OK, web::SVG, web::ICON),
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
        respond(StatusCode::OK, web::CSS, Look::new(form.theme()).css())
    }

    fn version(&self, fields: &Fields) -> FormVersion {
        FormVersion::parse(fields.get("version")).unwrap_or(self.version)
    }

    /// Reads the file. If it is not a form record, the error contains its text.
    fn read(&self) -> Result<(String, FormRecord), (String, Box<CommandError>)> {
        let text = input::text(&self.file).map_err(|error| (String::new(), error.into()))?;
        match input::parse(&self.file, &text) {
            Ok(record) => Ok((text, record)),
            Err(error) => Err((text, error.into())),
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
    respond(status, "text/plain; charset=utf-8", text)
}
