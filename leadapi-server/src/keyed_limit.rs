//! A per-key concurrency limit, for example on the requests with one token.

use std::{
    collections::{HashMap, hash_map::Entry},
    hash::{BuildHasher, Hash, RandomState},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// The number of shards. Sharding reduces lock contention between holders of different keys.
const SHARDS: usize = 16;

pub(crate) struct KeyedLimit<K>(Arc<Counts<K>>);

struct Counts<K> {
    limit: usize,
    hasher: RandomState,
    /// The number of holders per key. Keys without holders are removed.
    shards: [Mutex<HashMap<K, usize>>; SHARDS],
}

/// A permit for a key, released on drop.
pub(crate) struct KeyedPermit<K: Hash + Eq> {
    counts: Arc<Counts<K>>,
    key: Option<K>,
}

impl<K: Hash + Eq + Clone> KeyedLimit<K> {
    pub(crate) fn new(limit: usize) -> Self {
        Self(Arc::new(Counts { limit, hasher: RandomState::new(), shards: Default::default() }))
    }

    pub(crate) fn limit(&self) -> usize {
        self.0.limit
    }

    /// Returns a permit for the key, or `None` if the key is at its limit.
    pub(crate) fn acquire(&self, key: K) -> Option<KeyedPermit<K>> {
        let mut shard = self.0.shard(&key)?;
        match shard.entry(key.clone()) {
            Entry::Occupied(mut count) if *count.get() < self.0.limit => *count.get_mut() += 1,
            Entry::Vacant(vacant) if self.0.limit > 0 => _ = vacant.insert(1),
            _ => return None,
        }
        Some(KeyedPermit { counts: self.0.clone(), key: Some(key) })
    }
}

impl<K: Hash + Eq> Counts<K> {
    fn shard(&self, key: &K) -> Option<MutexGuard<'_, HashMap<K, usize>>> {
        let [byte, ..] = self.hasher.hash_one(key).to_le_bytes();
        let shard = self.shards.get(usize::from(byte) % SHARDS)?;
        Some(shard.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<K: Hash + Eq> Drop for KeyedPermit<K> {
    fn drop(&mut self) {
        let Some(key) = self.key.take() else { return };
        let Some(mut shard) = self.counts.shard(&key) else { return };
        if let Entry::Occupied(mut count) = shard.entry(key) {
            *count.get_mut() -= 1;
            if *count.get() == 0 {
                count.remove();
            }
        }
    }
}

impl<K> Clone for KeyedLimit<K> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_has_its_own_limit_and_a_dropped_permit_is_released() {
        let limit = KeyedLimit::new(2);
        let first = limit.acquire("a").unwrap();
        let _second = limit.acquire("a").unwrap();
        assert!(limit.acquire("a").is_none());
        let _other = limit.acquire("b").unwrap();
        drop(first);
        assert!(limit.acquire("a").is_some());
        assert!(KeyedLimit::new(0).acquire("a").is_none());
    }

    #[test]
    fn unused_keys_are_removed() {
        let limit = KeyedLimit::new(1);
        drop(limit.acquire("a"));
        assert!(limit.0.shards.iter().all(|shard| shard.lock().unwrap().is_empty()));
    }
}
