//! Tests that the cost of a change to a token does not depend on the number of tokens of the business, and that the
//! cost of a sign-in does not depend on the length of the audit log.

use async_trait::async_trait;
use futures_util::FutureExt;
use leadapi_core::{
    auth::{Actor, Authority, Scopes, TokenHash},
    id::{BusinessId, TokenId},
    model::Timestamp,
    port::{
        AuditAction, Replacement, SessionStarted, SignIn, TokenAction, TokenChange, TokenChanged, TokenRecord,
        TokenRefusal,
    },
};
use rusqlite::{Connection, StatementStatus, config::DbConfig};

use super::{ChangeTokens, session::StartSession};
use crate::{
    SqlStore,
    error::SqlError,
    row::Row,
    session::{Query, Read, Session, Work},
    tokens,
};

/// A session on a connection that counts the steps of SQLite's virtual machine.
struct Counting {
    connection: Connection,
    steps: i64,
}

#[async_trait]
impl Session for Counting {
    async fn query(&mut self, queries: Vec<Query>, read: &mut Read<'_>) -> Result<(), SqlError> {
        for (nth, query) in queries.iter().enumerate() {
            let mut statement = self.connection.prepare(query.sql).unwrap();
            for (at, param) in query.params.iter().enumerate() {
                statement.raw_bind_parameter(at + 1, param).unwrap();
            }
            let mut rows = statement.raw_query();
            while let Some(row) = rows.next().unwrap() {
                read(nth, Row::new(row))?;
            }
            drop(rows);
            self.steps += i64::from(statement.get_status(StatementStatus::VmStep));
        }
        Ok(())
    }

    async fn execute(&mut self, query: Query) -> Result<(), SqlError> {
        self.query(vec![query], &mut |_, _| Ok(())).await
    }
}

fn business() -> BusinessId {
    BusinessId::parse("b1").unwrap()
}

fn noon() -> Timestamp {
    "2026-05-04T12:00:00Z".parse().unwrap()
}

fn id(number: u16) -> TokenId {
    TokenId::parse(format!("t{number}")).unwrap()
}

fn hash(number: u16) -> TokenHash {
    let mut bytes = [0; 32];
    bytes[..2].copy_from_slice(&number.to_be_bytes());
    TokenHash::from_bytes(bytes)
}

fn token(number: u16, name: &str) -> TokenRecord {
    let at = "2026-05-01T12:00:00Z".parse().unwrap();
    TokenRecord::stored(id(number), name, Scopes::Both, "pak_AbCd", hash(number), at)
}

/// Opens a new store that contains these tokens.
async fn open(folder: &std::path::Path, records: impl Iterator<Item = TokenRecord>) -> Counting {
    let path = folder.join("leads.db");
    drop(SqlStore::open(&format!("sqlite:{}", path.display()).parse().unwrap()).await.unwrap());
    let connection = Connection::open(path).unwrap();
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).unwrap();
    let people = "BEGIN; INSERT INTO business VALUES ('b1', 'B', 0); \
        INSERT INTO member VALUES ('b1', 'ann@b1.example', 'owner', 'ann@b1.example')";
    connection.execute_batch(people).unwrap();
    let mut session = Counting { connection, steps: 0 };
    for record in records {
        session.execute(tokens::insert(&business(), &record)).await.unwrap();
    }
    session.connection.execute_batch("COMMIT").unwrap();
    session
}

/// Makes a change, and returns its outcome and cost.
fn change(session: &mut Counting, action: TokenAction) -> (TokenChanged, i64) {
    let ann = Actor::new("ann@b1.example", None).authority(Authority::Membership);
    let work = ChangeTokens { business: business(), change: TokenChange::new(action, noon(), ann) };
    session.steps = 0;
    let changed = work.run(session).now_or_never().unwrap().unwrap();
    (changed, session.steps)
}

/// Creates, rotates, revokes and deletes a token, and returns the cost of each.
fn all_changes(session: &mut Counting) -> [i64; 4] {
    let replacement = Replacement::new(id(60_001), "pak_New", hash(60_001), None);
    let overlap_end = "2026-05-05T12:00:00Z".parse().unwrap();
    let actions = [
        TokenAction::Create(token(60_000, "website")),
        TokenAction::Rotate { id: id(0), replacement, overlap_end },
        TokenAction::Revoke(id(1)),
        TokenAction::Delete(id(1)),
    ];
    actions.map(|action| match change(session, action) {
        (TokenChanged::Done(_), steps) => steps,
        (other, _) => panic!("{other:?}"),
    })
}

/// Returns ten valid tokens.
fn valid() -> impl Iterator<Item = TokenRecord> {
    (0..10).map(|number| token(number, &format!("valid {number}")))
}

#[tokio::test]
async fn a_change_costs_the_same_with_20000_old_tokens() {
    let (small, large) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    // The names are those of the new tokens, so the search for a valid token with the name must skip them.
    let named = |number: u16| token(number, if number.is_multiple_of(2) { "website" } else { "valid 0" });
    let past: Timestamp = "2026-05-02T12:00:00Z".parse().unwrap();
    let old = (10..20_010).map(|number| {
        let mut record = named(number);
        let end = if number < 10_010 { &mut record.expires_at } else { &mut record.revoked_at };
        *end = Some(past);
        record
    });
    let few = all_changes(&mut open(small.path(), valid()).await);
    let many = all_changes(&mut open(large.path(), valid().chain(old)).await);
    for (few, many) in few.into_iter().zip(many) {
        assert!(many <= few + few / 10, "{few} steps with 10 tokens, {many} with 20,010");
    }
}

#[tokio::test]
async fn a_change_costs_little_with_20000_valid_tokens() {
    let (small, large) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut few = open(small.path(), valid()).await;
    let others = (10..20_010).map(|number| token(number, &format!("other {number}")));
    let mut many = open(large.path(), valid().chain(others)).await;
    for action in [TokenAction::Revoke(id(1)), TokenAction::Delete(id(1))] {
        let ((_, few), (done, many)) = (change(&mut few, action.clone()), change(&mut many, action));
        assert!(matches!(done, TokenChanged::Done(_)), "{done:?}");
        assert!(many <= few + few / 10, "{few} steps with 10 tokens, {many} with 20,010");
    }
    let (refused, steps) = change(&mut many, TokenAction::Create(token(60_000, "website")));
    assert_eq!(refused, TokenChanged::Refused(TokenRefusal::TooMany));
    assert!(steps < 5_000, "{steps} steps");
}

/// Starts a session, and returns its cost.
fn sign_in(session: &mut Counting) -> i64 {
    let sign_in = SignIn::new(hash(0), noon(), None, AuditAction::SignedInByProxy);
    let work = StartSession { business: business(), email: "ann@b1.example".to_owned(), sign_in };
    session.steps = 0;
    let started = work.run(session).now_or_never().unwrap().unwrap();
    assert!(matches!(started, SessionStarted::Done(_)), "{started:?}");
    session.steps
}

#[tokio::test]
async fn a_sign_in_costs_the_same_with_20000_old_sign_ins() {
    let (small, large) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (mut few, mut many) = (open(small.path(), valid()).await, open(large.path(), valid()).await);
    let old = "WITH RECURSIVE number (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM number WHERE n < 20000) \
        INSERT INTO audit (business_id, at, id, action, email) \
        SELECT 'b1', n, 'a' || n, 'signed_in', 'ann@b1.example' FROM number";
    many.connection.execute_batch(old).unwrap();
    let (few, many) = (sign_in(&mut few), sign_in(&mut many));
    assert!(many <= few + few / 10, "{few} steps with no sign-in, {many} with 20,000");
}
