//! The data in the measured stores, and a timer for calls to them.

use std::time::{Duration, Instant};

use leadapi_core::{
    dataset::{BusinessSeed, Dataset},
    id::{BusinessId, ClientId, LeadId, PipelineId, StageId},
    model::{Amount, ClientAccount, Lead, NewLead, Pipeline, Stage, Timestamp},
};

pub(crate) const CLIENTS: usize = 4;
pub(crate) const STAGES: usize = 5;

pub(crate) fn business() -> BusinessId {
    BusinessId::parse("019bb16e-fe80-71bd-97d4-34affe250f1f").unwrap()
}

pub(crate) fn client(nth: usize) -> ClientId {
    ClientId::parse(format!("019bb17b-d806-7737-af83-b92ecab0d{:03}", nth % CLIENTS)).unwrap()
}

pub(crate) fn stage(nth: usize) -> StageId {
    StageId::parse(format!("019bb17b-d806-7737-af83-b92ecab57{:03}", nth % STAGES)).unwrap()
}

pub(crate) fn lead_id(nth: usize) -> LeadId {
    LeadId::parse(format!("019bb17b-d806-7737-af83-{nth:012}")).unwrap()
}

pub(crate) fn moment(minutes: usize) -> Timestamp {
    let start: Timestamp = "2024-01-01T00:00:00Z".parse().unwrap();
    start.checked_add(Duration::from_secs(60 * minutes as u64)).unwrap()
}

/// Returns a data set with one lead per minute.
pub(crate) fn dataset(leads: usize) -> Dataset {
    let mut seed = BusinessSeed::new(business(), "Harbour & Pine", moment(0));
    seed.clients =
        (0..CLIENTS).map(|nth| ClientAccount::new(client(nth), format!("Account {nth}"), moment(0))).collect();
    let stages = (0..STAGES).zip(1..).map(|(nth, at)| Stage::new(stage(nth), format!("Stage {nth}"), at)).collect();
    seed.pipelines = vec![Pipeline::new(pipeline(), "Sales", stages, moment(0))];
    seed.leads = (0..leads).map(lead).collect();
    Dataset::new(vec![seed])
}

fn pipeline() -> PipelineId {
    PipelineId::parse("019bb17b-d806-7737-af83-b92ecab91001").unwrap()
}

fn lead(nth: usize) -> Lead {
    let mut lead = Lead::new(lead_id(nth), client(nth), format!("Élodie Fournier {nth}"), moment(nth));
    lead.email = Some(format!("elodie.{nth}@example.fr"));
    lead.phone = Some("+33 1 99 00 14 20".into());
    lead.source = Some("website".into());
    lead.notes = Some("Wants a call in the morning, and a price for two.".into());
    lead.value = Some(Amount::from(450));
    lead.pipeline_id = Some(pipeline());
    lead.stage_id = Some(stage(nth / CLIENTS));
    lead
}

pub(crate) fn new_lead(nth: usize) -> NewLead {
    NewLead::new(&client(nth), format!("Élodie Fournier {nth}"))
        .email(format!("elodie.{nth}@example.fr"))
        .phone("+33 1 99 00 14 20")
        .source("website")
        .notes("Wants a call in the morning, and a price for two.")
        .value(450)
        .stage(&stage(nth / CLIENTS))
}

/// Returns the numbers of leads for which the benchmark runs.
pub(crate) fn sizes() -> Vec<usize> {
    let sizes = std::env::var("LEADAPI_BENCH_LEADS").unwrap_or_else(|_| "1000,100000".into());
    sizes.split(',').map(|size| size.parse().unwrap()).collect()
}

pub(crate) fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

/// Returns the median duration of a call in microseconds, over at least 50 calls and half a second.
pub(crate) async fn time(call: impl AsyncFn(usize)) -> f64 {
    for nth in 0..5 {
        call(nth).await;
    }
    let (mut figures, start) = (Vec::new(), Instant::now());
    while figures.len() < 50 || start.elapsed() < Duration::from_millis(500) {
        let before = Instant::now();
        call(figures.len()).await;
        figures.push(before.elapsed().as_secs_f64() * 1e6);
    }
    median(figures)
}

pub(crate) fn micros(time: f64) -> String {
    if time < 1_000.0 { format!("{time:.1} us") } else { format!("{:.2} ms", time / 1_000.0) }
}
