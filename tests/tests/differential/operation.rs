//! Generates random operations by a business, and builds their requests.

use bytes::Bytes;
use http::Request;
use proptest::{option, prelude::*};
use serde_json::{Map, Value, json};

use super::fixture::{self, Tenant};

#[derive(Debug, Clone)]
pub(crate) enum Operation {
    /// Creates a lead. If this succeeds, the new lead gets `id`.
    Create {
        tenant: Tenant,
        id: Id,
        client: Id,
        change: Change,
        key: Option<u8>,
    },
    Update {
        tenant: Tenant,
        id: Id,
        change: Change,
    },
    Delete {
        tenant: Tenant,
        id: Id,
    },
    Get {
        tenant: Tenant,
        id: Id,
    },
    List {
        tenant: Tenant,
        client: Option<Id>,
        stage: Option<Id>,
        window: Window,
    },
    Pipelines {
        tenant: Tenant,
        window: Window,
    },
    Clients {
        tenant: Tenant,
        window: Window,
    },
    /// Sends a request with a token that may be deleted, revoked or expired.
    Knock {
        tenant: Tenant,
        token: usize,
    },
    Tokens {
        tenant: Tenant,
    },
    /// `tenant` revokes a token, which may belong to the other business.
    Revoke {
        tenant: Tenant,
        of: Tenant,
        token: usize,
    },
    Forget {
        tenant: Tenant,
        of: Tenant,
        token: usize,
    },
    Keep {
        tenant: Tenant,
        of: Tenant,
        token: usize,
    },
    /// Makes the SQL stores delete expired idempotency keys.
    DeleteExpiredKeys,
    /// Advances the clock by a number of seconds, or sets it back slightly.
    Wait(i64),
}

/// Selects the id of a record.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Id {
    /// An id that may exist in both businesses.
    Shared(usize),
    Own,
    Foreign,
    Unknown,
}

/// The fields that a create or an update sets, besides the client account of a create.
#[derive(Debug, Clone)]
pub(crate) struct Change {
    name: Option<u8>,
    notes: Option<u8>,
    pipeline: Option<Placement>,
    stage: Option<Placement>,
}

/// A pipeline or stage id, or `null`.
#[derive(Debug, Clone, Copy)]
enum Placement {
    Named(Id),
    Null,
}

#[derive(Debug, Clone)]
pub(crate) struct Window {
    limit: u32,
    offset: u64,
}

impl Id {
    fn of(self, tenant: Tenant, kind: &str, shared: &[&str]) -> String {
        match self {
            Self::Shared(nth) => shared[nth % shared.len()].to_owned(),
            Self::Own => fixture::own(tenant, kind),
            Self::Foreign => fixture::own(tenant.other(), kind),
            Self::Unknown => "nobody".to_owned(),
        }
    }

    pub(crate) fn client(self, tenant: Tenant) -> String {
        self.of(tenant, "client", &fixture::CLIENTS)
    }

    pub(crate) fn pipeline(self, tenant: Tenant) -> String {
        self.of(tenant, "pipe", &fixture::PIPELINES)
    }

    pub(crate) fn stage(self, tenant: Tenant) -> String {
        self.of(tenant, "stage", &fixture::STAGES)
    }

    pub(crate) fn lead(self, tenant: Tenant) -> String {
        match self {
            Self::Shared(nth) => format!("lead-{}", nth + 1),
            other => other.of(tenant, "lead-1", &[]),
        }
    }
}

impl Change {
    fn fields(&self, tenant: Tenant) -> Map<String, Value> {
        let texts = [("name", self.name), ("notes", self.notes)];
        let texts = texts
            .into_iter()
            .filter_map(|(field, text)| Some((field, json!(format!("{} {}", text?, tenant.canary())))));
        let pipeline = self.pipeline.map(|place| ("pipeline_id", place.named(|id| id.pipeline(tenant))));
        let stage = self.stage.map(|place| ("stage_id", place.named(|id| id.stage(tenant))));
        texts.chain(pipeline).chain(stage).map(|(field, value)| (field.to_owned(), value)).collect()
    }
}

