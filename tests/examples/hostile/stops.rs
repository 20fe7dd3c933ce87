//! Shutdowns under load.

use std::{path::Path, time::Duration};

use futures_util::{StreamExt, stream};
use leadapi_tests::{
    hostile::stops::{Stop, stop},
    scale,
};

use crate::ms;

/// The default number of shutdowns with a short drain delay. `LEADAPI_TEST_STOPS` overrides it.
const STOPS: usize = 200;
const SHORT_DRAIN: Duration = Duration::from_millis(500);
/// The number of shutdowns with the default drain delay.
const DEFAULT_STOPS: usize = 3;
const DEFAULT_DRAIN: Duration = Duration::from_secs(5);
const AT_A_TIME: usize = 3;
const WARM: Duration = Duration::from_millis(300);
/// The time limit for a shutdown after the drain delay, including a tolerance.
const WITHIN: Duration = Duration::from_secs(4);

pub(crate) async fn run(program: &Path) -> usize {
    let mut wrong = 0;
    let stops = scale::from_env("LEADAPI_TEST_STOPS", STOPS);
    for (many, drain) in [(stops, SHORT_DRAIN), (DEFAULT_STOPS, DEFAULT_DRAIN)] {
        let options = ["--body-timeout", "1s"].map(str::to_owned);
        let stops = stream::iter(0..many).map(|_| stop(program, &options, drain, WARM, WITHIN));
        let all: Vec<Stop> = stops.buffer_unordered(AT_A_TIME).collect().await;
        for lost in all.iter().flat_map(|stop| &stop.lost) {
            println!("    lost: {lost}");
        }
        let mut took: Vec<Duration> = all.iter().filter_map(|stop| stop.took).collect();
        took.sort();
        let sum = |number: fn(&Stop) -> usize| all.iter().map(number).sum::<usize>();
        let (lost, refused) = (sum(|stop| stop.lost.len()), sum(|stop| stop.refused_early));
        let (left_open, late) = (sum(|stop| stop.left_open), many - took.len());
        let bad = sum(|stop| usize::from(stop.status.is_none_or(|status| status.code() != Some(0))));
        scale::print_figures(format!(
            "{many} shutdowns with a drain delay of {drain:?}: {} requests answered, {lost} lost, {refused} connections \
            refused before the delay was over, {left_open} idle connections left open, {late} shutdowns not finished \
            in time, {bad} exit codes other than 0; shutdowns took {} to {} ms, half of them at most {} ms",
            sum(|stop| stop.answered),
            ms(took.first().copied().unwrap_or_default()),
            ms(took.last().copied().unwrap_or_default()),
            ms(took.get(took.len() / 2).copied().unwrap_or_default()),
        ));
        wrong += lost + refused + left_open + late + bad;
    }
    wrong
}
