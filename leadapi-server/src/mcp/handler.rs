//! Handles an HTTP request for the MCP server: checks the host, origin, path and token, then passes the body to the
//! protocol.

use std::{io, sync::Arc};

use bytes::Bytes;
use http::{
    HeaderValue, Request, Response, StatusCode, Uri,
    header::{ALLOW, AUTHORIZATION, ORIGIN},
};
use http_body_util::{BodyExt, Full};
use leadapi_core::{
    auth::BearerToken,
    http::{Operation, ReadBodyError, ResponseBody, error_response, header::X_REQUEST_ID, json_response, read_body},
    port::{TokenVerifier, Verdict},
};
use rmcp::{
    model::ClientJsonRpcMessage,
    transport::streamable_http_server::{
        StreamableHttpServerConfig, StreamableHttpService, session::never::NeverSessionManager,
    },
};
use serde_json::json;
use tokio::time::Instant;

use super::{in_process::Api, protocol::McpServer, tools::Tools};
use crate::{
    host::names_this_machine,
    listen::{Handler, RequestBody, UnreadResponses},
    middleware::request_id,
    settings::SettingsUrl,
};

pub(super) const PATH: &str = "/mcp";

/// The maximum size of a request body, as for the API (contract D5).
pub(super) const MAX_BODY_BYTES: usize = 64 * 1_024;

/// Handles the requests of the MCP listener. It keeps no state between requests, so any server can answer any request.
#[derive(Clone)]
pub(super) struct McpHandler {
    pub(super) api: Api,
    pub(super) verifier: Arc<dyn TokenVerifier>,
    /// The URL at which clients reach the server, if it is behind a proxy.
    pub(super) url: Option<SettingsUrl>,
    pub(super) is_loopback: bool,
}

type HttpResponse = Response<ResponseBody>;

impl Handler for McpHandler {
    type ResponseBody = ResponseBody;

    async fn handle(
        self,
        request: Request<RequestBody>,
        _received: Instant,
        backlog: Result<(), UnreadResponses>,
    ) -> HttpResponse {
        let id = request_id(request.headers());
        let response = match backlog {
            Ok(()) => self.respond(request, &id).await.unwrap_or_else(|refusal| *refusal),
            Err(_) => internal_error(),
        };
        with_request_id(response, id)
    }
}

impl McpHandler {
    async fn respond(
        &self,
        request: Request<RequestBody>,
        id: &HeaderValue,
    ) -> Result<HttpResponse, Box<HttpResponse>> {
        self.check_sender(&request)?;
        if request.uri().path() != PATH {
            return Err(refuse(StatusCode::NOT_FOUND, "no such path; the MCP server is at /mcp"));
        }
        let token = self.authenticate(&request, id).await?;
        let request = with_body(request).await?;
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

    /// Returns the token if the API would accept it. Otherwise, returns the API's own response as the error, so that
    /// the status, body, headers and log line are the same as for an API request.
    async fn authenticate(
        &self,
        request: &Request<RequestBody>,
        id: &HeaderValue,
    ) -> Result<BearerToken, Box<HttpResponse>> {
        let token = BearerToken::from_headers(request.headers()).ok();
        if let Some(token) = &token
            && let Ok(Verdict::Good(_)) = self.verifier.verify(token).await
        {
            return Ok(token.clone());
        }
        let path = Operation::ListClients.endpoint().path;
        let uri: Uri =
            format!("{}{path}?limit=1", self.api.base_path).parse().map_err(|_| Box::new(internal_error()))?;
        let mut probe = Request::get(uri).body(()).map_err(|_| Box::new(internal_error()))?;
        for value in request.headers().get_all(AUTHORIZATION) {
            probe.headers_mut().append(AUTHORIZATION, value.clone());
        }
        let response = self.api.handle(probe, Some(id.clone())).await;
        let is_refused = response.status() == StatusCode::UNAUTHORIZED || response.status().is_server_error();
        // If the API did not refuse the token, the token has become valid in the meantime.
        token.filter(|_| !is_refused).ok_or_else(|| Box::new(response))
    }
}

/// Reads the body, which must be a JSON-RPC message if the method is POST. The error is the response to send.
async fn with_body(request: Request<RequestBody>) -> Result<Request<Full<Bytes>>, Box<HttpResponse>> {
    let (head, body) = request.into_parts();
    let body = read_body(body, MAX_BODY_BYTES).await.map_err(|error| match error {
        ReadBodyError::TooLarge(most) => {
            refuse(StatusCode::PAYLOAD_TOO_LARGE, &format!("body must be at most {most} bytes"))
        }
        _ => refuse(StatusCode::BAD_REQUEST, "body did not arrive completely"),
    })?;
    if head.method == http::Method::POST
        && let Err(error) = serde_json::from_slice::<ClientJsonRpcMessage>(&body)
    {
        let (code, message) = if error.is_data() {
            (-32_600, "the body is not a JSON-RPC message")
        } else {
            (-32_700, "the body is not JSON")
        };
        let error = json!({"jsonrpc": "2.0", "id": null, "error": {"code": code, "message": message}});
        return Err(Box::new(json_response(StatusCode::BAD_REQUEST, error.to_string())));
    }
    Ok(Request::from_parts(head, Full::new(body)))
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
