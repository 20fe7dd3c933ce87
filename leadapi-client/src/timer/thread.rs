//! The thread that wakes sleeping futures.

use std::{
    collections::BTreeMap,
    io, mem,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
    thread,
    time::{Duration, Instant},
};

/// The thread that all sleeps in the process share. It starts at the first sleep and runs until the process exits.
static THREAD: TimerThread = TimerThread::new();

/// A future that completes at its deadline.
pub(super) struct Sleep {
    thread: &'static TimerThread,
    /// `None` if the deadline is beyond the range of the clock. Such a sleep never completes.
    deadline: Option<Instant>,
    /// The key of this sleep's entry in the queue, once it is registered.
    key: Option<Key>,
}

/// A deadline, and a number that distinguishes equal deadlines.
type Key = (Instant, u64);

struct TimerThread {
    queue: Mutex<Queue>,
    new_earliest: Condvar,
}

/// The wakers of the sleeping futures, ordered by deadline. The queue itself never reads the clock.
struct Queue {
    wakers: BTreeMap<Key, Waker>,
    next_id: u64,
    is_running: bool,
    /// The instant at which the thread wakes even if it is not notified.
    wakes_at: Option<Instant>,
}

impl Sleep {
    pub(super) fn new(duration: Duration) -> Self {
        Self::on(&THREAD, duration)
    }

    fn on(thread: &'static TimerThread, duration: Duration) -> Self {
        Self { thread, deadline: Instant::now().checked_add(duration), key: None }
    }
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let Some(deadline) = self.deadline else { return Poll::Pending };
        if deadline <= Instant::now() {
            return Poll::Ready(());
        }
        match self.thread.register(deadline, self.key, cx.waker().clone()) {
            Ok(key) => self.key = Some(key),
            // An early timeout is better than a call that hangs.
            Err(_) => return Poll::Ready(()),
        }
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        let waker = self.key.and_then(|key| self.thread.lock().wakers.remove(&key));
        // Drop the waker outside the lock, because it may own the last reference to a task that owns another sleep.
        drop(waker);
    }
}

impl TimerThread {
    const fn new() -> Self {
        let queue = Queue { wakers: BTreeMap::new(), next_id: 0, is_running: false, wakes_at: None };
        Self { queue: Mutex::new(queue), new_earliest: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds an entry or replaces its waker, and starts the thread if it is not running.
    fn register(&'static self, deadline: Instant, key: Option<Key>, waker: Waker) -> io::Result<Key> {
        let mut queue = self.lock();
        if !queue.is_running {
            thread::Builder::new().name("leadapi-timer".into()).spawn(|| self.run())?;
            queue.is_running = true;
        }
        let key = key.unwrap_or_else(|| queue.new_key(deadline));
        let (replaced, must_notify) = queue.insert(key, waker);
        drop(queue);
        if must_notify {
            self.new_earliest.notify_one();
        }
        // Drop the replaced waker outside the lock, as in `Sleep::drop`.
        drop(replaced);
        Ok(key)
    }

    fn run(&self) {
        let mut queue = self.lock();
        loop {
            let now = Instant::now();
            let expired = queue.take_expired(now);
            if !expired.is_empty() {
                drop(queue);
                for waker in expired {
                    // A waker that panics must not terminate the thread that all sleeps share.
                    catch_unwind(AssertUnwindSafe(|| waker.wake())).unwrap_or_default();
                }
                queue = self.lock();
                continue;
            }
            queue.wakes_at = queue.earliest();
            let waited = match queue.wakes_at {
                Some(at) => self
                    .new_earliest
                    .wait_timeout(queue, at.saturating_duration_since(now))
                    .map(|(queue, _)| queue)
                    .map_err(|error| error.into_inner().0),
                None => self.new_earliest.wait(queue).map_err(PoisonError::into_inner),
            };
            queue = waited.unwrap_or_else(|queue| queue);
        }
    }
}

impl Queue {
    fn new_key(&mut self, deadline: Instant) -> Key {
        self.next_id += 1;
        (deadline, self.next_id)
    }

    /// Inserts an entry. Returns the replaced waker, and whether the thread must be notified because it would wake too
    /// late.
    ///
    /// Removing an entry does not notify the thread. The thread may then wake with nothing to do, but at most once per
    /// timeout period rather than once per call.
    fn insert(&mut self, key: Key, waker: Waker) -> (Option<Waker>, bool) {
        let (deadline, _) = key;
        let must_notify = self.wakes_at.is_none_or(|at| deadline < at);
        if must_notify {
            self.wakes_at = Some(deadline);
        }
        (self.wakers.insert(key, waker), must_notify)
    }

    fn take_expired(&mut self, now: Instant) -> Vec<Waker> {
        let later = self.wakers.split_off(&(now, u64::MAX));
        mem::replace(&mut self.wakers, later).into_values().collect()
    }

    fn earliest(&self) -> Option<Instant> {
        self.wakers.first_key_value().map(|((deadline, _), _)| *deadline)
    }
}

#[cfg(test)]
mod tests;