impl Placement {
    fn named(self, name: impl Fn(Id) -> String) -> Value {
        match self {
            Self::Named(id) => name(id).into(),
            Self::Null => Value::Null,
        }
    }
}

impl Window {
    fn query(&self) -> String {
        format!("limit={}&offset={}", self.limit, self.offset)
    }
}

/// Returns the request and its sender, or `None` if the operation is not a request.
pub(crate) fn request(operation: &Operation) -> Option<(Tenant, Request<Bytes>)> {
    Some(match operation {
        Operation::Create { tenant, client, change, key, .. } => {
            let mut body = change.fields(*tenant);
            body.insert("client_id".into(), client.client(*tenant).into());
            let mut request = build_request(*tenant, "POST", "/leads", Some(body.into()));
            if let Some(key) = key {
                request.headers_mut().insert("idempotency-key", format!("key-{key}").parse().unwrap());
            }
            (*tenant, request)
        }
        Operation::Update { tenant, id, change } => (
            *tenant,
            build_request(
                *tenant,
                "PATCH",
                &format!("/leads/{}", id.lead(*tenant)),
                Some(change.fields(*tenant).into()),
            ),
        ),
        Operation::Delete { tenant, id } => {
            (*tenant, build_request(*tenant, "DELETE", &format!("/leads/{}", id.lead(*tenant)), None))
        }
        Operation::Get { tenant, id } => (*tenant, get(*tenant, &format!("/leads/{}", id.lead(*tenant)))),
        Operation::List { tenant, client, stage, window } => {
            let client = client.map(|id| format!("&client_id={}", id.client(*tenant))).unwrap_or_default();
            let stage = stage.map(|id| format!("&stage_id={}", id.stage(*tenant))).unwrap_or_default();
            (*tenant, get(*tenant, &format!("/leads?{}{client}{stage}", window.query())))
        }
        Operation::Pipelines { tenant, window } => (*tenant, get(*tenant, &format!("/pipelines?{}", window.query()))),
        Operation::Clients { tenant, window } => (*tenant, get(*tenant, &format!("/clients?{}", window.query()))),
        Operation::Knock { tenant, token } => (*tenant, with(&tenant.secret(*token), "GET", "/clients", None)),
        _ => return None,
    })
}

pub(crate) fn get(tenant: Tenant, path: &str) -> Request<Bytes> {
    build_request(tenant, "GET", path, None)
}

pub(crate) fn build_request(tenant: Tenant, method: &str, path: &str, body: Option<Value>) -> Request<Bytes> {
    with(&tenant.secret(0), method, path, body)
}

fn with(secret: &str, method: &str, path: &str, body: Option<Value>) -> Request<Bytes> {
    let request = Request::builder().method(method).uri(path).header("authorization", format!("Bearer {secret}"));
    request.body(body.map(|body| body.to_string().into()).unwrap_or_default()).unwrap()
}

/// Returns a create with an idempotency key. A new lead gets the id that `lead` selects.
pub(crate) fn create(tenant: Tenant, lead: usize, key: u8) -> Operation {
    let change = Change { name: Some(0), notes: None, pipeline: None, stage: None };
    Operation::Create { tenant, id: Id::Shared(lead), client: Id::Shared(0), change, key: Some(key) }
}

const HOUR: i64 = 60 * 60;
pub(crate) const DAY: i64 = 24 * HOUR;

/// Generates operations like [`any`], but without idempotency keys.
pub(crate) fn keyless() -> impl Strategy<Value = Operation> {
    any().prop_map(|operation| match operation {
        Operation::Create { tenant, id, client, change, .. } => {
            Operation::Create { tenant, id, client, change, key: None }
        }
        other => other,
    })
}

