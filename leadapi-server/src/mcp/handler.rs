//! Handles an HTTP request for the MCP server: checks the host, origin, path and token, then passes the body to the
//! protocol.

use std::{io, net::IpAddr, sync::Arc};

use bytes::Bytes;
use http::{
    HeaderValue, Request, Response, StatusCode,
    header::{ALLOW, ORIGIN},
};
use http_body_util::{BodyExt, Full};
use leadapi_access::{Refused, SiteUrl, names_this_machine};
use leadapi_core::{
    auth::BearerToken,
    http::{ReadBodyError, RequestLog, ResponseBody, error_response, header::X_REQUEST_ID, json_response, read_body},
};
use rmcp::{
    model::ClientJsonRpcMessage,
    transport::streamable_http_server::{
        StreamableHttpServerConfig, StreamableHttpService, session::never::NeverSessionManager,
    },
};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::{in_process::Api, protocol::McpServer, tools::Tools};
use crate::{
    listen::{Handler, NotRunnable, RequestBody},
    middleware::{LoggedRequest, request_id},
};

pub(super) const PATH: &str = "/mcp";

/// The maximum size of a request body, as for the API (contract D5).
pub(super) const MAX_BODY_BYTES: usize = 64 * 1_024;

/// The maximum length of a protocol version. A version is a date.
const MAX_VERSION_CHARS: usize = 32;

/// Handles the requests of the MCP listener. It keeps no state between requests, so any server can answer any request.
#[derive(Clone)]
pub(super) struct McpHandler {
    pub(super) api: Api,
    /// The URL at which clients reach the server, if it is behind a proxy.
    pub(super) url: Option<SiteUrl>,
    pub(super) is_loopback: bool,
    pub(super) peer: Option<IpAddr>,
}

type HttpResponse = Response<ResponseBody>;

impl Handler for McpHandler {
    type ResponseBody = ResponseBody;

    fn for_peer(&self, peer: IpAddr) -> Self {
        Self { api: self.api.for_peer(peer), peer: Some(peer), ..self.clone() }
    }

    async fn handle(
        self,
        request: Request<RequestBody>,
        received: Instant,
        runnable: Result<(), NotRunnable>,
    ) -> HttpResponse {
        let id = request_id(request.headers());
        let logged = LoggedRequest::new(&request, id.clone());
        let mut log = RequestLog::default();
        let response = match runnable {
            Ok(()) => self.respond(request, &id, &mut log).await.unwrap_or_else(|refusal| *refusal),
            Err(NotRunnable::Ambiguous(ambiguity)) => error_response(StatusCode::BAD_REQUEST, &ambiguity.to_string()),
            Err(error) => {
                log.cause = Some(Arc::new(error));
                internal_error()
            }
        };
        self.api.handler.record(&logged, response.status(), &log, received.elapsed());
        with_request_id(response, id)
    }
}

impl McpHandler {
    async fn respond(
        &self,
        request: Request<RequestBody>,
        id: &HeaderValue,
        log: &mut RequestLog,
    ) -> Result<HttpResponse, Box<HttpResponse>> {
        self.check_sender(&request)?;
        if request.uri().path() != PATH {
            return Err(refuse(StatusCode::NOT_FOUND, "no such path; the MCP server is at /mcp"));
        }
        let mut refused = |refused: Refused| {
            let (response, about) = *refused;
            *log = about;
            Box::new(response)
        };
        let authenticator = self.api.handler.authenticator();
        let caller = authenticator.caller(request.headers(), self.peer).await.map_err(&mut refused)?;
        let token = BearerToken::from_headers(request.headers()).map_err(|_| Box::new(internal_error()))?;
        let (request, is_tool_call) = with_body(request).await?;
        // A tool makes API calls, which count themselves.
        if !is_tool_call {
            authenticator.count_read(&caller).await.map_err(&mut refused)?;
        }
        log.caller = Some(caller);
        let client = self.api.client(token, Some(id.clone())).map_err(|error| {
            tracing::error!(%error, "the in-process client could not be created");
            Box::new(internal_error())
        })?;
        let server = McpServer::new(Tools::new(client));
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .disable_allowed_hosts();
        let service = StreamableHttpService::new(
            move || Ok::<_, io::Error>(server.clone()),
            Arc::new(NeverSessionManager::default()),
            config,
        );
        Ok(plain(service.handle(request).await).await)
    }

