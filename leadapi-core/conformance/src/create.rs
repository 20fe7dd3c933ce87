//! Checks of lead creation (contract D4, D6).

use leadapi_core::{
    auth::Author,
    model::{Lead, LeadItem, LeadQuery},
    port::{Created, Store},
    validate::{InvalidReference, OPTIONAL_TEXTS},
};

use super::{
    CheckResult, NOON, already_exists, business, client, create, draft, ids, lead_id, listed, meta, new, page,
    pipeline, same, sample, stage, timestamp, try_create,
};

/// Checks that the store returns every value unchanged, down to the last character of a string and the last bit of a
/// number.
pub(super) async fn preserves_every_value(store: &impl Store) -> CheckResult {
    let text = "Zoë \u{65}\u{301} 佐藤 🦀 'quoted' \"double\" \\ % _ -- ;";
    let mut full = new(text).stage(&stage("s12"));
    let mut expected = Lead::new(lead_id("l1"), client("c1"), text, timestamp("2026-05-04T12:00:00.001Z")?);
    for field in OPTIONAL_TEXTS {
        let text = match field.name() {
            "source" => " web ".to_owned(),
            "notes" => format!("\n a\r\n\tb \n{}", "🦀".repeat(9_000)),
            _ => sample(field, 0),
        };
        *field.in_new(&mut full) = Some(text.clone());
        *field.get_mut(&mut expected) = Some(text);
    }
    expected.pipeline_id = Some(pipeline("p1"));
    expected.stage_id = Some(stage("s12"));
    let made = create(store, "l1", "2026-05-04T12:00:00.001Z", &full).await?;
    same("the returned lead", &*made, &expected)?;
    let read = store.get(&business("b1"), &lead_id("l1")).await?;
    same("the lead read again", &read.as_deref(), &Some(&expected))?;

    let listed = page(store, "b1", &LeadQuery::new()).await?.data;
    same("the lead in a list", &listed.first().map(|lead| item(lead)), &Some(item(&expected)))?;

    for (at, number) in NUMBERS.into_iter().enumerate() {
        let id = format!("v{at}");
        create(store, &id, NOON, &new("n").value(number)).await?;
        let read = store.get(&business("b1"), &lead_id(&id)).await?;
        let read = read.and_then(|lead| lead.value).map(|value| value.get().to_bits());
        // Negative zero becomes zero, which is the same number (contract D4).
        same(&format!("{number:e} read again"), &read, &Some((number + 0.0).to_bits()))?;
    }
    create(store, "l0", NOON, &new("bare")).await?;
    let bare = Lead::new(lead_id("l0"), client("c1"), "bare", timestamp(NOON)?);
    let read = store.get(&business("b1"), &lead_id("l0")).await?;
    same("a lead without optional fields", &read.as_deref(), &Some(&bare))
}

/// Ordinary numbers, the extreme values of a double, and numbers that a decimal column, a 32-bit float or 15
/// significant digits would not preserve.
const NUMBERS: [f64; 18] = [
    0.0,
    -0.0,
    0.1,
    0.1 + 0.2,
    -12.5,
    1.0 / 3.0,
    1_234_567.890_123_456_7,
    16_777_217.0,
    9_007_199_254_740_991.0,
    9_007_199_254_740_992.0,
    9_223_372_036_854_775_808.0,
    1e22,
    1e-300,
    f64::MIN_POSITIVE,
    f64::MIN_POSITIVE / 4.0,
    5e-324,
    f64::MAX,
    f64::MIN,
];

/// Returns the list item for a lead. Stores do not have to load the fields that lists omit.
fn item(lead: &Lead) -> LeadItem {
    lead.clone().into()
}

