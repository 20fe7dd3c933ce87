//! Shuts down a server process under load. `examples/hostile` does this hundreds of times.

use std::{path::Path, time::Duration};

use leadapi_tests::hostile::stops::stop;

const STOPS: usize = 10;
const DRAIN: Duration = Duration::from_millis(500);
const WARM: Duration = Duration::from_millis(300);
/// Enough time for the timeout of the half-sent body, a graceful close, and the delays of a busy machine.
const WITHIN: Duration = Duration::from_secs(60);
/// All other timeouts exceed the time limit for the shutdown.
const OPTIONS: [&str; 12] = [
    "--body-timeout",
    "1s",
    "--first-byte-timeout",
    "1h",
    "--head-timeout",
    "1h",
    "--write-timeout",
    "1h",
    "--idle-timeout",
    "1h",
    "--stop-timeout",
    "1h",
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_shutdown_under_load_loses_no_request_and_ends_in_time() {
    for _ in 0..STOPS {
        let options = OPTIONS.map(str::to_owned);
        let stop = stop(Path::new(env!("CARGO_BIN_EXE_server")), &options, DRAIN, WARM, WITHIN).await;
        assert!(stop.answered > 0, "{stop:?}");
        assert!(stop.lost.is_empty() && stop.refused_early == 0 && stop.left_open == 0, "{stop:?}");
        assert!(stop.took.is_some_and(|took| took >= DRAIN), "{stop:?}");
        assert_eq!(stop.status.and_then(|status| status.code()), Some(0), "{stop:?}");
    }
}
