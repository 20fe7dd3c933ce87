//! A limit on the lookups of secrets that anybody can make up, such as tokens and sign-in links.
//!
//! Few lookups run at once, so that they leave most database connections to known callers. Each address has its own
//! queue, and the queues take turns, so a flood from one address delays lookups from the others by no more than a turn.

use std::{
    collections::{HashMap, hash_map::Entry},
    net::IpAddr,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::sleep,
};

use crate::{address::counted_address, keyed_rate::KeyedRate};

/// The maximum number of concurrent lookups. It is less than half the default number of database connections.
const CONCURRENT: usize = 4;
const CONCURRENT_PER_ADDRESS: usize = 2;
/// The maximum number of lookups that run or wait.
const QUEUED: usize = 4_096;
const QUEUED_PER_ADDRESS: usize = 256;
/// The number of failed lookups from one address after which its further lookups are paced.
const FAILURES: u32 = 1_000;
/// The pace of further failed lookups from one address.
const FAILURE_INTERVAL: Duration = Duration::from_millis(10);

/// A limit on the lookups of secrets that anybody can make up, such as tokens and sign-in links. Clones share it.
///
/// Few lookups run at once, so that they leave most database connections to known callers. Each address has its own
/// queue, and the queues take turns. An address whose lookups find nothing is paced.
#[derive(Debug, Clone)]
pub struct LookupLimit(Arc<Inner>);

/// The counted address, or `None` for a peer without one.
type Source = Option<IpAddr>;

#[derive(Debug)]
struct Inner {
    concurrent: Arc<Semaphore>,
    failures: KeyedRate<Source>,
    queues: Mutex<Queues>,
}

#[derive(Debug, Default)]
struct Queues {
    by_source: HashMap<Source, Queue>,
    /// The number of lookups in all queues.
    queued: usize,
}

#[derive(Debug)]
struct Queue {
    concurrent: Arc<Semaphore>,
    /// The number of lookups that run or wait.
    queued: usize,
}

/// A lookup that may run, returned by [`LookupLimit::acquire`]. Dropping it lets the next one run.
///
/// A dropped lookup counts as a failure unless it [found](Self::found) something. Otherwise, a stranger could abandon
/// any number of lookups without being paced.
#[derive(Debug)]
pub struct Lookup {
    has_failed: bool,
    _concurrent: OwnedSemaphorePermit,
    _of_source: OwnedSemaphorePermit,
    queued: Queued,
}

/// A lookup in its queue.
#[derive(Debug)]
struct Queued {
    limit: LookupLimit,
    source: Source,
}

impl LookupLimit {
    /// Creates a limit of 4 concurrent lookups, at most 2 of which are from the same address.
    pub fn new() -> Self {
        Self(Arc::new(Inner {
            concurrent: Arc::new(Semaphore::new(CONCURRENT)),
            failures: KeyedRate::new(FAILURES, FAILURE_INTERVAL),
            queues: Mutex::default(),
        }))
    }

    /// Waits until a lookup for a peer at this address may run. Returns `None` if too many are waiting.
    pub async fn acquire(&self, peer: Option<IpAddr>) -> Option<Lookup> {
        let source = peer.map(counted_address);
        let (queued, of_source) = self.enqueue(source)?;
        // The semaphores are fair and never closed.
        let of_source = of_source.acquire_owned().await.ok()?;
        let wait = self.0.failures.wait(&source);
        if !wait.is_zero() {
            sleep(wait).await;
        }
        let concurrent = self.0.concurrent.clone().acquire_owned().await.ok()?;
        Some(Lookup { has_failed: true, _concurrent: concurrent, _of_source: of_source, queued })
    }

