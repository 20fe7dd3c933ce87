//! A platform with a login of its own: an axum application that mounts the API, the API settings, the API reference and
//! the MCP server, on PostgreSQL or SQLite.
//!
//! Run it with `PLATFORM_PASSWORD=… cargo run -p leadapi-examples --example platform -- sqlite:platform.db`, or with the
//! URL of a PostgreSQL database, and sign in at the address that it prints.
#![allow(clippy::print_stderr, clippy::print_stdout, reason = "the example prints to the terminal")]

use std::{
    collections::{HashMap, HashSet},
    env,
    sync::Arc,
    time::Duration,
};

use axum::{
    Form, Router,
    extract::{Request, State},
    middleware::{self, Next},
    response::{Html, IntoResponse, Redirect, Response},
    routing::get,
};
use http::header::{COOKIE, SET_COOKIE};
use leadapi_core::{
    BoxError,
    admin::{Admin, NewBusiness},
    http::LeadService,
    model::Timestamp,
    openapi,
    rate_limit::Limits,
    tokens::StoredTokens,
};
use leadapi_mcp::{Authenticator, McpService};
use leadapi_pages::{Reference, SettingsPages, VerifiedPerson};
use leadapi_sql::SqlStore;
use tokio::{net::TcpListener, sync::RwLock};

const OWNER: &str = "ada@example.com";
const SIGN_IN: &str = r#"<form method="post"><input name="password" type="password"><button>Sign in</button></form>"#;

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let url = env::args().nth(1).unwrap_or_else(|| "sqlite:platform.db".to_owned());
    let store = SqlStore::open_to_serve(&url.parse()?).await?;
    let listener =
        TcpListener::bind(env::var("PLATFORM_ADDRESS").unwrap_or_else(|_| "127.0.0.1:8090".to_owned())).await?;
    let site = format!("http://{}", listener.local_addr()?);
    let app = app(store.clone(), &site, env::var("PLATFORM_PASSWORD")?).await?;
    println!("{OWNER} signs in at {site}/sign-in");
    let housekeeping = async {
        loop {
            tokio::time::sleep(Duration::from_secs(60)).await;
            store.delete_expired().await.map_or_else(|error| eprintln!("{error}"), drop);
        }
    };
    tokio::select! {
        ended = axum::serve(listener, app) => Ok(ended?),
        cause = store.failed() => Err(cause.into()),
        () = housekeeping => Ok(()),
    }
}

async fn app(store: SqlStore, site: &str, password: String) -> Result<Router, BoxError> {
    if store.businesses().await?.is_empty() {
        store.add_business(&NewBusiness::new("agency".parse()?, "My agency", OWNER, Timestamp::now())?).await?;
    }
    let tokens = StoredTokens::new(store.clone(), store.clock());
    let service = LeadService::builder(store.clone(), tokens).limiter(store.rate_limiter(Limits::default()).await?);
    let api = service.clock(store.clock()).public_path("/v1").build()?;
    let login = Arc::new(Login { password, signed_in: RwLock::default() });
    Ok(Router::new()
        .fallback_service(SettingsPages::builder(store.clone(), store.clock(), site.parse()?).build())
        .layer(middleware::from_fn_with_state(login.clone(), person))
        .route("/sign-in", get(Html(SIGN_IN)).post(sign_in))
        .nest_service("/docs", Reference::new(openapi::document("/v1")?))
        .route_service("/mcp", McpService::new(Authenticator::new(api.clone()), api.clone()))
        .nest_service("/v1", api)
        .with_state(login))
}

/// The login of the platform: its password, and the cookies of the people who have signed in.
struct Login {
    password: String,
    signed_in: RwLock<HashSet<String>>,
}

async fn sign_in(State(login): State<Arc<Login>>, Form(form): Form<HashMap<String, String>>) -> Response {
    if form.get("password") != Some(&login.password) {
        return Redirect::to("/sign-in").into_response();
    }
    let cookie = format!("platform={}", uuid::Uuid::new_v4());
    login.signed_in.write().await.insert(cookie.clone());
    ([(SET_COOKIE, format!("{cookie}; HttpOnly; SameSite=Lax; Path=/"))], Redirect::to("/")).into_response()
}

/// Tells the settings whom this application has signed in.
async fn person(State(login): State<Arc<Login>>, mut request: Request, next: Next) -> Response {
    let cookies = request.headers().get(COOKIE).and_then(|cookies| cookies.to_str().ok()).unwrap_or_default();
    let signed_in = login.signed_in.read().await;
    if cookies.split("; ").any(|cookie| signed_in.contains(cookie)) {
        request.extensions_mut().insert(VerifiedPerson(OWNER.to_owned()));
    }
    drop(signed_in);
    next.run(request).await
}
