//! Every lead, page by page, while others write.
//!
//! The service counts its windows in rows. When leads are inserted or deleted between two requests, the rows move, and a
//! loop that adds the limit to the offset repeats leads or, worse, misses some. A [`Walk`] does neither.
//!
//! What it promises, of a list in the order of the contract:
//!
//! - A lead that is there from the first request to the last is given exactly once.
//! - A lead that is created or deleted meanwhile is given once or not at all. What is created now is newer than where the
//!   walk began, so it is not given; the walk ends however many are created. What is imported with an old `created_at`
//!   is given if the walk has still to come to that time.
//! - Leads come newest first, each as it was when its page was read: one that changes afterwards is not given again.
//! - With a filter by stage the list is that of the leads in that stage: a lead that is moved into it or out of it counts
//!   as created or deleted.
//! - What is held in memory is a page, and those that are asked for ahead; it does not grow with the list.
//! - The cost is some 2 % more requests than the plain loop's when nothing changes; the more rows move, the more.
//!
//! A list that is not in that order, or that changes by more than a page with every request and in both directions, ends
//! the walk with an error: it never guesses.
//!
//! For what is new since the last time there is a [`Poller`].

mod course;
mod fault;
mod leads;
mod mark;
mod pages;
mod poller;
mod position;

#[cfg(test)]
mod tests;

use std::{fmt, sync::Arc};

use futures_core::future::BoxFuture;
use leadapi_core::model::{LeadItem, LeadQuery, Page, Window};

use crate::error::Error;

pub use leads::LeadStream;
pub use mark::Mark;
pub use pages::PageStream;
pub use poller::{NewLeads, Poller};
pub use position::Position;

/// More pages are not asked for at once, whatever the caller says.
const MOST_AHEAD: usize = 64;

/// The one seam to the rest of the client: fetches a page. It is called once for each request.
pub(crate) type Fetch = Arc<dyn Fn(LeadQuery) -> BoxFuture<'static, Result<Page<LeadItem>, Error>> + Send + Sync>;

/// A walk through every lead, before it begins: [`Leads::walk`](crate::Leads::walk) makes it, and nothing is sent until its stream is
/// polled.
///
/// ```
/// use leadapi_client::model::LeadQuery;
/// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
/// # use support::*;
///
/// # fn main() { futures_executor::block_on(async {
/// # let client = in_process();
/// let mut pages = client.leads().walk(LeadQuery::new()).page_size(100).prefetch(4).pages();
/// while let Some(page) = pages.try_next().await? {
///     println!("{} leads more", page.len());
/// }
/// # Ok::<(), leadapi_core::BoxError>(())
/// # }).unwrap() }
/// ```
#[derive(Clone)]
#[must_use = "nothing is read before its stream is polled"]
pub struct Walk {
    fetch: Fetch,
    query: LeadQuery,
    page_size: u32,
    prefetch: usize,
    from: Position,
}

impl Walk {
    pub(crate) fn new(fetch: Fetch, query: LeadQuery) -> Self {
        Self { fetch, query, page_size: Window::MAX_LIMIT, prefetch: 1, from: Position::default() }
    }

    /// How many leads a request asks for: 200 unless set, which is the most. As pages overlap, the least is 2; what is
    /// beyond either is taken for it.
    ///
    /// ```
    /// # use leadapi_client::model::LeadQuery;
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # fn main() {
    /// # let client = support::in_process();
    /// let walk = client.leads().walk(LeadQuery::new()).page_size(50);
    /// # assert!(format!("{walk:?}").contains("page_size: 50"));
    /// # }
    /// ```
    pub const fn page_size(mut self, leads: u32) -> Self {
        self.page_size = leads;
        self
    }

    /// How many pages are asked for ahead, while the caller is busy with the one before: 1 unless set, and 64 at most.
    ///
    /// With 0 a page is asked for when it is needed. With more than 1 so many requests are on their way at once, each for
    /// the rows where its page should begin; one that turns out not to is thrown away and asked for anew, so this pays
    /// where few leads come and go. All of them count towards the token's limit of reads, the ones thrown away too.
    ///
    /// Requests only make progress while the stream is polled. The leads of a page that was asked for ahead are as they
    /// were when it was asked for.
    ///
    /// ```
    /// # use leadapi_client::model::LeadQuery;
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # fn main() {
    /// # let client = support::in_process();
    /// let walk = client.leads().walk(LeadQuery::new()).prefetch(4);
    /// # assert!(format!("{walk:?}").contains("prefetch: 4"));
    /// # }
    /// ```
    pub const fn prefetch(mut self, pages: usize) -> Self {
        self.prefetch = if pages < MOST_AHEAD { pages } else { MOST_AHEAD };
        self
    }

    /// Goes on where an earlier walk stood, be it one of another process: what it gave is not given again, and what it
    /// did not give is.
    ///
    /// The query should be the same. With other filters the walk goes on at the same time in another list.
    ///
    /// ```
    /// use leadapi_client::{model::LeadQuery, walk::Position};
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # fn main() {
    /// # let client = support::in_process();
    /// let from_the_beginning = client.leads().walk(LeadQuery::new()).resume(Position::default());
    /// # }
    /// ```
    pub fn resume(mut self, position: Position) -> Self {
        self.from = position;
        self
    }

    /// The leads one by one.
    ///
    /// ```
    /// # use leadapi_client::model::LeadQuery;
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # fn main() { futures_executor::block_on(async {
    /// # let client = support::in_process();
    /// let mut leads = client.leads().walk(LeadQuery::new()).stream();
    /// let newest = leads.try_next().await?;
    /// # assert_eq!(newest.map(|lead| lead.name).as_deref(), Some("Ann"));
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap() }
    /// ```
    pub fn stream(self) -> LeadStream {
        LeadStream::new(self.pages())
    }

    /// The leads page by page, each page without what the one before had.
    ///
    /// ```
    /// # use leadapi_client::model::LeadQuery;
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # fn main() { futures_executor::block_on(async {
    /// # let client = support::in_process();
    /// let mut pages = client.leads().walk(LeadQuery::new()).pages();
    /// let newest = pages.try_next().await?;
    /// # assert_eq!(newest.map(|page| page.len()), Some(1));
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap() }
    /// ```
    pub fn pages(self) -> PageStream {
        PageStream::new(self)
    }
}

impl fmt::Debug for Walk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Walk")
            .field("query", &self.query)
            .field("page_size", &self.page_size)
            .field("prefetch", &self.prefetch)
            .field("from", &self.from)
            .finish_non_exhaustive()
    }
}
