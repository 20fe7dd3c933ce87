//! Tests of what servers cost their database while they receive no requests.

use super::*;

/// The seconds between heartbeats of a server without permits.
const IDLE_BEAT: usize = 10;

impl Caller {
    /// Waits, and returns the calls to the ledger per second, in total for all servers.
    async fn calls_per_second(&self, seconds: u32) -> usize {
        let before = self.ledger.calls();
        sleep(SECOND * seconds).await;
        (self.ledger.calls() - before).div_ceil(seconds as usize)
    }
}

#[tokio::test(start_paused = true)]
async fn idle_servers_query_the_ledger_rarely() {
    let mut caller = Caller::new(3).await;
    let idle = async |caller: &Caller| {
        let before = caller.ledger.calls();
        sleep(600 * SECOND).await;
        let calls = caller.ledger.calls() - before;
        assert!(calls <= 3 * (600 / IDLE_BEAT + 1), "{calls} calls in 10 minutes");
    };
    idle(&caller).await;
    for nth in 0..3 {
        caller.read_from(nth).await;
    }
    sleep(2 * SECOND).await;
    let calls = caller.calls_per_second(30).await;
    assert!(calls <= 3 * 6, "{calls} calls per second after a request");
    sleep(40 * SECOND).await;
    idle(&caller).await;
    // No server has lost its membership.
    assert_eq!(caller.ledger.0.members.lock().unwrap().len(), 3);
    for nth in 0..3 {
        assert_eq!(caller.read_from(nth).await, Admission::Admitted);
    }
}

#[tokio::test(start_paused = true)]
async fn the_unused_permits_of_an_idle_server_are_available_to_the_others() {
    for idle in [2, 30, 300] {
        let mut caller = Caller::new(2).await;
        caller.read_from(0).await;
        sleep(SECOND * idle).await;
        for _ in 0..599 {
            assert_eq!(caller.read_from(1).await, Admission::Admitted, "after {idle} s");
        }
        caller.assert_within_the_limit();
    }
}

/// An idle server returns the permits of its tokens one after another, and a request may use one of them before its
/// turn.
#[tokio::test(start_paused = true)]
async fn an_idle_server_keeps_the_permits_of_a_token_that_is_used_meanwhile() {
    let caller = Caller::new(1).await;
    let limiter = &caller.servers[0];
    let keys = ["t1", "t2"].map(|token| (TokenId::parse(token).unwrap(), Class::Read));
    let has_permits = |key: &Key| limiter.0.state().shares.get(key).is_some_and(|entry| entry.share.has_permits());
    // The tokens become idle between two heartbeats, so the periodic task does not return their permits first.
    sleep(SECOND).await;
    for (token, class) in &keys {
        limiter.admit(token, *class).await.unwrap();
    }
    sleep(WINDOW + SECOND / 2).await;
    let used = async {
        // Meanwhile, the first of the two releases begins, and waits for the ledger.
        tokio::task::yield_now().await;
        let key = keys.iter().find(|key| has_permits(key)).unwrap();
        limiter.admit(&key.0, key.1).await.unwrap();
        key
    };
    let (key, ()) = tokio::join!(used, limiter.0.release_idle_shares());
    assert!(has_permits(key), "the permits are returned although one has been used");
}