/// Checks that timestamps before the epoch and at both ends of the valid range keep their milliseconds and their order.
pub(super) async fn preserves_timestamps(store: &impl Store) -> CheckResult {
    let timestamps = [
        "9999-12-31T23:59:59.999Z",
        "9999-12-31T23:59:59.998Z",
        "2026-05-04T12:00:00.000Z",
        "2026-05-04T11:59:59.999Z",
        "2000-02-29T00:00:00.000Z",
        "1970-01-01T00:00:00.001Z",
        "1970-01-01T00:00:00.000Z",
        "1969-12-31T23:59:59.999Z",
        "1969-12-31T23:59:59.000Z",
        "1583-01-01T00:00:00.000Z",
        "0999-12-31T23:59:59.999Z",
        "0000-12-31T23:59:59.999Z",
        "0000-01-01T00:00:00.000Z",
    ];
    // The leads are created out of timestamp order, and neither order matches the order of the ids.
    for at in 0..timestamps.len() {
        let at = (at * 5 + 6) % timestamps.len();
        let timestamp = timestamps.get(at).copied().unwrap_or_default();
        create(store, &format!("l{}", at * 7 % timestamps.len()), timestamp, &new("n")).await?;
    }
    let listed = page(store, "b1", &LeadQuery::new()).await?.data;
    let found: Vec<String> = listed.iter().map(|lead| lead.created_at.to_string()).collect();
    same("the timestamps, latest first", &found, &ids(&timestamps))?;
    for lead in listed {
        let read = store.get(&business("b1"), &lead.id).await?;
        same("a timestamp read again", &read.map(|lead| lead.created_at), &Some(lead.created_at))?;
    }
    Ok(())
}

pub(super) async fn assigns_pipeline_and_stage(store: &impl Store) -> CheckResult {
    let cases = [
        ("l1", new("n"), None),
        ("l2", new("n").stage(&stage("s12")), Some(("p1", "s12"))),
        ("l3", new("n").pipeline(&pipeline("p1")), Some(("p1", "s11"))),
        ("l4", new("n").pipeline(&pipeline("p1")).stage(&stage("s12")), Some(("p1", "s12"))),
    ];
    for (id, lead, place) in cases {
        let made = create(store, id, NOON, &lead).await?;
        let found = made.pipeline_id.as_ref().zip(made.stage_id.as_ref());
        same("the pipeline and stage", &found.map(|(pipeline, stage)| (pipeline.as_str(), stage.as_str())), &place)?;
    }
    Ok(())
}

pub(super) async fn refuses_missing_references(store: &impl Store) -> CheckResult {
    let here = |id: &str| {
        let mut lead = new("n");
        lead.client_id = Some(id.to_owned());
        lead
    };
    let mut impossible = new("n");
    impossible.stage_id = Some("no such".into());
    let cases = [
        (here("nobody"), InvalidReference::Client),
        (here("no such"), InvalidReference::Client),
        (here("nobody").pipeline(&pipeline("nothing")), InvalidReference::Client),
        (here("c1").pipeline(&pipeline("nothing")), InvalidReference::Pipeline),
        (here("c1").stage(&stage("nothing")), InvalidReference::Stage),
        (impossible, InvalidReference::Stage),
        (here("c1").stage(&stage("nothing")).pipeline(&pipeline("nothing")), InvalidReference::PipelineAndStage),
        (here("c1").stage(&stage("s11")).pipeline(&pipeline("nothing")), InvalidReference::Pipeline),
        (here("c1").stage(&stage("nothing")).pipeline(&pipeline("p1")), InvalidReference::Stage),
        (here("c1").stage(&stage("s21")).pipeline(&pipeline("p1")), InvalidReference::Mismatch),
    ];
    for (lead, reference) in cases {
        let outcome = try_create(store, "l1", NOON, &lead, None).await?;
        same("the outcome", &outcome, &Created::Refused(reference))?;
        same("the number of leads", &page(store, "b1", &LeadQuery::new()).await?.total, &0)?;
    }
    Ok(())
}

/// Checks that a second lead with the same id does not overwrite the first.
pub(super) async fn refuses_a_duplicate_id(store: &impl Store) -> CheckResult {
    create(store, "l1", NOON, &new("first")).await?;
    let again = store
        .create(&business("b1"), &Author::Host, meta("l1", "2026-05-05T12:00:00Z")?, draft(&new("second"))?, None)
        .await;
    already_exists("the second", &again)?;
    let read = store.get(&business("b1"), &lead_id("l1")).await?;
    same("the name of the first", &read.map(|lead| lead.name.clone()), &Some("first".into()))?;
    same("the list", &listed(store, &LeadQuery::new()).await?, &(ids(&["l1"]), 1))
}
