//! A cache of encoded pages of leads.
//!
//! A shared lead is immutable: a store replaces it instead of changing it. So a page of the same `Arc`s encodes to the
//! same bytes, and a client that polls a list gets the cached ones. A deleted lead may stay in memory until another
//! page takes the slot of its page, but no response shows it.

use std::{
    hash::{BuildHasher, RandomState},
    sync::{Arc, Mutex, PoisonError},
};

use bytes::Bytes;

use super::json;
use crate::model::{Lead, Page};

/// The number of cached pages, and the maximum size of each in bytes: 4 MiB in all.
const KEPT: usize = 64;
const LONGEST: usize = 64 * 1_024;

pub(in crate::http::service) struct Pages {
    hasher: RandomState,
    /// The cache slots. The hash of a page selects the only slot that may hold it.
    places: Box<[Mutex<Option<Written>>]>,
}

struct Written {
    /// Keeps the leads alive, so that no new lead can be allocated at the address of one of them.
    page: Page<Arc<Lead>>,
    json: Bytes,
}

impl Pages {
    pub(super) fn json(&self, page: Page<Arc<Lead>>) -> Bytes {
        let Some(place) = self.place_of(&page) else { return json::page(&page).into() };
        // No code panics while it holds the lock, so a poisoned lock still guards consistent data.
        let lock = || place.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(json) = lock().as_ref().filter(|written| written.is(&page)).map(|written| written.json.clone()) {
            return json;
        }
        let json = Bytes::from(json::page(&page));
        if json.len() <= LONGEST {
            let before = lock().replace(Written { page, json: json.clone() });
            drop(before);
        }
        json
    }

    /// Returns the slot of a page. Returns `None` if nothing else holds its first lead: the store creates its leads for
    /// each call, so the same `Arc`s cannot come again.
    fn place_of(&self, page: &Page<Arc<Lead>>) -> Option<&Mutex<Option<Written>>> {
        let first = page.data.first().filter(|lead| Arc::strong_count(lead) > 1)?;
        let hash = self.hasher.hash_one((Arc::as_ptr(first), page.data.len(), page.total, page.offset));
        self.places.get(usize::try_from(hash % KEPT as u64).ok()?)
    }
}

impl Written {
    fn is(&self, page: &Page<Arc<Lead>>) -> bool {
        let Page { data, total, limit, offset } = &self.page;
        (total, limit, offset, data.len()) == (&page.total, &page.limit, &page.offset, page.data.len())
            && data.iter().zip(&page.data).all(|(one, other)| Arc::ptr_eq(one, other))
    }
}

impl Default for Pages {
    fn default() -> Self {
        Self { hasher: RandomState::new(), places: (0..KEPT).map(|_| Mutex::default()).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Window;

    fn lead(id: &str, name: &str) -> Arc<Lead> {
        let at = "2026-05-04T12:00:00Z".parse().unwrap();
        Arc::new(Lead::new(id.parse().unwrap(), "c1".parse().unwrap(), name, at))
    }

    fn page(leads: &[&Arc<Lead>], total: u64, window: (u32, u64)) -> Page<Arc<Lead>> {
        let leads = leads.iter().copied().cloned().collect();
        Page::new(leads, total, Window::new(window.0, window.1).unwrap())
    }

    /// The output is right whichever pages were cached before, in any order.
    #[test]
    fn each_page_is_written_as_it_is() {
        let (a, b, renamed) = (lead("a", "Ann"), lead("b", "Bob"), lead("a", "Anne"));
        let pages = Pages::default();
        let all = [
            page(&[], 0, (50, 0)),
            page(&[&a], 1, (50, 0)),
            page(&[&a], 2, (50, 0)),
            page(&[&a], 1, (1, 0)),
            page(&[&a], 1, (50, 7)),
            page(&[&a, &b], 2, (50, 0)),
            page(&[&b, &a], 2, (50, 0)),
            page(&[&renamed, &b], 2, (50, 0)),
            page(&[&renamed], 1, (50, 0)),
        ];
        for first in &all {
            for second in &all {
                for one in [first, second, second] {
                    assert_eq!(pages.json(one.clone()), json::page(one));
                }
            }
        }
    }

    #[test]
    fn the_same_leads_are_written_once() {
        let (a, b) = (lead("a", "Ann"), lead("b", "Bob"));
        let pages = Pages::default();
        let first = pages.json(page(&[&a, &b], 2, (50, 0)));
        let again = pages.json(page(&[&a, &b], 2, (50, 0)));
        assert_eq!(first.as_ptr(), again.as_ptr());
        let anew = pages.json(page(&[&lead("a", "Ann")], 1, (50, 0)));
        assert_ne!(anew, first);
    }

    /// A page that the store created for one response is not cached, nor is a page above the size limit.
    #[test]
    fn what_cannot_come_again_or_is_too_long_is_not_kept() {
        let pages = Pages::default();
        let kept = || pages.places.iter().filter(|place| place.lock().unwrap().is_some()).count();
        pages.json(Page::new(vec![lead("a", "Ann")], 1, Window::default()));
        let long = lead("b", &"x".repeat(LONGEST));
        pages.json(page(&[&long], 1, (50, 0)));
        assert_eq!(kept(), 0);
        pages.json(page(&[&lead("c", "Cy")], 1, (50, 0)));
        assert_eq!(kept(), 1);
    }
}
