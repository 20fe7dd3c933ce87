//! An ordinary application with axum and SQLx on PostgreSQL: `axum_postgres DATABASE_URL CONNECTIONS [DATA_FILE]`.
//!
//! It keeps fewer promises than leadapi: `total` is counted for each page, a lost response to a commit is not resolved,
//! a token is checked before the transaction, and there is no rate limit.

use std::{env, fs};

use axum::{
    Json, Router,
    extract::{FromRequestParts, Path, Query, State},
    http::{HeaderMap, StatusCode, header::AUTHORIZATION, request::Parts},
    response::{IntoResponse, Response},
    routing::get,
};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use sqlx::{FromRow, PgPool, Postgres, QueryBuilder, postgres::PgPoolOptions};
use uuid::Uuid;

type Result<T, E = Error> = std::result::Result<T, E>;

struct Error(StatusCode);

impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Self {
        match error {
            sqlx::Error::RowNotFound => Self(StatusCode::NOT_FOUND),
            sqlx::Error::Database(error) if error.is_foreign_key_violation() => Self(StatusCode::UNPROCESSABLE_ENTITY),
            error => {
                eprintln!("{error}");
                Self(StatusCode::INTERNAL_SERVER_ERROR)
            }
        }
    }
}

impl IntoResponse for Error {
    fn into_response(self) -> Response {
        (self.0, Json(json!({"error": self.0.canonical_reason()}))).into_response()
    }
}

/// The business of the token in a request.
struct Business(String);

impl FromRequestParts<PgPool> for Business {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, pool: &PgPool) -> Result<Self> {
        let header = parts.headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        let token = header.and_then(|value| value.strip_prefix("Bearer ")).ok_or(Error(StatusCode::UNAUTHORIZED))?;
        let found = sqlx::query_scalar("SELECT business_id FROM tokens WHERE hash = $1").bind(hash(token));
        found.fetch_optional(pool).await?.map(Self).ok_or(Error(StatusCode::UNAUTHORIZED))
    }
}

fn hash(token: &str) -> Vec<u8> {
    Sha256::digest(token).to_vec()
}

#[derive(Serialize, Deserialize, FromRow)]
struct Lead {
    id: Uuid,
    client_id: String,
    name: String,
    email: Option<String>,
    phone: Option<String>,
    source: Option<String>,
    notes: Option<String>,
    value: Option<f64>,
    pipeline_id: Option<String>,
    stage_id: Option<String>,
    created_at: DateTime<Utc>,
}

#[derive(Deserialize)]
struct NewLead {
    client_id: String,
    name: String,
    email: Option<String>,
    phone: Option<String>,
    source: Option<String>,
    notes: Option<String>,
    value: Option<f64>,
    stage_id: Option<String>,
}

#[derive(Deserialize)]
struct Patch {
    name: Option<String>,
    email: Option<String>,
    phone: Option<String>,
    source: Option<String>,
    notes: Option<String>,
    value: Option<f64>,
}

#[derive(Deserialize)]
struct Filter {
    client_id: Option<String>,
    stage_id: Option<String>,
    #[serde(default = "default_limit")]
    limit: i64,
    #[serde(default)]
    offset: i64,
}

fn default_limit() -> i64 {
    50
}

async fn one(State(pool): State<PgPool>, business: Business, Path(id): Path<Uuid>) -> Result<Json<Lead>> {
    let lead = sqlx::query_as("SELECT * FROM leads WHERE business_id = $1 AND id = $2").bind(business.0).bind(id);
    Ok(Json(lead.fetch_one(&pool).await?))
}

async fn list(State(pool): State<PgPool>, business: Business, Query(filter): Query<Filter>) -> Result<Json<Value>> {
    let by = |select: &'static str| {
        let mut query = QueryBuilder::<Postgres>::new(select);
        query.push(" FROM leads WHERE business_id = ").push_bind(business.0.clone());
        if let Some(client) = &filter.client_id {
            query.push(" AND client_id = ").push_bind(client.clone());
        }
        if let Some(stage) = &filter.stage_id {
            query.push(" AND stage_id = ").push_bind(stage.clone());
        }
        query
    };
    let total: i64 = by("SELECT count(*)").build_query_scalar().fetch_one(&pool).await?;
    let mut page = by("SELECT *");
    page.push(" ORDER BY created_at DESC, id DESC LIMIT ").push_bind(filter.limit.clamp(1, 100));
    page.push(" OFFSET ").push_bind(filter.offset);
    let leads: Vec<Lead> = page.build_query_as().fetch_all(&pool).await?;
    Ok(Json(json!({"data": leads, "total": total, "limit": filter.limit, "offset": filter.offset})))
}