    /// Rejects requests from web pages. No web page needs this server, and an attacker's page could reach a server on a
    /// visitor's machine. Browsers send `Origin` with every POST. If a page's domain points to this machine, its
    /// requests name that domain in `Host`.
    fn check_sender(&self, request: &Request<RequestBody>) -> Result<(), Box<HttpResponse>> {
        let is_own = || self.url.as_ref().is_some_and(|url| url.is_host_of(request));
        if self.is_loopback && !names_this_machine(request) && !is_own() {
            return Err(refuse(
                StatusCode::FORBIDDEN,
                "host must be localhost, an IP address or the host of --mcp-url",
            ));
        }
        if request.headers().contains_key(ORIGIN) {
            return Err(refuse(StatusCode::FORBIDDEN, "requests of web pages are not allowed"));
        }
        Ok(())
    }
}

/// Reads the body, which must be a JSON-RPC message if the method is POST. Also returns whether it calls a tool. The
/// error is the response to send.
async fn with_body(request: Request<RequestBody>) -> Result<(Request<Full<Bytes>>, bool), Box<HttpResponse>> {
    let (head, body) = request.into_parts();
    // The library repeats an unknown version in its response.
    if head.headers.get("mcp-protocol-version").is_some_and(|version| version.len() > MAX_VERSION_CHARS) {
        return Err(refuse(StatusCode::BAD_REQUEST, "mcp-protocol-version is too long"));
    }
    let body = read_body(body, MAX_BODY_BYTES).await.map_err(|error| match error {
        ReadBodyError::TooLarge(most) => {
            refuse(StatusCode::PAYLOAD_TOO_LARGE, &format!("body must be at most {most} bytes"))
        }
        _ => refuse(StatusCode::BAD_REQUEST, "body did not arrive completely"),
    })?;
    let mut is_tool_call = false;
    if head.method == http::Method::POST {
        if let Err(error) = serde_json::from_slice::<ClientJsonRpcMessage>(&body) {
            let rejected = if error.is_data() {
                rejected(-32_600, "the body is not a JSON-RPC message")
            } else {
                rejected(-32_700, "the body is not JSON")
            };
            return Err(rejected);
        }
        let message: Value = serde_json::from_slice(&body).unwrap_or_default();
        if has_long_version(&message) {
            return Err(rejected(-32_602, "the protocol version is too long"));
        }
        is_tool_call = message.get("method").is_some_and(|method| method == "tools/call");
    }
    Ok((Request::from_parts(head, Full::new(body)), is_tool_call))
}

fn has_long_version(message: &Value) -> bool {
    ["/params/protocolVersion", "/params/_meta/io.modelcontextprotocol~1protocolVersion"].into_iter().any(|path| {
        let version = message.pointer(path).and_then(Value::as_str);
        version.is_some_and(|version| version.len() > MAX_VERSION_CHARS)
    })
}

fn rejected(code: i32, message: &str) -> Box<HttpResponse> {
    let error = json!({"jsonrpc": "2.0", "id": null, "error": {"code": code, "message": message}});
    Box::new(json_response(StatusCode::BAD_REQUEST, error.to_string()))
}

/// Returns the response with the API's headers and error format.
async fn plain<B>(response: Response<B>) -> HttpResponse
where
    B: http_body::Body<Data = Bytes, Error = std::convert::Infallible>,
{
    let (head, body) = response.into_parts();
    let body = match body.collect().await {
        Ok(body) => body.to_bytes(),
        Err(never) => match never {},
    };
    let is_json = head.headers.get(http::header::CONTENT_TYPE).is_some_and(|value| value == "application/json");
    let mut response = match (is_json, body.is_empty()) {
        (true, _) => json_response(head.status, body),
        (false, true) => {
            let mut response = Response::new(ResponseBody::default());
            *response.status_mut() = head.status;
            response
        }
        (false, false) => error_response(head.status, &String::from_utf8_lossy(&body)),
    };
    response.headers_mut().extend(head.headers.get(ALLOW).map(|value| (ALLOW, value.clone())));
    response
}

fn refuse(status: StatusCode, message: &str) -> Box<HttpResponse> {
    Box::new(error_response(status, message))
}

fn internal_error() -> HttpResponse {
    error_response(StatusCode::INTERNAL_SERVER_ERROR, "internal error")
}

fn with_request_id(mut response: HttpResponse, id: HeaderValue) -> HttpResponse {
    response.headers_mut().insert(X_REQUEST_ID, id);
    response
}
