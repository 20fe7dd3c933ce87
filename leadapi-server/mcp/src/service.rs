//! Handles an HTTP request for the MCP server: checks the host, origin, path and token, then passes the body to the
//! protocol.

use std::{
    convert::Infallible,
    fmt, io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use bytes::Bytes;
use http::{
    Request, Response, StatusCode,
    header::{ALLOW, ORIGIN},
};
use http_body::Body;
use http_body_util::{BodyExt, Full};
use leadapi_access::{Authenticator, Peer, Refused, SiteUrl, names_this_machine};
use leadapi_core::{
    BoxError,
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
use tower::Service;

use crate::{
    in_process::{Api, Origin},
    protocol::McpServer,
    tools::Tools,
};

/// The path of the MCP server.
pub const PATH: &str = "/mcp";

/// The maximum size of a request body, as for the API (contract D5).
pub(crate) const MAX_BODY_BYTES: usize = 64 * 1_024;

/// The maximum length of a protocol version. A version is a date.
const MAX_VERSION_CHARS: usize = 32;

/// The MCP server as a [`tower::Service`] for the path [`PATH`]. It keeps no state between requests, so any server can
/// answer any request.
///
/// It refuses requests from web pages. Each response carries a [`RequestLog`] as an extension. If a request has an
/// `X-Request-Id`, the id appears in the log lines of all API calls that the request causes.
#[derive(Clone)]
pub struct McpService(Arc<Inner>);

struct Inner {
    authenticator: Authenticator,
    api: Api,
    /// The URL at which clients reach the server, if it is behind a proxy.
    url: Option<SiteUrl>,
    is_local: bool,
}

type HttpResponse = Response<ResponseBody>;

impl McpService {
    /// Creates a server whose tools call `api`, for the callers that `authenticator` finds. The API must have the base
    /// path of the authenticator's service, for example because it is the same service.
    pub fn new<S>(authenticator: Authenticator, api: S) -> Self
    where
        S: Service<Request<ResponseBody>, Response = Response<ResponseBody>, Error = Infallible, Future: Send>,
        S: Clone + Send + Sync + 'static,
    {
        Self(Arc::new(Inner { authenticator, api: Api::new(api), url: None, is_local: false }))
    }

    /// Serves only requests whose host is `localhost`, an IP address or the host of `url`. Use it on a loopback
    /// address, which an attacker's web page could reach under another name (DNS rebinding).
    #[must_use]
    pub fn local(self, url: Option<SiteUrl>) -> Self {
        let Inner { authenticator, api, .. } = &*self.0;
        let (authenticator, api) = (authenticator.clone(), api.clone());
        Self(Arc::new(Inner { authenticator, api, url, is_local: true }))
    }
}

impl<B> Service<Request<B>> for McpService
where
    B: Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<BoxError>,
{
    type Response = HttpResponse;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<HttpResponse, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let Self(inner) = self.clone();
        Box::pin(async move {
            let mut log = RequestLog::default();
            let mut response = inner.respond(request, &mut log).await.unwrap_or_else(|refusal| *refusal);
            response.extensions_mut().insert(log);
            Ok(response)
        })
    }
}

impl fmt::Debug for McpService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpService").field("url", &self.0.url).finish_non_exhaustive()
    }
}

impl Inner {
    async fn respond<B>(&self, request: Request<B>, log: &mut RequestLog) -> Result<HttpResponse, Box<HttpResponse>>
    where
        B: Body + Send,
        B::Data: Send,
        B::Error: Into<BoxError>,
    {
        self.check_sender(&request)?;
        if request.uri().path() != PATH {
            return Err(refuse(StatusCode::NOT_FOUND, "no such path; the MCP server is at /mcp"));
        }
        let mut refused = |refused: Refused| {
            let (response, about) = *refused;
            *log = about;
            Box::new(response)
        };
        let Self { authenticator, api, .. } = self;
        let peer = request.extensions().get::<Peer>().copied();
        let origin = Origin { peer, request_id: request.headers().get(X_REQUEST_ID).cloned() };
        let address = peer.and_then(Peer::address);
        let caller = authenticator.caller(request.headers(), address).await.map_err(&mut refused)?;
        let token = BearerToken::from_headers(request.headers()).map_err(|_| Box::new(internal_error()))?;
        let (request, is_tool_call) = with_body(request).await?;
        // A tool call is not counted here, because the API counts the calls that the tool makes.
        if !is_tool_call {
            authenticator.count_read(&caller).await.map_err(&mut refused)?;
        }
        log.caller = Some(caller);
        let client = api.client(authenticator.service().base_path(), token, origin).map_err(|error| {
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
    fn check_sender<B>(&self, request: &Request<B>) -> Result<(), Box<HttpResponse>> {
        let is_own = || self.url.as_ref().is_some_and(|url| url.is_host_of(request));
        if self.is_local && !names_this_machine(request) && !is_own() {
            return Err(refuse(
                StatusCode::FORBIDDEN,
                "host must be localhost, an IP address or the host of the public URL",
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
async fn with_body<B>(request: Request<B>) -> Result<(Request<Full<Bytes>>, bool), Box<HttpResponse>>
where
    B: Body<Error: Into<BoxError>>,
{
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
    B: Body<Data = Bytes, Error = Infallible>,
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
