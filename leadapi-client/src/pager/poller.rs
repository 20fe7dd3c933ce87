//! Polling for leads created since the last poll.

use std::{
    fmt, mem,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use leadapi_model::model::{LeadItem, LeadQuery, Window};

use super::{Checkpoint, Fetch, LeadPager, LeadStream};
use crate::error::Error;

/// The default overlap: how far back from the newest lead each poll rereads.
const OVERLAP: Duration = Duration::from_secs(5 * 60);

/// A poller that returns the leads created since its last poll, created by
/// [`Leads::poll_created`](crate::Leads::poll_created).
///
/// Each [`poll`](Self::poll) reads from the newest lead back to the newest lead of the last poll, and then rereads the
/// older leads within the overlap. It returns only leads that the poller has not returned before. The overlap is
/// necessary because a new lead can appear after leads with a later `created_at`: the clocks of the service's machines
/// differ, and a transaction that starts first may commit last. The poller remembers the ids of the leads within the
/// overlap, so it never returns a lead twice.
///
/// Limitations:
///
/// - A lead whose `created_at` is further back than the overlap, such as an imported lead that keeps its old date, is
///   not returned. A [`LeadPager`] finds it.
/// - The poller remembers at most 1,000 leads. If more leads were created within the overlap, the poller rereads only
///   the latest of them. It rereads leads from the same millisecond either together or not at all. It misses leads that
///   appear late in the part of the overlap that it does not reread.
/// - Leads dated in the future, according to this machine's clock, do not move the overlap. If more than 1,000 leads
///   are dated in the future, the poller returns all but the latest 1,000 of them again.
/// - With a stage filter, a lead that moves into the stage is returned if it was created within the overlap. A poller
///   finds created leads, not changed leads.
/// - A poll holds all new leads in memory until it has read the last one. If there may be too many new leads, for
///   example on the first poll, start with [`Checkpoint::at`] and read the older leads with a [`LeadPager`].
#[must_use = "a poller reads nothing until it is polled"]
pub struct Poller {
    fetch: Fetch,
    query: LeadQuery,
    page_size: u32,
    overlap: Duration,
    checkpoint: Checkpoint,
    /// A poll that failed or whose future was dropped. The next call continues it.
    in_progress: Option<PollInProgress>,
}

struct PollInProgress {
    leads: LeadStream,
    /// Newest first.
    new: Vec<LeadItem>,
    /// When the poll started, in milliseconds since the Unix epoch.
    started_at: i64,
}

/// The result of [`Poller::poll`].
///
/// ```
/// # use leadapi_client::{model::LeadQuery, pager::Checkpoint};
/// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
/// # support::run(async |client| {
/// let new = client.leads().poll_created(LeadQuery::new(), Checkpoint::default()).poll().await?;
/// for lead in &new.leads {
///     println!("{} was created at {}", lead.name, lead.created_at);
/// }
/// println!("store this now: {}", serde_json::to_string(&new.checkpoint)?);
/// # Ok(()) });
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NewLeads {
    /// The new leads, oldest first, so a caller that stops halfway has processed all earlier leads. To show the newest
    /// lead first, reverse the list.
    pub leads: Vec<LeadItem>,
    /// The checkpoint that includes these leads. Store it once the leads have been saved. After a crash, a poller that
    /// resumes from the previous checkpoint returns the same leads again and loses none.
    pub checkpoint: Checkpoint,
}

impl Poller {
    pub(crate) const fn new(fetch: Fetch, query: LeadQuery, checkpoint: Checkpoint) -> Self {
        Self { fetch, query, page_size: Window::MAX_LIMIT, overlap: OVERLAP, checkpoint, in_progress: None }
    }

    /// Sets how far back from the newest lead each poll rereads. The default is 5 minutes. The overlap applies to
    /// creation times, so it does not depend on the polling interval.
    ///
    /// ```
    /// # use leadapi_client::{model::LeadQuery, pager::Checkpoint};
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// use std::time::Duration;
    ///
    /// # let client = support::in_process();
    /// let poller = client.leads().poll_created(LeadQuery::new(), Checkpoint::default()).overlap(Duration::from_secs(30));
    /// # assert!(format!("{poller:?}").contains("overlap: 30s"));
    /// ```
    pub const fn overlap(mut self, overlap: Duration) -> Self {
        self.overlap = overlap;
        self
    }

    /// Sets the page size, as in [`LeadPager::page_size`]. If few leads are created between two polls, a small page
    /// that covers the overlap is enough.
    ///
    /// ```
    /// # use leadapi_client::{model::LeadQuery, pager::Checkpoint};
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # let client = support::in_process();
    /// let poller = client.leads().poll_created(LeadQuery::new(), Checkpoint::default()).page_size(20);
    /// # assert!(format!("{poller:?}").contains("page_size: 20"));
    /// ```
    pub const fn page_size(mut self, leads: u32) -> Self {
        self.page_size = leads;
        self
    }

    /// Reads and returns all new leads.
    ///
    /// If a poll fails or its future is dropped, no lead is lost: the next call continues or restarts that poll.
    ///
    /// ```
    /// # use leadapi_client::{model::LeadQuery, pager::Checkpoint};
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # support::run(async |client| {
    /// let mut poller = client.leads().poll_created(LeadQuery::new(), Checkpoint::default());
    /// assert_eq!(poller.poll().await?.leads.len(), 1);
    /// assert_eq!(poller.poll().await?.leads.len(), 0);
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    ///
    /// Fails for the same reasons as [`LeadStream::try_next`].
    pub async fn poll(&mut self) -> Result<NewLeads, Error> {
        let Self { fetch, query, page_size, overlap, checkpoint, in_progress } = self;
        let poll = in_progress.get_or_insert_with(|| PollInProgress {
            // Most polls need only one page, so a prefetched second page would usually be discarded.
            leads: LeadPager::new(fetch.clone(), query.clone()).page_size(*page_size).prefetch(0).stream(),
            new: Vec::new(),
            started_at: unix_millis(SystemTime::now()),
        });
        loop {
            match poll.leads.try_next().await {
                Ok(Some(lead)) if checkpoint.excludes(&lead) => break,
                Ok(Some(lead)) if checkpoint.has_returned(&lead) => {}
                Ok(Some(lead)) => poll.new.push(lead),
                Ok(None) => break,
                Err(error) => {
                    // If an ended stream were kept, the next poll would treat its end as if all leads had been read.
                    if poll.leads.is_finished() {
                        *in_progress = None;
                    }
                    return Err(error);
                }
            }
        }
        let (mut leads, started_at) = (mem::take(&mut poll.new), poll.started_at);
        leads.reverse();
        *in_progress = None;
        *checkpoint =
            mem::take(checkpoint).after(&leads, started_at, i64::try_from(overlap.as_millis()).unwrap_or(i64::MAX));
        Ok(NewLeads { leads, checkpoint: checkpoint.clone() })
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
            .field("checkpoint", &self.checkpoint)
            .finish_non_exhaustive()
    }
}
