//! The pending writes of each business, which one task per business takes in batches.

use std::{
    collections::{HashMap, hash_map::Entry},
    sync::PoisonError,
};

use leadapi_core::id::BusinessId;

use crate::sync::Mutex;

/// A queue for each business. A business has an entry while a task drains its queue.
#[derive(Debug)]
pub(super) struct Queues<T>(Mutex<HashMap<BusinessId, Vec<T>>>);

impl<T> Queues<T> {
    pub(super) fn new() -> Self {
        Self(Mutex::new(HashMap::new()))
    }

    /// Adds an item. Returns whether the caller must start the task that drains the queue.
    pub(super) fn push(&self, business: &BusinessId, item: T) -> bool {
        self.with(|queues| match queues.entry(business.clone()) {
            Entry::Occupied(mut entry) => {
                entry.get_mut().push(item);
                false
            }
            Entry::Vacant(entry) => {
                entry.insert(vec![item]);
                true
            }
        })
    }

    /// Takes the oldest pending items, at most `max`. If there are none, removes the queue and returns `None`, and the
    /// task ends.
    pub(super) fn take(&self, business: &BusinessId, max: usize) -> Option<Vec<T>> {
        self.with(|queues| {
            let queue = queues.get_mut(business)?;
            if queue.is_empty() {
                queues.remove(business);
                return None;
            }
            let rest = queue.split_off(queue.len().min(max));
            Some(std::mem::replace(queue, rest))
        })
    }

    /// Drops the queue of a task that panicked, so that the next push starts a new task.
    pub(super) fn remove(&self, business: &BusinessId) {
        // The items are dropped after the lock is released.
        drop(self.with(|queues| queues.remove(business)));
    }

    fn with<R>(&self, work: impl FnOnce(&mut HashMap<BusinessId, Vec<T>>) -> R) -> R {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(all(test, shuttle))]
mod schedules {
    use std::sync::{
        Arc, Mutex as StdMutex,
        atomic::{AtomicBool, Ordering},
    };

    use shuttle::{future, thread};
    use tokio::sync::oneshot;

    use super::*;

    const SCHEDULES: usize = 20_000;

    struct Shared {
        queues: Queues<(u8, oneshot::Sender<()>)>,
        is_draining: AtomicBool,
        written: StdMutex<Vec<u8>>,
    }

    async fn drain(shared: Arc<Shared>, business: BusinessId) {
        while let Some(batch) = shared.queues.take(&business, 2) {
            assert!(!shared.is_draining.swap(true, Ordering::Relaxed), "two tasks drain one queue");
            future::yield_now().await;
            for (item, respond_to) in batch {
                shared.written.lock().unwrap().push(item);
                respond_to.send(()).unwrap();
            }
            shared.is_draining.store(false, Ordering::Relaxed);
        }
    }

    #[test]
    fn each_item_is_taken_once_in_order_by_one_task_and_none_is_left_behind() {
        let check = || {
            let business: BusinessId = "a".parse().unwrap();
            let (queues, is_draining) = (Queues::new(), AtomicBool::new(false));
            let shared = Arc::new(Shared { queues, is_draining, written: StdMutex::default() });
            let callers = (0..3_u8).map(|caller| {
                let (shared, business) = (shared.clone(), business.clone());
                thread::spawn(move || {
                    for item in [2 * caller, 2 * caller + 1] {
                        let (respond_to, response) = oneshot::channel();
                        if shared.queues.push(&business, (item, respond_to)) {
                            drop(future::spawn(drain(shared.clone(), business.clone())));
                        }
                        // If an item were lost, its caller would wait forever, and shuttle would report a deadlock.
                        future::block_on(response).unwrap();
                    }
                })
            });
            callers.collect::<Vec<_>>().into_iter().for_each(|caller| caller.join().unwrap());
            let mut written = std::mem::take(&mut *shared.written.lock().unwrap());
            written.sort_unstable();
            assert_eq!(written, [0, 1, 2, 3, 4, 5]);
        };
        shuttle::check_pct(check, SCHEDULES, 3);
        shuttle::check_random(check, SCHEDULES);
    }
}
