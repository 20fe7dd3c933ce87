//! Attacks by peers that open a connection and do not use it.

use std::{path::Path, sync::Arc, time::Duration};

use leadapi_tests::hostile::{Good, PeerKind, Target, attack};

use crate::{is_affected, mb, ms};

const MANY: usize = 2_000;
const LIMIT: Duration = Duration::from_secs(10);
const MARGIN: Duration = Duration::from_millis(500);
const MAX_MEMORY: usize = 400 << 20;
/// The maximum number of concurrent TLS handshakes. Each additional handshake evicts the oldest one.
const HANDSHAKES: usize = 1_024;
const QUIET: Duration = Duration::from_secs(10);

pub(crate) async fn run(program: &Path, names: &[String], lifted: bool) -> usize {
    println!("{MANY} peers of each kind; timeout {LIMIT:?}{}", if lifted { ", lifted" } else { "" });
    println!(
        "{:<14} {:>7} {:>7} {:>7} {:>8} {:>8} {:>8} {:>6} {:>8} {:>8} {:>6} {:>6}",
        "kind", "cut at", "to", "open", "quiet 99", "p99 ms", "max ms", "ratio", "good", "failed", "MB", ""
    );
    let mut wrong = 0;
    for kind in PeerKind::ALL.into_iter().filter(|kind| names.is_empty() || names.contains(&format!("{kind:?}"))) {
        let never = "1h".to_owned();
        let mut options = vec!["--log".to_owned(), "warn".to_owned()];
        if lifted {
            options.extend([kind.limit().to_owned(), never]);
        }
        let target = Arc::new(Target::start(program, &options, kind.is_tls(), None));
        // Warms up the caches and the allocator.
        Good::during(&target, Duration::from_secs(1)).await;
        let quiet = Good::during(&target, QUIET).await;
        let good = Good::start(&target);
        let cuts = attack(&target, kind, MANY, LIMIT, LIMIT + 4 * MARGIN).await;
        let attacked = good.stop();

        let mut after: Vec<Duration> = cuts.iter().filter_map(|cut| cut.after).collect();
        after.sort();
        let open = MANY - after.len();
        let early = after.iter().filter(|after| **after + Duration::from_millis(5) < LIMIT).count();
        let may_be_early = if kind.is_tls() { MANY - HANDSHAKES + 100 } else { 0 };
        let late = after.iter().filter(|after| **after > LIMIT + MARGIN).count();
        let peak = target.peak();
        let is_wrong = open + late > 0 || early > may_be_early || is_affected(&quiet, &attacked) || peak > MAX_MEMORY;
        wrong += usize::from(is_wrong);
        let (p99, before) = (attacked.quantile(0.99), quiet.quantile(0.99));
        println!(
            "{:<14} {:>7.2} {:>7.2} {:>7} {:>8} {:>8} {:>8} {:>6.2} {:>8} {:>8} {:>6} {:>6}",
            format!("{kind:?}"),
            after.first().copied().unwrap_or_default().as_secs_f64(),
            after.last().copied().unwrap_or_default().as_secs_f64(),
            open,
            ms(before),
            ms(p99),
            ms(attacked.quantile(1.0)),
            p99.as_secs_f64() / before.as_secs_f64(),
            attacked.answered(),
            attacked.failed.len(),
            mb(peak),
            if is_wrong { "WRONG" } else { "" },
        );
        if early > 0 {
            println!("    {early} were cut off too early");
        }
        if let Some(failed) = attacked.failed.first() {
            println!("    the first failure: {failed}");
        }
    }
    wrong
}
