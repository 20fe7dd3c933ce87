//! The sentences that need no control over clock, ids, data, limits or failures are written once, in the public
//! contract check.

use leadapi_tests::{StoreKind, run_contract_check};

#[tokio::test]
async fn every_sentence_holds_in_memory() {
    run_contract_check(StoreKind::Memory).await;
}

#[tokio::test]
async fn every_sentence_holds_in_sqlite() {
    run_contract_check(StoreKind::Sqlite).await;
}

#[tokio::test]
async fn every_sentence_holds_in_postgres() {
    run_contract_check(StoreKind::Postgres).await;
}
