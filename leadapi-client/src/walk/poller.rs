//! What is new since the last time.

use std::{
    fmt, mem,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use leadapi_core::model::{LeadItem, LeadQuery, Window};

use super::{Fetch, LeadStream, Mark, Walk};
use crate::error::Error;

/// How far before the newest lead a poller rereads unless it is told otherwise.
const OVERLAP: Duration = Duration::from_secs(5 * 60);

/// Tells leads that were created since the last time: [`Leads::new_since`](crate::Leads::new_since) makes it.
///
/// Each [`poll`](Self::poll) reads from the newest lead down to the overlap before the newest one of the last time, and
/// gives what has not been told. The overlap is reread because leads turn up below the newest: the clocks of a service's
/// machines differ, and what is written first may be to be seen last. What was told within the overlap is remembered by
/// its id, so it is not told again.
///
/// The limits:
///
/// - A lead that turns up with a `created_at` further back than the overlap, such as one that is imported with its old
///   date, is not told. A [`Walk`] finds it.
/// - At most 1,000 leads are remembered. If more were created within the overlap, only the latest of them are reread,
///   those of one millisecond together or not at all: nothing is told again, but what turns up before them is not told.
/// - Leads that are dated in the future, by this machine's clock, do not move the overlap; beyond the latest 1,000 they
///   are told again.
/// - With a filter by stage, a lead that is moved into the stage is told if it was created within the overlap: what is
///   new is what was created, not what was changed.
/// - What is new is held in memory until all of it was read. Where that would be too much, as at the very first time,
///   begin with [`Mark::at`] and read what is older by a [`Walk`].
#[must_use = "nothing is read before it is polled"]
pub struct Poller {
    fetch: Fetch,
    query: LeadQuery,
    page_size: u32,
    overlap: Duration,
    mark: Mark,
    /// A poll that is not over: it failed, or its future was dropped.
    reading: Option<Reading>,
}

struct Reading {
    leads: LeadStream,
    /// Newest first.
    new: Vec<LeadItem>,
    /// When it began, in milliseconds since 1970.
    began: i64,
}

/// What a [`Poller`] found.
///
/// ```
/// # use leadapi_client::{model::LeadQuery, walk::Mark};
/// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
/// # fn main() { futures_executor::block_on(async {
/// # let client = support::in_process();
/// let new = client.leads().new_since(LeadQuery::new(), Mark::default()).poll().await?;
/// for lead in &new.leads {
///     println!("{} came at {}", lead.name, lead.created_at);
/// }
/// println!("to be kept now: {}", serde_json::to_string(&new.mark)?);
/// # Ok::<(), leadapi_core::BoxError>(())
/// # }).unwrap() }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NewLeads {
    /// The leads that had not been told, oldest first: so they are worked on in the order in which they came, and
    /// whoever stops half-way has done the earlier ones. Platforms that want the newest first turn it around.
    pub leads: Vec<LeadItem>,
    /// What has been told, these leads included: to be kept once they are safe. Whoever crashes before and goes on from
    /// the mark before it is told the same leads again, and loses none.
    pub mark: Mark,
}

impl Poller {
    pub(crate) const fn new(fetch: Fetch, query: LeadQuery, mark: Mark) -> Self {
        Self { fetch, query, page_size: Window::MAX_LIMIT, overlap: OVERLAP, mark, reading: None }
    }

    /// How far before the newest lead is reread each time: 5 minutes unless set. It is measured between times of
    /// creation, and does not depend on how often is polled.
    ///
    /// ```
    /// # use leadapi_client::{model::LeadQuery, walk::Mark};
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// use std::time::Duration;
    ///
    /// # fn main() {
    /// # let client = support::in_process();
    /// let poller = client.leads().new_since(LeadQuery::new(), Mark::default()).overlap(Duration::from_secs(30));
    /// # assert!(format!("{poller:?}").contains("overlap: 30s"));
    /// # }
    /// ```
    pub const fn overlap(mut self, overlap: Duration) -> Self {
        self.overlap = overlap;
        self
    }

    /// How many leads a request asks for, as [`Walk::page_size`]. Where few leads come between two polls, a small page
    /// that holds the overlap is enough.
    ///
    /// ```
    /// # use leadapi_client::{model::LeadQuery, walk::Mark};
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # fn main() {
    /// # let client = support::in_process();
    /// let poller = client.leads().new_since(LeadQuery::new(), Mark::default()).page_size(20);
    /// # assert!(format!("{poller:?}").contains("page_size: 20"));
    /// # }
    /// ```
    pub const fn page_size(mut self, leads: u32) -> Self {
        self.page_size = leads;
        self
    }

    /// Reads what is new, all of it.
    ///
    /// When it fails, or when its future is dropped, nothing is lost: the next call goes on where it stood.
    ///
    /// ```
    /// # use leadapi_client::{model::LeadQuery, walk::Mark};
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # fn main() { futures_executor::block_on(async {
    /// # let client = support::in_process();
    /// let mut poller = client.leads().new_since(LeadQuery::new(), Mark::default());
    /// assert_eq!(poller.poll().await?.leads.len(), 1);
    /// assert_eq!(poller.poll().await?.leads.len(), 0);
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap() }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`LeadStream::try_next`].
    pub async fn poll(&mut self) -> Result<NewLeads, Error> {
        let Self { fetch, query, page_size, overlap, mark, reading } = self;
        let now = reading.get_or_insert_with(|| Reading {
            // Most polls need one page, and a second one that was asked for ahead would be thrown away.
            leads: Walk::new(fetch.clone(), query.clone()).page_size(*page_size).prefetch(0).stream(),
            new: Vec::new(),
            began: unix_millis(SystemTime::now()),
        });
        loop {
            match now.leads.try_next().await {
                Ok(Some(lead)) if mark.is_below(&lead) => break,
                Ok(Some(lead)) if mark.has_told(&lead) => {}
                Ok(Some(lead)) => now.new.push(lead),
                Ok(None) => break,
                Err(error) => {
                    // A walk that has ended for good would look as if all had been read.
                    if now.leads.is_over() {
                        *reading = None;
                    }
                    return Err(error);
                }
            }
        }
        let (mut leads, began) = (mem::take(&mut now.new), now.began);
        leads.reverse();
        *reading = None;
        *mark = mem::take(mark).and(&leads, began, i64::try_from(overlap.as_millis()).unwrap_or(i64::MAX));
        Ok(NewLeads { leads, mark: mark.clone() })
    }
}

fn unix_millis(at: SystemTime) -> i64 {
    at.duration_since(UNIX_EPOCH).map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

impl fmt::Debug for Poller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Poller")
            .field("query", &self.query)
            .field("page_size", &self.page_size)
            .field("overlap", &self.overlap)
            .field("mark", &self.mark)
            .finish_non_exhaustive()
    }
}
