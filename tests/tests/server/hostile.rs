//! Runs small attacks, each against its own server process. `examples/hostile` runs them at full scale.

use std::{path::Path, sync::Arc, time::Duration};

use leadapi_tests::hostile::{Good, PeerKind, Target, attack};
use tokio::task::JoinSet;

const MANY: usize = 50;
/// The timeout under test. Legitimate callers on a busy machine must stay below it.
const LIMIT: Duration = Duration::from_secs(5);
/// The tolerance beyond the timeout, for a busy machine. `examples/hostile` allows half a second.
const MARGIN: Duration = Duration::from_secs(60);
const EARLY: Duration = Duration::from_millis(5);
const MAX_MEMORY: usize = 400 << 20;
const LIMITS: [&str; 4] = ["--first-byte-timeout", "--head-timeout", "--body-timeout", "--write-timeout"];

/// Returns options that set this timeout to [`LIMIT`], and all other timeouts to values that no test reaches.
fn only(limit: &str) -> Vec<String> {
    let of = |name: &str| if name == limit { format!("{}s", LIMIT.as_secs()) } else { "1h".to_owned() };
    let limits = LIMITS.iter().flat_map(|name| [(*name).to_owned(), of(name)]);
    limits.chain(["--request-timeout", "1h", "--log", "warn"].map(str::to_owned)).collect()
}

fn target(options: &[String], tls: bool) -> Arc<Target> {
    Arc::new(Target::start(Path::new(env!("CARGO_BIN_EXE_server")), options, tls, None))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_hostile_peer_is_cut_off_and_good_traffic_is_unaffected() {
    let mut kinds = JoinSet::new();
    for kind in PeerKind::ALL {
        kinds.spawn(async move {
            let target = target(&only(kind.limit()), kind.is_tls());
            let good = Good::start(&target);
            let cuts = attack(&target, kind, MANY, LIMIT, LIMIT + MARGIN).await;
            let good = good.stop();
            for cut in cuts {
                let after = cut.after.unwrap_or_else(|| panic!("{kind:?} is still open"));
                assert!(kind.withholds_reading() || after + EARLY >= LIMIT, "{kind:?} was cut after {after:?}");
            }
            assert_eq!(good.failed, Vec::<String>::new(), "{kind:?}");
            assert!(good.answered() > 0 && target.peak() < MAX_MEMORY, "{kind:?}");
        });
    }
    kinds.join_all().await;
}

/// Proves that the timeout is what ends the attack, and that the test above would fail without it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_its_timeout_no_hostile_peer_is_cut() {
    let mut kinds = JoinSet::new();
    for kind in PeerKind::ALL {
        kinds.spawn(async move {
            let target = target(&only("none"), kind.is_tls());
            for cut in attack(&target, kind, 5, LIMIT, 2 * LIMIT).await {
                assert!(cut.after.is_none(), "{kind:?} was cut after {:?}", cut.after);
            }
        });
    }
    kinds.join_all().await;
}
