//! Runs the suites during each kind of maintenance.

use leadapi_tests::maintenance::{Engine, run_suites};

#[test]
fn the_suites_pass_during_each_kind_of_maintenance_of_postgres() {
    run_suites(Engine::Postgres, &["conformance::postgres_passes", "commits::", "idempotency::"], |_| true);
}

#[test]
fn the_suites_pass_during_each_kind_of_maintenance_of_sqlite() {
    run_suites(Engine::Sqlite, &["conformance::sqlite", "idempotency::"], |_| true);
}
