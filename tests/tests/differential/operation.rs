//! Random operations of a business and their requests.

use bytes::Bytes;
use http::Request;
use proptest::{option, prelude::*};
use serde_json::{Map, Value, json};

use super::fixture::{self, Who};

#[derive(Debug, Clone)]
pub(crate) enum Operation {
    /// If the create succeeds, the new lead gets `id`.
    Create {
        who: Who,
        id: Id,
        client: Id,
        change: Change,
        key: Option<u8>,
    },
    Update {
        who: Who,
        id: Id,
        change: Change,
    },
    Delete {
        who: Who,
        id: Id,
    },
    Get {
        who: Who,
        id: Id,
    },
    List {
        who: Who,
        client: Option<Id>,
        stage: Option<Id>,
        window: Window,
    },
    Pipelines {
        who: Who,
        window: Window,
    },
    Clients {
        who: Who,
        window: Window,
    },
    /// Sends a request with a token that may be deleted, revoked or expired.
    Knock {
        who: Who,
        token: usize,
    },
    Tokens {
        who: Who,
    },
    /// `who` revokes a token, which may belong to the other business.
    Revoke {
        who: Who,
        of: Who,
        token: usize,
    },
    Forget {
        who: Who,
        of: Who,
        token: usize,
    },
    Keep {
        who: Who,
        of: Who,
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
    /// An id that both businesses may have.
    Shared(usize),
    Own,
    Foreign,
    Unknown,
}

/// The fields of a request body except the client account.
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
    fn of(self, who: Who, kind: &str, shared: &[&str]) -> String {
        match self {
            Self::Shared(nth) => shared[nth % shared.len()].to_owned(),
            Self::Own => fixture::own(who, kind),
            Self::Foreign => fixture::own(who.other(), kind),
            Self::Unknown => "nobody".to_owned(),
        }
    }

    pub(crate) fn client(self, who: Who) -> String {
        self.of(who, "client", &fixture::CLIENTS)
    }

    pub(crate) fn pipeline(self, who: Who) -> String {
        self.of(who, "pipe", &fixture::PIPELINES)
    }

    pub(crate) fn stage(self, who: Who) -> String {
        self.of(who, "stage", &fixture::STAGES)
    }

    pub(crate) fn lead(self, who: Who) -> String {
        match self {
            Self::Shared(nth) => format!("lead-{}", nth + 1),
            other => other.of(who, "lead-1", &[]),
        }
    }
}