    fn enqueue(&self, source: Source) -> Option<(Queued, Arc<Semaphore>)> {
        let mut queues = self.0.queues.lock().unwrap_or_else(PoisonError::into_inner);
        if queues.queued >= QUEUED {
            return None;
        }
        let new = || Queue { concurrent: Arc::new(Semaphore::new(CONCURRENT_PER_ADDRESS)), queued: 0 };
        let queue = queues.by_source.entry(source).or_insert_with(new);
        if queue.queued >= QUEUED_PER_ADDRESS {
            return None;
        }
        queue.queued += 1;
        let concurrent = queue.concurrent.clone();
        queues.queued += 1;
        Some((Queued { limit: self.clone(), source }, concurrent))
    }
}

impl Default for LookupLimit {
    fn default() -> Self {
        Self::new()
    }
}

impl Lookup {
    /// Ends a lookup that found something, or that the store could not answer.
    pub fn found(mut self) {
        self.has_failed = false;
    }
}

impl Drop for Lookup {
    fn drop(&mut self) {
        if self.has_failed {
            self.queued.limit.0.failures.count(self.queued.source);
        }
    }
}

impl Drop for Queued {
    fn drop(&mut self) {
        let mut queues = self.limit.0.queues.lock().unwrap_or_else(PoisonError::into_inner);
        queues.queued -= 1;
        if let Entry::Occupied(mut queue) = queues.by_source.entry(self.source) {
            queue.get_mut().queued -= 1;
            if queue.get().queued == 0 {
                queue.remove();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use futures_util::FutureExt;
    use tokio::time::{Instant, advance};

    use super::*;

    #[allow(clippy::unnecessary_wraps, reason = "an address may be unknown")]
    fn from(last: u8) -> Option<IpAddr> {
        Some(IpAddr::from([192, 0, 2, last]))
    }

    #[tokio::test(start_paused = true)]
    async fn a_full_queue_of_one_address_does_not_delay_the_others() {
        let limit = LookupLimit::new();
        let running: Vec<_> = (0..CONCURRENT_PER_ADDRESS).map(|_| limit.acquire(from(1)).now_or_never()).collect();
        assert!(running.iter().all(Option::is_some));
        let mut waiting: Vec<_> =
            (running.len()..QUEUED_PER_ADDRESS).map(|_| Box::pin(limit.acquire(from(1)))).collect();
        assert!(waiting.iter_mut().all(|one| one.now_or_never().is_none()));
        assert!(limit.acquire(from(1)).now_or_never().is_some_and(|lookup| lookup.is_none()));
        assert!(limit.acquire(from(2)).now_or_never().flatten().is_some());
        drop(running);
        assert!(waiting.remove(0).now_or_never().flatten().is_some());
        drop(waiting);
        assert!(limit.0.queues.lock().unwrap().by_source.is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn few_lookups_run_at_once_and_addresses_take_turns() {
        let limit = LookupLimit::new();
        let mut running: Vec<_> = (0..).take(CONCURRENT).map(|n| limit.acquire(from(n)).now_or_never()).collect();
        let (mut first, mut last) = (pin!(limit.acquire(from(100))), pin!(limit.acquire(from(101))));
        assert!(first.as_mut().now_or_never().is_none() && last.as_mut().now_or_never().is_none());
        running.pop();
        assert!(last.as_mut().now_or_never().is_none());
        assert!(first.as_mut().now_or_never().flatten().is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn an_address_is_paced_after_many_failures() {
        let (limit, begun) = (LookupLimit::new(), Instant::now());
        for _ in 0..FAILURES + 9 {
            limit.acquire(from(2)).await.unwrap().found();
        }
        assert_eq!(begun.elapsed(), Duration::ZERO);
        for _ in 0..FAILURES + 9 {
            drop(limit.acquire(from(1)).await.unwrap());
        }
        let paced = begun.elapsed();
        assert!(paced >= Duration::from_millis(80), "{paced:?}");
        drop(limit.acquire(from(2)).await.unwrap());
        assert_eq!(begun.elapsed(), paced);
        advance(Duration::from_secs(60)).await;
        assert!(limit.acquire(from(1)).now_or_never().flatten().is_some());
    }
}
