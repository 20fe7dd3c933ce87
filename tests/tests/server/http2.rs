//! Tests of small HTTP/2 attacks and of legitimate HTTP/2 traffic.

use std::{path::Path, sync::Arc, time::Duration};

use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt, Empty};
use hyper_util::rt::{TokioExecutor, TokioIo};
use leadapi_tests::{
    TIMEOUT,
    hostile::{
        Good, Target,
        floods::{Flood, flood},
    },
};
use tokio::task::JoinSet;

const MANY: usize = 4;
const BATCH: usize = 20;
const TIME: Duration = Duration::from_secs(5);
const MAX_MEMORY: usize = 400 << 20;

fn target(options: &[&str]) -> Arc<Target> {
    let options: Vec<String> = options.iter().map(|option| (*option).to_owned()).collect();
    Arc::new(Target::start(Path::new(env!("CARGO_BIN_EXE_server")), &options, false, None))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_flood_is_cut_off_and_good_traffic_is_unaffected() {
    let mut floods = JoinSet::new();
    for kind in Flood::ALL {
        floods.spawn(async move {
            let limits = ["--head-timeout", "--body-timeout", "--write-timeout"];
            let mut options: Vec<&str> = limits.iter().flat_map(|name| [*name, "1s"]).collect();
            // The write timeout must cut off a peer that withholds the window, so the idle timeout is set to an hour.
            let idle = if kind.withholds_window() { "1h" } else { "1s" };
            options.extend(["--log", "warn", "--idle-timeout", idle]);
            let target = target(&options);
            let good = Good::start(&target);
            let all = flood(&target, kind, MANY, BATCH, TIME, TIMEOUT).await;
            let good = good.stop();
            assert!(all.iter().all(|one| one.life.is_some() || !one.is_first), "{kind:?}: {all:?}");
            let in_error = all.iter().filter(|one| one.goaway.is_some_and(|code| code != 0)).count();
            assert!(!kind.is_plain() || in_error > 0, "{kind:?}: {all:?}");
            assert_eq!(good.failed, Vec::<String>::new(), "{kind:?}");
            assert!(good.answered() > 0 && target.peak() < MAX_MEMORY, "{kind:?}");
        });
    }
    floods.join_all().await;
}

/// The number of requests exceeds the server's limit on concurrent streams, so most of them wait for a stream.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_honest_peer_is_served_on_one_connection() {
    const REQUESTS: usize = 300;
    let target = target(&["--log", "warn"]);
    let stream = TokioIo::new(target.connect().await);
    let (sender, connection) = hyper::client::conn::http2::handshake(TokioExecutor::new(), stream).await.unwrap();
    let connection = tokio::spawn(connection);
    for _ in 0..3 {
        let mut requests = JoinSet::new();
        for _ in 0..REQUESTS {
            let request = Request::get("http://localhost/v1/clients").header("authorization", target.authorization());
            let (mut sender, request) = (sender.clone(), request.body(Empty::<Bytes>::new()).unwrap());
            requests.spawn(async move {
                sender.ready().await.unwrap();
                let answer = sender.send_request(request).await.unwrap();
                assert_eq!(answer.status(), 200);
                answer.into_body().collect().await.unwrap();
            });
        }
        assert_eq!(requests.join_all().await.len(), REQUESTS);
    }
    assert!(!connection.is_finished() && !sender.is_closed());
}
