//! Attacks by peers that open a connection and do not use it.

use std::{path::Path, sync::Arc, time::Duration};

use leadapi_tests::{
    hostile::{Good, PeerKind, Target, attack},
    scale,
};

use crate::{is_affected, mb, ms};

/// The default number of peers of each kind. `LEADAPI_TEST_HOSTILE_PEERS` overrides it.
const PEERS: usize = 2_000;
/// The server's default limit on connections. An attack with more peers raises the limit.
const CONNECTIONS: usize = 10_000;
/// The server's limit on unread responses. It is high enough that the server closes connections only because of the
/// timeout.
const UNREAD_BYTES: usize = 1 << 30;
/// The number of connections that the legitimate traffic needs.
const GOOD: usize = 100;
const LIMIT: Duration = Duration::from_secs(10);
const MARGIN: Duration = Duration::from_millis(500);
const MAX_MEMORY: usize = 400 << 20;
/// The maximum number of concurrent TLS handshakes. Each additional handshake evicts the oldest one.
const HANDSHAKES: usize = 1_024;
const QUIET: Duration = Duration::from_secs(10);

pub(crate) async fn run(program: &Path, names: &[String], lifted: bool) -> usize {
    let many = scale::from_env("LEADAPI_TEST_HOSTILE_PEERS", PEERS);
    println!("{many} peers of each kind; timeout {LIMIT:?}{}", if lifted { ", lifted" } else { "" });
    println!(
        "{:<14} {:>7} {:>7} {:>7} {:>8} {:>8} {:>8} {:>6} {:>8} {:>8} {:>6} {:>6}",
        "kind", "cut at", "to", "open", "quiet 99", "p99 ms", "max ms", "ratio", "good", "failed", "MB", ""
    );
    let (mut wrong, mut total) = (0, Total::default());
    for kind in PeerKind::ALL.into_iter().filter(|kind| names.is_empty() || names.contains(&format!("{kind:?}"))) {
        let never = "1h".to_owned();
        // The peers use the same token as the legitimate traffic, so the limit of the token must admit the requests of
        // both.
        let limits = [
            ("--max-connections", CONNECTIONS.max(many + GOOD)),
            ("--max-token-requests", many + GOOD),
            ("--max-unread-bytes", UNREAD_BYTES),
        ];
        let mut options = ["--log", "warn"].map(str::to_owned).to_vec();
        options.extend(limits.into_iter().flat_map(|(option, limit)| [option.to_owned(), limit.to_string()]));
        if lifted {
            options.extend([kind.limit().to_owned(), never]);
        }
        let target = Arc::new(Target::start(program, &options, kind.is_tls(), None));
        // Warms up the caches and the allocator.
        Good::during(&target, Duration::from_secs(1)).await;
        let quiet = Good::during(&target, QUIET).await;
        let good = Good::start(&target);
        let cuts = attack(&target, kind, many, LIMIT, LIMIT + 4 * MARGIN).await;
        let attacked = good.stop();

        let mut after: Vec<Duration> = cuts.iter().filter_map(|cut| cut.after).collect();
        after.sort();
        let open = many - after.len();
        let early = after.iter().filter(|after| **after + Duration::from_millis(5) < LIMIT).count();
        let may_be_early = if kind.is_tls() { (many + 100).saturating_sub(HANDSHAKES) } else { 0 };
        let late = after.iter().filter(|after| **after > LIMIT + MARGIN).count();
        let peak = target.peak();
        let is_wrong = open + late > 0 || early > may_be_early || is_affected(&quiet, &attacked) || peak > MAX_MEMORY;
        wrong += usize::from(is_wrong);
        total.peers += many;
        total.cut += after.len();
        total.latest = total.latest.max(after.last().copied());
        total.answered += attacked.answered();
        total.failed += attacked.failed.len();
        total.peak = total.peak.max(peak);
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
    total.print_figures();
    wrong
}

/// The sums and maxima over all kinds of peers.
#[derive(Default)]
struct Total {
    peers: usize,
    cut: usize,
    latest: Option<Duration>,
    answered: usize,
    failed: usize,
    peak: usize,
}

impl Total {
    fn print_figures(&self) {
        let Self { peers, cut, answered, failed, .. } = self;
        scale::print_figures(format!(
            "{peers} hostile connections, {cut} cut off by the server, the last one after {:.2} s; {answered} legitimate \
             requests answered and {failed} failed meanwhile; peak memory {} MB",
            self.latest.unwrap_or_default().as_secs_f64(),
            mb(self.peak),
        ));
    }
}
