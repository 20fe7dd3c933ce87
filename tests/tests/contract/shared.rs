//! Runs the public contract check, which contains every requirement that can be checked without control over the clock,
//! ids, data, limits or failures.

use leadapi_tests::{StoreKind, run_contract_check};

#[tokio::test]
async fn every_requirement_is_met_in_memory() {
    run_contract_check(StoreKind::Memory).await;
}

#[tokio::test]
async fn every_requirement_is_met_in_sqlite() {
    run_contract_check(StoreKind::Sqlite).await;
}

#[tokio::test]
async fn every_requirement_is_met_in_postgres() {
    run_contract_check(StoreKind::Postgres).await;
}