impl Change {
    fn fields(&self, who: Who) -> Map<String, Value> {
        let texts = [("name", self.name), ("notes", self.notes)];
        let texts =
            texts.into_iter().filter_map(|(field, text)| Some((field, json!(format!("{} {}", text?, who.canary())))));
        let pipeline = self.pipeline.map(|place| ("pipeline_id", place.named(|id| id.pipeline(who))));
        let stage = self.stage.map(|place| ("stage_id", place.named(|id| id.stage(who))));
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

/// Returns the request of an operation and its sender, or `None` if the operation is not a request.
pub(crate) fn request(operation: &Operation) -> Option<(Who, Request<Bytes>)> {
    Some(match operation {
        Operation::Create { who, client, change, key, .. } => {
            let mut body = change.fields(*who);
            body.insert("client_id".into(), client.client(*who).into());
            let mut request = build_request(*who, "POST", "/leads", Some(body.into()));
            if let Some(key) = key {
                request.headers_mut().insert("idempotency-key", format!("key-{key}").parse().unwrap());
            }
            (*who, request)
        }
        Operation::Update { who, id, change } => {
            (*who, build_request(*who, "PATCH", &format!("/leads/{}", id.lead(*who)), Some(change.fields(*who).into())))
        }
        Operation::Delete { who, id } => {
            (*who, build_request(*who, "DELETE", &format!("/leads/{}", id.lead(*who)), None))
        }
        Operation::Get { who, id } => (*who, get(*who, &format!("/leads/{}", id.lead(*who)))),
        Operation::List { who, client, stage, window } => {
            let client = client.map(|id| format!("&client_id={}", id.client(*who))).unwrap_or_default();
            let stage = stage.map(|id| format!("&stage_id={}", id.stage(*who))).unwrap_or_default();
            (*who, get(*who, &format!("/leads?{}{client}{stage}", window.query())))
        }
        Operation::Pipelines { who, window } => (*who, get(*who, &format!("/pipelines?{}", window.query()))),
        Operation::Clients { who, window } => (*who, get(*who, &format!("/clients?{}", window.query()))),
        Operation::Knock { who, token } => (*who, with(&who.secret(*token), "GET", "/clients", None)),
        _ => return None,
    })
}

pub(crate) fn get(who: Who, path: &str) -> Request<Bytes> {
    build_request(who, "GET", path, None)
}

pub(crate) fn build_request(who: Who, method: &str, path: &str, body: Option<Value>) -> Request<Bytes> {
    with(&who.secret(0), method, path, body)
}

fn with(secret: &str, method: &str, path: &str, body: Option<Value>) -> Request<Bytes> {
    let request = Request::builder().method(method).uri(path).header("authorization", format!("Bearer {secret}"));
    request.body(body.map(|body| body.to_string().into()).unwrap_or_default()).unwrap()
}

/// Returns a create with an idempotency key. If it creates a lead, the lead gets the id that `lead` selects.
pub(crate) fn create(who: Who, lead: usize, key: u8) -> Operation {
    let change = Change { name: Some(0), notes: None, pipeline: None, stage: None };
    Operation::Create { who, id: Id::Shared(lead), client: Id::Shared(0), change, key: Some(key) }
}

const HOUR: i64 = 60 * 60;
pub(crate) const DAY: i64 = 24 * HOUR;

/// Generates any operation, without idempotency keys.
pub(crate) fn keyless() -> impl Strategy<Value = Operation> {
    any().prop_map(|operation| match operation {
        Operation::Create { who, id, client, change, .. } => Operation::Create { who, id, client, change, key: None },
        other => other,
    })
}

pub(crate) fn any() -> impl Strategy<Value = Operation> {
    // Token 0 always stays valid, so that each business can always send requests.
    let token = || 1..fixture::TOKENS;
    prop_oneof![
        12 => (who(), new_lead_id(), id(), change(), option::weighted(0.7, 0..2_u8))
            .prop_map(|(who, id, client, change, key)| Operation::Create { who, id, client, change: named(change), key }),
        6 => (who(), id(), change()).prop_map(|(who, id, change)| Operation::Update { who, id, change }),
        5 => (who(), id()).prop_map(|(who, id)| Operation::Delete { who, id }),
        3 => (who(), id()).prop_map(|(who, id)| Operation::Get { who, id }),
        6 => (who(), option::of(id()), option::of(id()), window())
            .prop_map(|(who, client, stage, window)| Operation::List { who, client, stage, window }),
        2 => (who(), window()).prop_map(|(who, window)| Operation::Pipelines { who, window }),
        2 => (who(), window()).prop_map(|(who, window)| Operation::Clients { who, window }),
        2 => (who(), 0..fixture::TOKENS).prop_map(|(who, token)| Operation::Knock { who, token }),
        1 => who().prop_map(|who| Operation::Tokens { who }),
        1 => (who(), who(), token()).prop_map(|(who, of, token)| Operation::Revoke { who, of, token }),
        1 => (who(), who(), token()).prop_map(|(who, of, token)| Operation::Forget { who, of, token }),
        1 => (who(), who(), token()).prop_map(keep),
        2 => Just(Operation::DeleteExpiredKeys),
        // With these steps, no key is ever close to 24 hours old. If the clock were set back across that age, some
        // stores might already have deleted the key.
        4 => prop_oneof![4 => Just(1), 3 => Just(7 * HOUR), 2 => Just(25 * HOUR), 2 => Just(-2)].prop_map(Operation::Wait),
    ]
}

/// Inserts a token. Of the other business's tokens, uses only the one that always stays: inserting a deleted one would
/// succeed, and give the other business's caller access.
fn keep((who, of, token): (Who, Who, usize)) -> Operation {
    Operation::Keep { who, of, token: if who == of { token } else { 0 } }
}

pub(crate) fn who() -> impl Strategy<Value = Who> {
    prop_oneof![Just(Who::A), Just(Who::B)]
}

pub(crate) fn id() -> impl Strategy<Value = Id> {
    prop_oneof![8 => (0..8_usize).prop_map(Id::Shared), 2 => Just(Id::Own), 2 => Just(Id::Foreign), 1 => Just(Id::Unknown)]
}

/// Generates an id for a new record, never one with the other business's canary.
pub(crate) fn new_id() -> impl Strategy<Value = Id> {
    prop_oneof![6 => (0..8_usize).prop_map(Id::Shared), 1 => Just(Id::Own)]
}

/// Generates an id from a range so large that most ids are new.
fn new_lead_id() -> impl Strategy<Value = Id> {
    prop_oneof![12 => (0..24_usize).prop_map(Id::Shared), 1 => Just(Id::Own)]
}

fn change() -> impl Strategy<Value = Change> {
    let place = || option::weighted(0.4, prop_oneof![9 => id().prop_map(Placement::Named), 1 => Just(Placement::Null)]);
    (option::of(0..3_u8), option::weighted(0.2, 0..3_u8), place(), place())
        .prop_map(|(name, notes, pipeline, stage)| Change { name, notes, pipeline, stage })
}

/// Adds a name, because a create requires one.
fn named(change: Change) -> Change {
    Change { name: change.name.or(Some(0)), ..change }
}

fn window() -> impl Strategy<Value = Window> {
    let limit = prop_oneof![Just(1), Just(2), Just(3), Just(200)];
    // From offset 1,025 on, the SQL stores use the lead counts to find a page.
    let offset = prop_oneof![4 => Just(0), 3 => 1..6_u64, 1 => 1_020..1_030_u64, 1 => Just((1 << 53) - 1)];
    (limit, offset).prop_map(|(limit, offset)| Window { limit, offset })
}
