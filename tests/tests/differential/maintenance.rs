//! Runs the suites during each kind of maintenance.

use leadapi_tests::maintenance::{Engine, run_suites};

#[test]
fn the_suites_pass_during_each_kind_of_maintenance_of_postgres() {
    run_suites(Engine::Postgres, &["keys::", "lost::", "random::"], |kind| !kind.adds_rows());
}

#[test]
fn the_suites_pass_during_each_kind_of_maintenance_of_sqlite() {
    run_suites(Engine::Sqlite, &["keys::", "random::"], |kind| !kind.adds_rows());
}
