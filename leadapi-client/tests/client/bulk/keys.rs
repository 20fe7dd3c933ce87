//! Tests of the idempotency keys of imported rows.

use leadapi_client::model::{IdempotencyKey, NewLead};

use super::{counts, rows, simulation::simulation};

#[test]
fn the_same_name_replays_rows_and_another_name_creates_them_again() {
    let simulation = simulation();
    let run = |name: &str, rows: &[NewLead]| {
        let mut creates = simulation.client().leads().create_many(rows.to_vec()).named(name).unwrap();
        simulation.run_to_end(&mut creates);
        counts(creates.progress())
    };
    let rows = rows(10);
    assert_eq!(run("a", &rows), [10, 0, 0, 0, 0]);
    assert_eq!(run("a", &rows), [0, 10, 0, 0, 0]);
    let mut corrected = rows.clone();
    corrected[4].notes = Some("Call back in June".into());
    assert_eq!(run("a", &corrected), [0, 9, 1, 0, 0], "the key belongs to the original row");
    assert_eq!(run("b", &rows), [10, 0, 0, 0, 0]);
    assert!(simulation.leads().values().all(|number| *number == 2));
}

#[test]
fn a_name_must_be_a_valid_key_prefix() {
    let client = simulation().client();
    let named = |name: &str| client.leads().create_many(rows(0)).named(name).is_ok();
    assert!(named("import-7") && named(&"x".repeat(230)));
    assert!(!named("import 7") && !named("été") && !named(&"x".repeat(231)));
}

#[test]
fn without_a_name_each_run_creates_all_rows() {
    let simulation = simulation();
    for _ in 0..2 {
        simulation.run_to_end(&mut simulation.client().leads().create_many(rows(10)));
    }
    assert!(simulation.leads().values().all(|number| *number == 2));
}

#[test]
fn keys_can_be_derived_from_rows() {
    let simulation = simulation();
    let key = |index: u64, row: &NewLead| {
        let name = row.name.as_deref().unwrap().replace(' ', "-");
        IdempotencyKey::parse(&format!("{name}-at-{index}")).unwrap()
    };
    let mut creates = simulation.client().leads().create_many(rows(2)).keys(key).in_order();
    let (results, _) = simulation.run_to_end(&mut creates);
    assert_eq!(results[1].key.as_str(), "Row-1-at-1");
}
