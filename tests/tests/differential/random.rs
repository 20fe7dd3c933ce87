//! Operations at random. `LEADAPI_DIFFERENTIAL_CASES` says how many cases, and `LEADAPI_DIFFERENTIAL_SEED` which.

use std::env;

use proptest::test_runner::{Config, RngSeed, TestCaseError, TestRunner};

use super::{
    audit, fixture,
    operation::{self, Operation},
    sides::{Check, Stores},
};

/// So many by default, which takes some seconds.
const CASES: u32 = 24;
/// A case that fails is made shorter in at most so many steps.
const STEPS: u32 = 256;

fn number<T: std::str::FromStr>(name: &str) -> Option<T> {
    env::var(name).ok()?.parse().ok()
}

#[test]
fn whatever_two_businesses_do() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let stores = runtime.block_on(Stores::open(&fixture::seed()));
    let seed = number("LEADAPI_DIFFERENTIAL_SEED").unwrap_or_else(rand);
    let config = Config {
        cases: number("LEADAPI_DIFFERENTIAL_CASES").unwrap_or(CASES),
        max_shrink_iters: STEPS,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(seed),
        ..Config::default()
    };
    let outcome = TestRunner::new(config).run(&operation::operations(), |operations| {
        runtime.block_on(play(&stores, &operations)).map_err(TestCaseError::fail)
    });
    outcome.unwrap_or_else(|wrong| panic!("LEADAPI_DIFFERENTIAL_SEED={seed}\n{wrong}"));
}

/// Another one on each run.
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
    for side in &sides.sides {
        audit::signatures(side.kept).await?;
    }
    Ok(())
}
