//! Iteration over all leads despite concurrent writes.
//!
//! The service pages by offset. When leads are inserted or deleted between two requests, all rows after them move, so a
//! loop that adds the limit to the offset repeats leads or, worse, misses some. A [`LeadPager`] does neither.
//!
//! For a list in the contract's order, the pager guarantees:
//!
//! - A lead that exists from the first request to the last is yielded exactly once.
//! - A lead that is created or deleted during the iteration is yielded once or not at all. A new lead is newer than all
//!   leads that were yielded, so it is not yielded, and the iteration ends no matter how many leads are created. A lead
//!   imported with an old `created_at` is yielded if the iteration has not passed that time yet.
//! - Leads are yielded newest first, as they were when their page was read. A lead that changes later is not yielded
//!   again.
//! - With a stage filter, a lead that moves into or out of the stage counts as created or deleted.
//! - Memory is bounded by one page plus the prefetched pages. It does not grow with the list.
//! - While the list does not change, the iteration needs about 2 % more requests than a plain loop over offsets, at the
//!   default page size. The more rows move, the more requests the iteration needs.
//!
//! If the list is not in the contract's order, the iteration ends with an error instead of guessing. It also ends with
//! an error if the list changes so fast that more than 64 consecutive requests miss the next lead.
//!
//! To find leads created since the last run, use a [`Poller`].

mod checkpoint;
mod cursor;
mod error;
mod lead_stream;
mod page_stream;
mod poller;
mod position;

use std::{fmt, sync::Arc};

use futures_core::future::BoxFuture;
use leadapi_model::model::{LeadItem, LeadQuery, Page, Window};

use crate::error::Error;

pub use checkpoint::Checkpoint;
pub use lead_stream::LeadStream;
pub use page_stream::PageStream;
pub use poller::{NewLeads, Poller};
pub use position::Position;

/// The maximum number of prefetched pages.
const MAX_PREFETCH: usize = 64;

/// A function that fetches a page, called once per request. It is the pager's only interface to the rest of the client.
pub(crate) type Fetch = Arc<dyn Fn(LeadQuery) -> BoxFuture<'static, Result<Page<LeadItem>, Error>> + Send + Sync>;

/// A pager over all leads, created by [`Leads::list_all`](crate::Leads::list_all). It sends nothing until its stream is
/// polled.
///
/// ```
/// use leadapi_client::model::LeadQuery;
/// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
/// # use support::*;
///
/// # support::run(async |client| {
/// let mut pages = client.leads().list_all(LeadQuery::new()).page_size(100).prefetch(4).pages();
/// while let Some(page) = pages.try_next().await? {
///     println!("{} more leads", page.len());
/// }
/// # Ok(()) });
/// ```
#[derive(Clone)]
#[must_use = "a pager reads nothing until its stream is polled"]
pub struct LeadPager {
    fetch: Fetch,
    query: LeadQuery,
    page_size: u32,
    prefetch: usize,
    from: Position,
}

impl LeadPager {
    pub(crate) fn new(fetch: Fetch, query: LeadQuery) -> Self {
        Self { fetch, query, page_size: Window::MAX_LIMIT, prefetch: 1, from: Position::default() }
    }

    /// Sets the number of leads per request. The default is 200, which is also the maximum. The minimum is 2, because
    /// consecutive requests overlap. Values outside this range are clamped.
    ///
    /// ```
    /// # use leadapi_client::model::LeadQuery;
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # let client = support::in_process();
    /// let pager = client.leads().list_all(LeadQuery::new()).page_size(50);
    /// # assert!(format!("{pager:?}").contains("page_size: 50"));
    /// ```
    pub const fn page_size(mut self, leads: u32) -> Self {
        self.page_size = leads;
        self
    }

    /// Sets how many pages are prefetched while the caller processes a page. The default is 1, and the maximum is 64.
    ///
    /// With 0, each page is requested only when it is needed. With a higher value, up to that many requests are in
    /// flight at once. Each request guesses the row at which its page will start. If a guess is wrong, the response is
    /// discarded and the page is requested again, so prefetching helps only if few leads are created or deleted.
    /// Discarded requests also count towards the token's read limit.
    ///
    /// Requests make progress only while the stream is polled. Prefetched leads may be out of date by the time they are
    /// yielded.
    ///
    /// ```
    /// # use leadapi_client::model::LeadQuery;
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # let client = support::in_process();
    /// let pager = client.leads().list_all(LeadQuery::new()).prefetch(4);
    /// # assert!(format!("{pager:?}").contains("prefetch: 4"));
    /// ```
    pub const fn prefetch(mut self, pages: usize) -> Self {
        self.prefetch = if pages < MAX_PREFETCH { pages } else { MAX_PREFETCH };
        self
    }

    /// Continues where an earlier iteration stopped, even in a different process. No lead is repeated or skipped.
    ///
    /// The query should be the same as before. With different filters, the iteration continues in a different list,
    /// from the same creation time.
    ///
    /// ```
    /// use leadapi_client::{model::LeadQuery, pager::Position};
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # let client = support::in_process();
    /// let from_the_beginning = client.leads().list_all(LeadQuery::new()).resume(Position::default());
    /// ```
    pub fn resume(mut self, position: Position) -> Self {
        self.from = position;
        self
    }

    /// Returns a stream that yields the leads one by one.
    ///
    /// ```
    /// # use leadapi_client::model::LeadQuery;
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # support::run(async |client| {
    /// let mut leads = client.leads().list_all(LeadQuery::new()).stream();
    /// let newest = leads.try_next().await?;
    /// # assert_eq!(newest.map(|lead| lead.name).as_deref(), Some("Ann"));
    /// # Ok(()) });
    /// ```
    pub fn stream(self) -> LeadStream {
        LeadStream::new(self.pages())
    }

    /// Returns a stream that yields the leads page by page, without overlap.
    ///
    /// ```
    /// # use leadapi_client::model::LeadQuery;
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # support::run(async |client| {
    /// let mut pages = client.leads().list_all(LeadQuery::new()).pages();
    /// let newest = pages.try_next().await?;
    /// # assert_eq!(newest.map(|page| page.len()), Some(1));
    /// # Ok(()) });
    /// ```
    pub fn pages(self) -> PageStream {
        PageStream::new(self)
    }
}

impl fmt::Debug for LeadPager {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LeadPager")
            .field("query", &self.query)
            .field("page_size", &self.page_size)
            .field("prefetch", &self.prefetch)
            .field("from", &self.from)
            .finish_non_exhaustive()
    }
}