async fn create(
    State(pool): State<PgPool>,
    business: Business,
    headers: HeaderMap,
    Json(new): Json<NewLead>,
) -> Result<(StatusCode, Json<Lead>)> {
    let key = headers.get("idempotency-key").and_then(|value| value.to_str().ok());
    let mut transaction = pool.begin().await?;
    if let Some(key) = key {
        let created = "SELECT leads.* FROM leads JOIN idempotency_keys ON lead_id = leads.id \
            WHERE idempotency_keys.business_id = $1 AND key = $2";
        let created = sqlx::query_as(created).bind(&business.0).bind(key);
        if let Some(lead) = created.fetch_optional(&mut *transaction).await? {
            return Ok((StatusCode::CREATED, Json(lead)));
        }
    }
    let insert = "INSERT INTO leads (id, business_id, client_id, name, email, phone, source, notes, value, stage_id, \
            pipeline_id, created_at) \
        SELECT $1, $2, clients.id, $4, $5, $6, $7, $8, $9, $10, \
            (SELECT pipeline_id FROM stages WHERE business_id = $2 AND id = $10), now() \
        FROM clients WHERE clients.business_id = $2 AND clients.id = $3 RETURNING *";
    let insert = sqlx::query_as(insert).bind(Uuid::now_v7()).bind(&business.0).bind(new.client_id).bind(new.name);
    let insert = insert.bind(new.email).bind(new.phone).bind(new.source).bind(new.notes).bind(new.value);
    let lead: Option<Lead> = insert.bind(new.stage_id).fetch_optional(&mut *transaction).await?;
    let lead = lead.ok_or(Error(StatusCode::UNPROCESSABLE_ENTITY))?;
    if let Some(key) = key {
        let insert = "INSERT INTO idempotency_keys (business_id, key, lead_id) VALUES ($1, $2, $3)";
        sqlx::query(insert).bind(&business.0).bind(key).bind(lead.id).execute(&mut *transaction).await?;
    }
    transaction.commit().await?;
    Ok((StatusCode::CREATED, Json(lead)))
}

async fn update(
    State(pool): State<PgPool>,
    business: Business,
    Path(id): Path<Uuid>,
    Json(patch): Json<Patch>,
) -> Result<Json<Lead>> {
    let update = "UPDATE leads SET name = coalesce($3, name), email = coalesce($4, email), \
            phone = coalesce($5, phone), source = coalesce($6, source), notes = coalesce($7, notes), \
            value = coalesce($8, value) \
        WHERE business_id = $1 AND id = $2 RETURNING *";
    let update = sqlx::query_as(update).bind(business.0).bind(id).bind(patch.name).bind(patch.email);
    let update = update.bind(patch.phone).bind(patch.source).bind(patch.notes).bind(patch.value);
    Ok(Json(update.fetch_one(&pool).await?))
}

#[tokio::main]
async fn main() {
    let arguments: Vec<String> = env::args().collect();
    let connections = arguments[2].parse().unwrap();
    let pool = PgPoolOptions::new().max_connections(connections).connect(&arguments[1]).await.unwrap();
    sqlx::raw_sql(include_str!("axum_postgres.sql")).execute(&pool).await.unwrap();
    if let Some(file) = arguments.get(3) {
        import(&pool, &serde_json::from_slice(&fs::read(file).unwrap()).unwrap()).await.unwrap();
    }
    let routes = Router::new().route("/leads", get(list).post(create)).route("/leads/{id}", get(one).patch(update));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    println!("listens at http://{}", listener.local_addr().unwrap());
    axum::serve(listener, routes.with_state(pool)).await.unwrap();
}

#[derive(Deserialize)]
struct Dataset {
    businesses: Vec<Seed>,
}

#[derive(Deserialize)]
struct Seed {
    id: String,
    name: String,
    clients: Vec<Named>,
    pipelines: Vec<Pipeline>,
    leads: Vec<Lead>,
    tokens: Vec<Token>,
}

#[derive(Deserialize)]
struct Named {
    id: String,
    name: String,
}

#[derive(Deserialize)]
struct Pipeline {
    id: String,
    stages: Vec<Named>,
}

#[derive(Deserialize)]
struct Token {
    token: String,
}

async fn import(pool: &PgPool, dataset: &Dataset) -> sqlx::Result<()> {
    let mut transaction = pool.begin().await?;
    for Seed { id, name, clients, pipelines, leads, tokens } in &dataset.businesses {
        let to = &mut *transaction;
        sqlx::query("INSERT INTO businesses VALUES ($1, $2)").bind(id).bind(name).execute(&mut *to).await?;
        for Token { token } in tokens {
            sqlx::query("INSERT INTO tokens VALUES ($1, $2)").bind(hash(token)).bind(id).execute(&mut *to).await?;
        }
        for client in clients {
            let insert = sqlx::query("INSERT INTO clients VALUES ($1, $2, $3)");
            insert.bind(&client.id).bind(id).bind(&client.name).execute(&mut *to).await?;
        }
        for (pipeline, stage) in
            pipelines.iter().flat_map(|pipeline| pipeline.stages.iter().map(move |stage| (pipeline, stage)))
        {
            let insert = sqlx::query("INSERT INTO stages VALUES ($1, $2, $3, $4)");
            insert.bind(&stage.id).bind(id).bind(&pipeline.id).bind(&stage.name).execute(&mut *to).await?;
        }
        let mut insert = QueryBuilder::<Postgres>::new("INSERT INTO leads ");
        insert.push_values(leads, |mut row, lead| {
            row.push_bind(lead.id).push_bind(id).push_bind(&lead.client_id).push_bind(&lead.name);
            row.push_bind(&lead.email).push_bind(&lead.phone).push_bind(&lead.source).push_bind(&lead.notes);
            row.push_bind(lead.value).push_bind(&lead.pipeline_id).push_bind(&lead.stage_id).push_bind(lead.created_at);
        });
        insert.build().execute(&mut *to).await?;
    }
    transaction.commit().await
}