pub(crate) fn any() -> impl Strategy<Value = Operation> {
    // Token 0 is never affected, so that each business can always send requests.
    let token = || 1..fixture::TOKENS;
    prop_oneof![
        12 => (tenant(), new_lead_id(), id(), change(), option::weighted(0.7, 0..2_u8))
            .prop_map(|(tenant, id, client, change, key)| Operation::Create { tenant, id, client, change: named(change), key }),
        6 => (tenant(), id(), change()).prop_map(|(tenant, id, change)| Operation::Update { tenant, id, change }),
        5 => (tenant(), id()).prop_map(|(tenant, id)| Operation::Delete { tenant, id }),
        3 => (tenant(), id()).prop_map(|(tenant, id)| Operation::Get { tenant, id }),
        6 => (tenant(), option::of(id()), option::of(id()), window())
            .prop_map(|(tenant, client, stage, window)| Operation::List { tenant, client, stage, window }),
        2 => (tenant(), window()).prop_map(|(tenant, window)| Operation::Pipelines { tenant, window }),
        2 => (tenant(), window()).prop_map(|(tenant, window)| Operation::Clients { tenant, window }),
        2 => (tenant(), 0..fixture::TOKENS).prop_map(|(tenant, token)| Operation::Knock { tenant, token }),
        1 => tenant().prop_map(|tenant| Operation::Tokens { tenant }),
        1 => (tenant(), tenant(), token()).prop_map(|(tenant, of, token)| Operation::Revoke { tenant, of, token }),
        1 => (tenant(), tenant(), token()).prop_map(|(tenant, of, token)| Operation::Forget { tenant, of, token }),
        1 => (tenant(), tenant(), token()).prop_map(keep),
        2 => Just(Operation::DeleteExpiredKeys),
        // These steps never bring a key's age close to 24 hours. If they did, a backward step could make a key valid
        // again that some stores have already deleted.
        4 => prop_oneof![4 => Just(1), 3 => Just(7 * HOUR), 2 => Just(25 * HOUR), 2 => Just(-2)].prop_map(Operation::Wait),
    ]
}

/// Inserts a token. A business may insert only the permanent token of the other business, because that insert always
/// fails. Inserting a deleted token of the other business would succeed and give that business's caller access.
fn keep((tenant, of, token): (Tenant, Tenant, usize)) -> Operation {
    Operation::Keep { tenant, of, token: if tenant == of { token } else { 0 } }
}

pub(crate) fn tenant() -> impl Strategy<Value = Tenant> {
    prop_oneof![Just(Tenant::A), Just(Tenant::B)]
}

pub(crate) fn id() -> impl Strategy<Value = Id> {
    prop_oneof![8 => (0..8_usize).prop_map(Id::Shared), 2 => Just(Id::Own), 2 => Just(Id::Foreign), 1 => Just(Id::Unknown)]
}

/// Generates an id for a new record. It never contains the other business's canary.
pub(crate) fn new_id() -> impl Strategy<Value = Id> {
    prop_oneof![6 => (0..8_usize).prop_map(Id::Shared), 1 => Just(Id::Own)]
}

/// Generates an id from a range that is so large that most ids are new.
fn new_lead_id() -> impl Strategy<Value = Id> {
    prop_oneof![12 => (0..24_usize).prop_map(Id::Shared), 1 => Just(Id::Own)]
}

fn change() -> impl Strategy<Value = Change> {
    let place = || option::weighted(0.4, prop_oneof![9 => id().prop_map(Placement::Named), 1 => Just(Placement::Null)]);
    (option::of(0..3_u8), option::weighted(0.2, 0..3_u8), place(), place())
        .prop_map(|(name, notes, pipeline, stage)| Change { name, notes, pipeline, stage })
}

/// Adds a name, because creating a lead requires one.
fn named(change: Change) -> Change {
    Change { name: change.name.or(Some(0)), ..change }
}

fn window() -> impl Strategy<Value = Window> {
    let limit = prop_oneof![Just(1), Just(2), Just(3), Just(200)];
    // For offsets of 1,025 and above, the SQL stores use the lead counts to find a page.
    let offset = prop_oneof![4 => Just(0), 3 => 1..6_u64, 1 => 1_020..1_030_u64, 1 => Just((1 << 53) - 1)];
    (limit, offset).prop_map(|(limit, offset)| Window { limit, offset })
}
