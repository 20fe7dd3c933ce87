//! Two businesses that are easy to confuse. Most of their ids are the same, and their names begin with the same words.
//! Each business has a canary string, which occurs in all of its names, notes and unshared ids.

use leadapi_core::{
    auth::{BearerToken, Scopes},
    dataset::Dataset,
    id::{BusinessId, TokenId},
    model::Timestamp,
    port::TokenRecord,
};
use leadapi_tests::{Seed, secret};
use serde_json::{Value, json};

/// One of the two businesses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Tenant {
    A,
    B,
}

impl Tenant {
    pub(crate) const BOTH: [Self; 2] = [Self::A, Self::B];

    pub(crate) fn other(self) -> Self {
        if self == Self::A { Self::B } else { Self::A }
    }

    pub(crate) fn canary(self) -> &'static str {
        if self == Self::A { "Canary-A" } else { "Canary-B" }
    }

    pub(crate) fn business(self) -> BusinessId {
        BusinessId::parse(if self == Self::A { "biz-a" } else { "biz-b" }).unwrap()
    }

    /// Returns a token of the seed. Token 0 is permanent, token 1 may be revoked or deleted, and token 2 also expires.
    pub(crate) fn token(self, nth: usize) -> TokenRecord {
        let at: Timestamp = "2026-05-01T00:00:00Z".parse().unwrap();
        let secret = BearerToken::parse(&self.secret(nth)).unwrap();
        let mut record = TokenRecord::new(&secret, format!("Key {nth} {}", self.canary()), Scopes::Both, at);
        record.id = TokenId::parse(format!("token-{self:?}-{nth}")).unwrap();
        record.expires_at = (nth == 2).then(|| "2026-05-05T00:00:00Z".parse().unwrap());
        record
    }

    pub(crate) fn secret(self, nth: usize) -> String {
        secret(&format!("Token{self:?}{nth}"))
    }
}

pub(crate) const TOKENS: usize = 3;
pub(crate) const CLIENTS: [&str; 2] = ["client-1", "client-2"];
pub(crate) const PIPELINES: [&str; 2] = ["pipe-1", "pipe-2"];
pub(crate) const STAGES: [&str; 4] = ["stage-1", "stage-2", "stage-3", "stage-4"];

/// Returns the id of a record that exists in only one business.
pub(crate) fn own(tenant: Tenant, kind: &str) -> String {
    format!("{}-{kind}", tenant.canary())
}

/// Returns a seed with both businesses, each in its own data set.
pub(crate) fn seed() -> Seed {
    seed_with(|tenant| leads(tenant).as_array().unwrap().clone())
}

/// Like [`seed`], but with these leads.
pub(crate) fn seed_with(leads: impl Fn(Tenant) -> Vec<Value>) -> Seed {
    let data = Tenant::BOTH.map(|tenant| Dataset::parse(&business(tenant, leads(tenant)).to_string()).unwrap());
    let tokens =
        Tenant::BOTH.into_iter().flat_map(|tenant| (0..TOKENS).map(move |nth| (tenant.business(), tenant.token(nth))));
    Seed { data: data.into(), tokens: tokens.collect() }
}

fn business(tenant: Tenant, leads: Vec<Value>) -> Value {
    let canary = tenant.canary();
    let client = |id: &str, name: &str| json!({"id": id, "name": name, "created_at": "2026-01-02T00:00:00Z"});
    json!({"businesses": [{
        "id": tenant.business().as_str(), "name": format!("Harbour & Pine {canary}"), "created_at": "2026-01-01T00:00:00Z",
        "members": [{"email": "owner@agency.example", "role": if tenant == Tenant::A { "owner" } else { "member" }}],
        "clients": [
            client(CLIENTS[0], &format!("Zoë {canary}")),
            client(CLIENTS[1], &format!("apple {canary}")),
            client(&own(tenant, "client"), &format!("Äpfel {canary}")),
        ],
        "pipelines": pipelines(tenant),
        "leads": leads,
        "forms": [form(tenant)],
    }]})
}

/// Returns the pipelines of a business. Both businesses use the same ids, but a stage may be first in one business and
/// last in the other, or belong to a different pipeline.
fn pipelines(tenant: Tenant) -> Value {
    let canary = tenant.canary();
    let pipeline = |id: &str, created_at: &str, stages: &[&str]| {
        let stages =
            stages.iter().zip(1..).map(|(id, at)| json!({"id": id, "name": format!("{at} {canary}"), "position": at}));
        json!({"id": id, "name": format!("New {canary}"), "created_at": created_at, "stages": stages.collect::<Vec<_>>()})
    };
    let (own_pipeline, own_stage) = (own(tenant, "pipe"), own(tenant, "stage"));
    let own_pipeline = pipeline(&own_pipeline, "2026-01-03T00:00:00Z", &[&own_stage]);
    match tenant {
        Tenant::A => json!([
            pipeline("pipe-1", "2026-01-02T00:00:00Z", &["stage-1", "stage-2"]),
            pipeline("pipe-2", "2026-01-04T00:00:00Z", &["stage-3", "stage-4"]),
            own_pipeline,
        ]),
        Tenant::B => json!([
            pipeline("pipe-1", "2026-01-05T00:00:00Z", &["stage-3", "stage-2", "stage-1"]),
            pipeline("pipe-2", "2026-01-01T00:00:00Z", &["stage-4"]),
            own_pipeline,
        ]),
    }
}

fn leads(tenant: Tenant) -> Value {
    let lead = |id: &str, client: &str, stage: Option<&str>, created_at: &str| {
        json!({
            "id": id, "client_id": client, "stage_id": stage, "created_at": created_at,
            "name": format!("Léa {}", tenant.canary()), "notes": format!("Notes {}", tenant.canary()),
        })
    };
    json!([
        lead("lead-1", "client-1", Some("stage-1"), "2026-05-01T00:00:00Z"),
        lead(
            "lead-2",
            "client-2",
            None,
            if tenant == Tenant::A { "2026-05-02T00:00:00Z" } else { "2026-05-01T00:00:00Z" }
        ),
        lead(&own(tenant, "lead-1"), "client-1", Some(&own(tenant, "stage")), "2026-05-03T00:00:00Z"),
    ])
}

/// Returns a form. Its id is the same in both businesses.
pub(crate) fn form(tenant: Tenant) -> Value {
    let data: Value = serde_json::from_str(include_str!("../../data/two_businesses.json")).unwrap();
    let form = data["businesses"][0]["forms"][0].to_string();
    serde_json::from_str(&form.replace("a-client-1", "client-1").replace("Canary-A", tenant.canary())).unwrap()
}
