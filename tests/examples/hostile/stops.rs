//! Stops under load.

use std::{path::Path, time::Duration};

use leadapi_tests::hostile::stops::{Stop, stop};

use crate::ms;

/// How many stops, with this drain delay; 0 is that of the server.
const ROUNDS: [(usize, Duration); 2] = [(200, Duration::from_millis(500)), (3, Duration::from_secs(5))];
const WARM: Duration = Duration::from_millis(300);
/// The body limit that is set here, a farewell, and some more.
const WITHIN: Duration = Duration::from_secs(4);

pub(crate) async fn run(program: &Path) -> usize {
    let mut wrong = 0;
    for (many, drain) in ROUNDS {
        let options = ["--body-timeout", "1s"].map(str::to_owned);
        let mut all: Vec<Stop> = Vec::new();
        for nth in 0..many {
            let stop = stop(program, &options, drain, WARM, WITHIN).await;
            for lost in &stop.lost {
                println!("    stop {nth}, lost: {lost}");
            }
            all.push(stop);
        }
        let mut took: Vec<Duration> = all.iter().filter_map(|stop| stop.took).collect();
        took.sort();
        let sum = |number: fn(&Stop) -> usize| all.iter().map(number).sum::<usize>();
        let (lost, refused) = (sum(|stop| stop.lost.len()), sum(|stop| stop.refused_early));
        let (left_open, late) = (sum(|stop| stop.left_open), many - took.len());
        let bad = sum(|stop| usize::from(stop.status.is_none_or(|status| status.code() != Some(0))));
        println!(
            "{many} stops with a drain delay of {drain:?}: {} requests answered, {lost} lost, {refused} connections \
            refused before the delay was over, {left_open} useless ones left open, {late} not ended in time, {bad} \
            exit codes other than 0; ended after {} to {} ms, half of them by {} ms",
            sum(|stop| stop.answered),
            ms(took.first().copied().unwrap_or_default()),
            ms(took.last().copied().unwrap_or_default()),
            ms(took.get(took.len() / 2).copied().unwrap_or_default()),
        );
        wrong += lost + refused + left_open + late + bad;
    }
    wrong
}
