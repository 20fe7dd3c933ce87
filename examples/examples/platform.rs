//! A platform with a login of its own: an axum application that mounts the API, its settings, its reference and MCP.
//!
//! Run it with `PLATFORM_PASSWORD=… cargo run -p leadapi-examples --example platform -- postgres://…`, or with
//! `sqlite:platform.db`, and sign in at the address that it prints.
#![allow(clippy::print_stdout, reason = "the example prints its address")]

use std::{collections::HashMap, env, net::SocketAddr, sync::Arc};

use axum::{
    Form, Router,
    extract::{ConnectInfo, Request, State},
    http::header::{COOKIE, SET_COOKIE},
    middleware::{self, Next},
    response::{Html, IntoResponse, Redirect, Response},
    routing::get,
};
use leadapi_access::with_request_ids;
use leadapi_core::{BoxError, dataset, openapi, rate_limit::Limits};
use leadapi_mcp::{Authenticator, McpService};
use leadapi_pages::{Peer, Reference, SettingsPages, VerifiedPerson};
use leadapi_sql::SqlStore;
use tokio::net::TcpListener;

const OWNER: &str = "owner@harbour.example";
const SIGN_IN: &str = r#"<form method="post"><input name="password" type="password"><button>Sign in</button></form>"#;

/// The login of the platform: the password of its owner, and the cookie of a browser in which the owner has signed in.
struct Login {
    password: String,
    cookie: String,
}

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let database = env::args().nth(1).ok_or("pass the URL of a database, such as sqlite:platform.db")?;
    let password = env::var("PLATFORM_PASSWORD").map_err(|_| "set PLATFORM_PASSWORD to the password of the owner")?;
    let store = SqlStore::open_to_serve(&database.parse()?).await?;
    if store.is_empty().await? {
        store.import(dataset::Dataset::parse(dataset::SAMPLE)?, |_| {}).await?;
    }
    let listener = TcpListener::bind(env::var("PLATFORM_ADDRESS").as_deref().unwrap_or("127.0.0.1:8090")).await?;
    let site = format!("http://{}", listener.local_addr()?);
    let login = Arc::new(Login { password, cookie: format!("platform={}", uuid::Uuid::new_v4()) });
    let api = store.service(Limits::default()).await?.public_path("/v1").build()?;
    let settings = SettingsPages::builder(store.clone(), store.clock(), site.parse()?);
    let app = Router::new()
        .fallback_service(settings.sign_in_page("/login").build())
        .route("/login", get(Html(SIGN_IN)).post(sign_in))
        .nest_service("/docs", Reference::new(openapi::document("/v1")?))
        .route_service("/mcp", McpService::new(Authenticator::new(api.clone()), api.clone()))
        .nest_service("/v1", with_request_ids(api))
        .layer(middleware::from_fn_with_state(login.clone(), identify))
        .with_state(login)
        .into_make_service_with_connect_info::<SocketAddr>();
    println!("the platform listens at {site} and {OWNER} signs in at {site}/login");
    tokio::select! {
        ended = axum::serve(listener, app) => Ok(ended?),
        cause = store.maintain() => Err(cause.into()),
    }
}

async fn sign_in(State(login): State<Arc<Login>>, Form(form): Form<HashMap<String, String>>) -> Response {
    if form.get("password") == Some(&login.password) {
        let cookie = format!("{}; HttpOnly; SameSite=Lax; Path=/", login.cookie);
        return ([(SET_COOKIE, cookie)], Redirect::to("/")).into_response();
    }
    Redirect::to("/login").into_response()
}

/// Tells the services who sends a request: the peer, and the person who has signed in.
async fn identify(State(login): State<Arc<Login>>, mut request: Request, next: Next) -> Response {
    if let Some(ConnectInfo(peer)) = request.extensions().get::<ConnectInfo<SocketAddr>>().copied() {
        request.extensions_mut().insert(Peer::Address(peer.ip()));
    }
    let cookies = request.headers().get(COOKIE).and_then(|cookies| cookies.to_str().ok()).unwrap_or_default();
    if cookies.split("; ").any(|cookie| cookie == login.cookie) {
        request.extensions_mut().insert(VerifiedPerson(OWNER.to_owned()));
    }
    next.run(request).await
}
