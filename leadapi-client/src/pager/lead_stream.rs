//! The stream that yields leads one by one.

use std::{
    fmt,
    future::poll_fn,
    pin::Pin,
    task::{Context, Poll},
    vec,
};

use futures_core::Stream;
use leadapi_model::model::LeadItem;

use super::{
    page_stream::PageStream,
    position::{Key, Position},
};
use crate::error::Error;

/// A stream that yields leads one by one, created by [`LeadPager::stream`](super::LeadPager::stream).
///
/// Errors and dropped futures have the same effect as in [`PageStream`].
///
/// ```
/// # use leadapi_client::model::LeadQuery;
/// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
/// # support::run(async |client| {
/// let mut leads = client.leads().list_all(LeadQuery::new()).stream();
/// while let Some(lead) = leads.try_next().await? {
///     println!("{}", lead.name);
/// }
/// # Ok(()) });
/// ```
#[must_use = "streams do nothing unless polled"]
pub struct LeadStream {
    pages: PageStream,
    /// The leads of the last page that have not been yielded.
    page: vec::IntoIter<LeadItem>,
    /// The last lead that was yielded, which may precede the last lead that was read.
    last_yielded: Option<Key>,
}

impl LeadStream {
    pub(super) fn new(pages: PageStream) -> Self {
        let last_yielded = pages.cursor.last().cloned();
        Self { pages, page: Vec::new().into_iter(), last_yielded }
    }

    /// Returns the next lead, or `None` at the end.
    ///
    /// ```
    /// # use leadapi_client::model::LeadQuery;
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # support::run(async |client| {
    /// let mut leads = client.leads().list_all(LeadQuery::new()).stream();
    /// assert!(matches!(leads.next().await, Some(Ok(lead)) if lead.name == "Ann"));
    /// assert!(leads.next().await.is_none());
    /// # Ok(()) });
    /// ```
    pub async fn next(&mut self) -> Option<Result<LeadItem, Error>> {
        poll_fn(|context| self.poll(context)).await
    }

    /// Same as [`next`](Self::next), but returns a `Result` for use with `?`.
    ///
    /// ```
    /// # use leadapi_client::model::LeadQuery;
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # support::run(async |client| {
    /// let mut leads = client.leads().list_all(LeadQuery::new()).stream();
    /// assert_eq!(leads.try_next().await?.map(|lead| lead.name).as_deref(), Some("Ann"));
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    ///
    /// Fails for the same reasons as [`PageStream::try_next`].
    pub async fn try_next(&mut self) -> Result<Option<LeadItem>, Error> {
        self.next().await.transpose()
    }

    /// Returns the total number of leads that the service reported most recently, as [`PageStream::total`] does.
    ///
    /// ```
    /// # use leadapi_client::model::LeadQuery;
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # support::run(async |client| {
    /// let mut leads = client.leads().list_all(LeadQuery::new()).stream();
    /// assert_eq!(leads.total(), None);
    /// leads.try_next().await?;
    /// assert_eq!(leads.total(), Some(1));
    /// # Ok(()) });
    /// ```
    pub const fn total(&self) -> Option<u64> {
        self.pages.total()
    }

    /// Returns the position after the last lead that was yielded. Store it once that lead has been saved.
    ///
    /// ```
    /// # use leadapi_client::{model::LeadQuery, pager::Position};
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # support::run(async |client| {
    /// let mut leads = client.leads().list_all(LeadQuery::new()).stream();
    /// while let Some(lead) = leads.try_next().await? {
    ///     println!("processed {}; resume from {}", lead.id, serde_json::to_string(&leads.position())?);
    /// }
    /// # Ok(()) });
    /// ```
    pub fn position(&self) -> Position {
        self.pages.cursor.position(self.last_yielded.clone(), self.page.len())
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<LeadItem, Error>>> {
        loop {
            if let Some(lead) = self.page.next() {
                // Poll the requests here, so that prefetching makes progress while the caller consumes this page.
                self.pages.drive_requests(context, self.pages.concurrency);
                self.last_yielded = Some((lead.created_at, lead.id.clone()));
                return Poll::Ready(Some(Ok(lead)));
            }
            match self.pages.poll(context) {
                Poll::Ready(Some(Ok(page))) => self.page = page.into_iter(),
                Poll::Ready(Some(Err(error))) => return Poll::Ready(Some(Err(error))),
                Poll::Ready(None) => return Poll::Ready(None),
                Poll::Pending => return Poll::Pending,
            }
        }
    }

    /// Returns whether the stream has ended, with or without an error.
    pub(super) fn is_finished(&self) -> bool {
        self.pages.is_finished() && self.page.len() == 0
    }
}

impl Stream for LeadStream {
    type Item = Result<LeadItem, Error>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.get_mut().poll(context)
    }

    /// The lower bound is the number of buffered leads. The number of further leads is unknown until the end.
    fn size_hint(&self) -> (usize, Option<usize>) {
        let buffered = self.page.len();
        (buffered, self.pages.is_finished().then_some(buffered))
    }
}

impl fmt::Debug for LeadStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LeadStream")
            .field("pages", &self.pages)
            .field("last_yielded", &self.last_yielded)
            .finish_non_exhaustive()
    }
}
