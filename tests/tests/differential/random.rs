//! Tests with random sequences of operations.
//!
//! `LEADAPI_DIFFERENTIAL_CASES` sets the number of cases, `LEADAPI_DIFFERENTIAL_SEED` the seed, and
//! `LEADAPI_DIFFERENTIAL_STEPS` the maximum number of steps to shrink a failing case.

use std::{
    env,
    fmt::Debug,
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
};

use leadapi_core::dataset::Dataset;
use leadapi_tests::{Seed, scale};
use proptest::{
    collection::vec,
    prelude::*,
    test_runner::{Config, RngSeed, TestCaseError, TestRunner},
};

use super::{
    administration::{self, TaskRequest},
    audit, fixture, model,
    operation::{self, Operation},
    sides::{Check, Sides, Stores},
};

/// The default number of cases, which take a few seconds in total.
const CASES: u32 = 24;
/// The default maximum number of steps to shrink a failing case.
const STEPS: u32 = 256;

fn number<T: std::str::FromStr>(name: &str) -> Option<T> {
    env::var(name).ok()?.parse().ok()
}

#[test]
fn stores_agree_on_random_requests() {
    let played = AtomicUsize::new(0);
    run(&vec(operation::any(), 60..120), async |stores, operations: Vec<Operation>| {
        played.fetch_add(operations.len(), Relaxed);
        play(stores, &operations).await
    });
    scale::print_figures(format!(
        "{played:?} operations of two businesses with the same ids on each kind of store: no response contained, and no \
         operation changed, a record of the other business"
    ));
}

#[test]
fn stores_agree_on_random_administration() {
    let step = prop_oneof![
        2 => operation::keyless().prop_map(Step::Operation),
        1 => administration::task_request().prop_map(Step::Task),
    ];
    run(&vec(step, 40..80), async |stores, steps: Vec<Step>| administer(stores, &steps).await);
}

/// Runs all cases of a strategy on the same stores, which are opened only once.
fn run<T: Debug>(cases: &impl Strategy<Value = T>, play: impl AsyncFn(&Stores, T) -> Check) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let stores = runtime.block_on(Stores::open(&fixture::seed()));
    let seed = number("LEADAPI_DIFFERENTIAL_SEED").unwrap_or_else(rand);
    let config = Config {
        cases: number("LEADAPI_DIFFERENTIAL_CASES").unwrap_or(CASES),
        max_shrink_iters: number("LEADAPI_DIFFERENTIAL_STEPS").unwrap_or(STEPS),
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(seed),
        ..Config::default()
    };
    let outcome =
        TestRunner::new(config).run(cases, |case| runtime.block_on(play(&stores, case)).map_err(TestCaseError::fail));
    outcome.unwrap_or_else(|wrong| panic!("LEADAPI_DIFFERENTIAL_SEED={seed}\n{wrong}"));
}

/// Returns a seed that differs from run to run.
fn rand() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    RandomState::new().hash_one(0)
}

async fn play(stores: &Stores, operations: &[Operation]) -> Check {
    let sides = stores.begin().await;
    for operation in operations {
        sides.play(operation).await?;
    }
    audit::all(&sides, &fixture::seed()).await?;
    for side in &sides.all {
        audit::commit_records(side.open_store).await?;
    }
    Ok(())
}

#[derive(Debug, Clone)]
enum Step {
    Operation(Operation),
    Task(TaskRequest),
}

async fn administer(stores: &Stores, steps: &[Step]) -> Check {
    let mut sides = stores.begin().await;
    let mut seed = fixture::seed();
    for step in steps {
        match step {
            Step::Operation(operation) => sides.play(operation).await?,
            Step::Task(request) => {
                perform(&mut sides, &mut seed, request).await.map_err(|wrong| format!("{request:?}: {wrong}"))?;
            }
        }
    }
    audit::all(&sides, &seed).await
}

/// Performs a task on every SQL store. All results must be the same and match the model.
async fn perform(sides: &mut Sides<'_>, seed: &mut Seed, request: &TaskRequest) -> Check {
    let mut businesses = audit::businesses(&sides.all[0].ports, seed).await;
    let business = businesses.iter_mut().find(|business| business.id == request.tenant.business()).unwrap();
    let after = model::apply(request, business);
    let mut first = None;
    for side in &sides.all {
        let Some((store, _)) = side.open_store.sql() else { continue };
        let (outcome, done) =
            request.perform(store).await.map_err(|wrong| format!("{:?}: {wrong}", side.open_store.kind))?;
        if done != after.is_some() {
            return Err(format!(
                "{:?} returned {outcome}, which differs from the model of {business:?}",
                side.open_store.kind
            ));
        }
        let first = first.get_or_insert_with(|| outcome.clone());
        if *first != outcome {
            return Err(format!("{:?} returned {outcome} instead of {first}", side.open_store.kind));
        }
    }
    if let Some(after) = after {
        *business = after;
        *seed = Seed { data: vec![Dataset::new(businesses.clone())], ..seed.clone() };
        sides.reload(businesses);
    }
    audit::hidden_state(sides, seed).await
}
