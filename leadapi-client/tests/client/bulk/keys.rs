//! The idempotency keys of rows.

use leadapi_client::model::{IdempotencyKey, NewLead};

use super::{counts, rows, world::world};

#[test]
fn a_name_stands_for_the_same_rows_and_another_for_more() {
    let world = world();
    let run = |name: &str, rows: &[NewLead]| {
        let mut creates = world.client().leads().create_many(rows.to_vec()).named(name).unwrap();
        world.all(&mut creates);
        counts(creates.progress())
    };
    let rows = rows(10);
    assert_eq!(run("a", &rows), [10, 0, 0, 0, 0]);
    assert_eq!(run("a", &rows), [0, 10, 0, 0, 0]);
    let mut mended = rows.clone();
    mended[4].notes = Some("Call back in June".into());
    assert_eq!(run("a", &mended), [0, 9, 1, 0, 0], "its key stands for the row as it was");
    assert_eq!(run("b", &rows), [10, 0, 0, 0, 0]);
    assert!(world.leads().values().all(|number| *number == 2));
}

#[test]
fn a_name_must_be_the_beginning_of_keys() {
    let client = world().client();
    let named = |name: &str| client.leads().create_many(rows(0)).named(name).is_ok();
    assert!(named("import-7") && named(&"x".repeat(230)));
    assert!(!named("import 7") && !named("été") && !named(&"x".repeat(231)));
}

#[test]
fn without_a_name_each_run_is_another() {
    let world = world();
    for _ in 0..2 {
        world.all(&mut world.client().leads().create_many(rows(10)));
    }
    assert!(world.leads().values().all(|number| *number == 2));
}

#[test]
fn keys_may_come_from_the_rows() {
    let world = world();
    let key = |index: u64, row: &NewLead| {
        let name = row.name.as_deref().unwrap().replace(' ', "-");
        IdempotencyKey::parse(&format!("{name}-at-{index}")).unwrap()
    };
    let mut creates = world.client().leads().create_many(rows(2)).keys(key).in_order();
    let (results, _) = world.all(&mut creates);
    assert_eq!(results[1].key.as_str(), "Row-1-at-1");
}
