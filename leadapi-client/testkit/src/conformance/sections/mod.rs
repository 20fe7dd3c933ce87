//! The checks, with one module for each topic of the contract.

mod bodies;
mod both;
mod fields;
mod isolation;
mod limits;
mod lists;
mod merge;
mod methods;
mod numbers;
mod order;
mod paths;
mod placement;
mod queries;
mod responses;
mod retries;
mod texts;
mod tokens;

use super::run::Run;

/// Checks all requirements, one after the other.
pub(super) async fn check(run: &Run<'_>) {
    paths::check(run).await;
    methods::check(run).await;
    tokens::check(run).await;
    order::check(run).await;
    responses::check(run).await;
    lists::check(run).await;
    queries::check(run).await;
    numbers::check(run).await;
    texts::check(run).await;
    bodies::check(run).await;
    fields::check(run).await;
    merge::check(run).await;
    placement::check(run).await;
    isolation::check(run).await;
    retries::check(run).await;
    limits::check(run).await;
}
