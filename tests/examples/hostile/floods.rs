//! HTTP/2 floods: small amounts of traffic that cost the server a lot of work.

use std::{path::Path, sync::Arc, time::Duration};

use leadapi_tests::hostile::{
    Good, Target,
    floods::{Flood, flood},
};

use crate::{is_affected, mb, ms};

const MANY: usize = 20;
/// The number of frames sent on each connection every 5 ms.
const BATCH: usize = 50;
const TIME: Duration = Duration::from_secs(8);
/// The duration of floods that withhold the window. It exceeds the write timeout of 10 s.
const LONG: Duration = Duration::from_secs(14);
const WRITE: Duration = Duration::from_secs(10);
const MARGIN: Duration = Duration::from_millis(500);
const MAX_MEMORY: usize = 400 << 20;

pub(crate) async fn run(program: &Path, names: &[String]) -> usize {
    println!("{MANY} connections, each with up to {BATCH} frames every 5 ms for {TIME:?}");
    println!(
        "{:<18} {:>6} {:>9} {:>6} {:>9} {:>9} {:>8} {:>8} {:>8} {:>6} {:>7} {:>7} {:>5}",
        "flood",
        "conns",
        "frames",
        "ended",
        "goaway",
        "longest",
        "quiet 99",
        "p99 ms",
        "max ms",
        "ratio",
        "good",
        "failed",
        "MB"
    );
    let mut wrong = 0;
    for kind in Flood::ALL.into_iter().filter(|kind| names.is_empty() || names.contains(&format!("{kind:?}"))) {
        let options = ["--log".to_owned(), "warn".to_owned()];
        let target = Arc::new(Target::start(program, &options, false, None));
        Good::during(&target, Duration::from_secs(1)).await;
        let quiet = Good::during(&target, TIME).await;
        let good = Good::start(&target);
        let time = if kind.withholds_window() { LONG } else { TIME };
        // The effect of these floods does not depend on the request rate.
        let batch = if kind.withholds_window() { 2 } else { BATCH };
        let all = flood(&target, kind, MANY, batch, time, time).await;
        let attacked = good.stop();
        let lives: Vec<Duration> = all.iter().filter_map(|one| one.life).collect();
        let longest = lives.iter().max().copied().unwrap_or_default();
        let mut codes: Vec<u32> = all.iter().filter_map(|one| one.goaway).collect();
        codes.sort_unstable();
        codes.dedup();
        let peak = target.peak();
        let lasts = kind.withholds_window() && (lives.len() < MANY || longest > WRITE + MARGIN);
        let is_wrong = is_affected(&quiet, &attacked) || peak > MAX_MEMORY || lasts;
        wrong += usize::from(is_wrong);
        let (p99, before) = (attacked.quantile(0.99), quiet.quantile(0.99));
        println!(
            "{:<18} {:>6} {:>9} {:>6} {:>9} {:>9.2} {:>8} {:>8} {:>8} {:>6.2} {:>7} {:>7} {:>5} {}",
            format!("{kind:?}"),
            all.len(),
            all.iter().map(|one| one.frames).sum::<usize>(),
            lives.len(),
            format!("{codes:?}"),
            longest.as_secs_f64(),
            ms(before),
            ms(p99),
            ms(attacked.quantile(1.0)),
            p99.as_secs_f64() / before.as_secs_f64(),
            attacked.answered(),
            attacked.failed.len(),
            mb(peak),
            if is_wrong { "WRONG" } else { "" },
        );
        if let Some(failed) = attacked.failed.first() {
            println!("    the first failure: {failed}");
        }
    }
    wrong
}
