//! The stream that yields leads page by page, and its requests.

use std::{
    collections::VecDeque,
    fmt,
    future::poll_fn,
    pin::Pin,
    task::{Context, Poll},
};

use futures_core::{Stream, future::BoxFuture};
use leadapi_model::model::{LeadItem, LeadQuery, Page, Window};

use super::{
    Fetch, LeadPager,
    cursor::{Advance, Cursor},
    position::Position,
};
use crate::error::Error;

/// A stream that yields leads page by page, created by [`LeadPager::pages`].
///
/// Every page contains at least one lead, and pages do not overlap. Most errors do not end the stream: the next poll
/// requests the same page again. To give up, stop polling. An error ends the stream in two cases: the responses do not
/// form a list in the contract's order, or the list changes too fast. The stream's position remains valid.
///
/// The methods are cancel safe: dropping their futures leaves in-flight requests in the stream. Dropping the stream
/// cancels its requests.
///
/// ```
/// # use leadapi_client::model::LeadQuery;
/// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
/// # support::run(async |client| {
/// let mut pages = client.leads().list_all(LeadQuery::new()).pages();
/// while let Some(page) = pages.next().await {
///     match page {
///         Ok(page) => println!("{} leads, {:?}", page.len(), pages.position()),
///         Err(error) if error.is_rate_limited() => println!("retry in {:?}", error.retry_after()),
///         Err(error) => return Err(error.into()),
///     }
/// }
/// # Ok(()) });
/// ```
#[must_use = "streams do nothing unless polled"]
pub struct PageStream {
    fetch: Fetch,
    query: LeadQuery,
    prefetch: usize,
    /// The maximum number of concurrent requests. It equals `prefetch` as long as the guessed windows are right.
    pub(super) concurrency: usize,
    /// The number of consecutive pages since a guessed window was last wrong.
    correct_guesses: usize,
    pub(super) cursor: Cursor,
    /// The requests in page order. The window of a request that was queued behind an earlier request is a guess.
    requests: VecDeque<Request>,
    /// Whether a [`PagerError`](super::error::PagerError) has ended the stream. An ended stream sends no more requests.
    ended: bool,
}

struct Request {
    window: Window,
    state: RequestState,
}

enum RequestState {
    Pending(BoxFuture<'static, Result<Page<LeadItem>, Error>>),
    Done(Result<Page<LeadItem>, Error>),
}

impl PageStream {
    pub(super) fn new(pager: LeadPager) -> Self {
        let LeadPager { fetch, query, page_size, prefetch, from } = pager;
        let cursor = Cursor::new(page_size, from);
        Self {
            fetch,
            query,
            prefetch,
            concurrency: prefetch,
            correct_guesses: 0,
            cursor,
            requests: VecDeque::new(),
            ended: false,
        }
    }

    /// Returns the next page, or `None` at the end.
    ///
    /// ```
    /// # use leadapi_client::model::LeadQuery;
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # support::run(async |client| {
    /// let mut pages = client.leads().list_all(LeadQuery::new()).pages();
    /// assert!(matches!(pages.next().await, Some(Ok(page)) if page.len() == 1));
    /// assert!(pages.next().await.is_none());
    /// # Ok(()) });
    /// ```
    pub async fn next(&mut self) -> Option<Result<Vec<LeadItem>, Error>> {
        poll_fn(|context| self.poll(context)).await
    }

    /// Same as [`next`](Self::next), but returns a `Result` for use with `?`.
    ///
    /// ```
    /// # use leadapi_client::model::LeadQuery;
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # support::run(async |client| {
    /// let mut pages = client.leads().list_all(LeadQuery::new()).pages();
    /// while let Some(page) = pages.try_next().await? {
    ///     println!("{}", page.len());
    /// }
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    ///
    /// Fails for the same reasons as [`Leads::list`](crate::Leads::list); the next call then requests the same page
    /// again. Also fails if the responses do not form a list in the contract's order, or if the list changes too fast.
    /// The stream then ends.
    pub async fn try_next(&mut self) -> Result<Option<Vec<LeadItem>>, Error> {
        self.next().await.transpose()
    }

    /// Returns the total number of leads that the service reported most recently. The total is `None` before the first
    /// page, unless the stream was resumed. The stream may yield a different number, because leads may be created and
    /// deleted during the iteration.
    ///
    /// ```
    /// # use leadapi_client::model::LeadQuery;
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # support::run(async |client| {
    /// let mut pages = client.leads().list_all(LeadQuery::new()).pages();
    /// assert_eq!(pages.total(), None);
    /// pages.try_next().await?;
    /// assert_eq!(pages.total(), Some(1));
    /// # Ok(()) });
    /// ```
    pub const fn total(&self) -> Option<u64> {
        self.cursor.total()
    }

    /// Returns the position after the last page that was yielded. Store it once that page's leads have been saved.
    ///
    /// ```
    /// # use leadapi_client::{model::LeadQuery, pager::Position};
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # let client = support::in_process();
    /// let pages = client.leads().list_all(LeadQuery::new()).pages();
    /// assert_eq!(pages.position(), Position::default());
    /// ```
    pub fn position(&self) -> Position {
        self.cursor.position(self.cursor.last().cloned(), 0)
    }

    pub(super) fn is_finished(&self) -> bool {
        self.ended || self.cursor.is_done()
    }

    pub(super) fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Vec<LeadItem>, Error>>> {
        loop {
            if self.is_finished() {
                return Poll::Ready(None);
            }
            self.drive_requests(context, self.concurrency.max(1));
            let Some(response) = self.take_first_response() else { return Poll::Pending };
            let advanced = match response {
                // Discard the later requests: they would probably fail too, and the next poll guesses new windows.
                (_, Err(error)) => {
                    self.requests.clear();
                    return Poll::Ready(Some(Err(error)));
                }
                (window, Ok(page)) => self.cursor.advance(window, page),
            };
            match advanced {
                Err(error) => {
                    self.requests.clear();
                    self.ended = true;
                    return Poll::Ready(Some(Err(error.into())));
                }
                Ok(advance) => {
                    self.check_guesses();
                    if let Advance::Leads(page) = advance
                        && !page.is_empty()
                    {
                        // Start the next requests now, so that they are in flight while the caller processes the page.
                        self.drive_requests(context, self.concurrency);
                        return Poll::Ready(Some(Ok(page)));
                    }
                }
            }
        }
    }

    /// Starts requests until `max` are in flight, and polls all of them.
    pub(super) fn drive_requests(&mut self, context: &mut Context<'_>, max: usize) {
        while !self.is_finished() && self.requests.len() < max {
            let guessed = match self.requests.back() {
                None => Some(self.cursor.window()),
                Some(request) => self.cursor.window_after(request.window),
            };
            let Some(window) = guessed else { break };
            let query = self.query.clone().window(window);
            self.requests.push_back(Request { window, state: RequestState::Pending((self.fetch)(query)) });
        }
        for Request { state, .. } in &mut self.requests {
            if let RequestState::Pending(future) = state
                && let Poll::Ready(response) = future.as_mut().poll(context)
            {
                *state = RequestState::Done(response);
            }
        }
    }

    /// If the next guessed window is wrong, discards all prefetched pages and reduces prefetching for a while.
    /// Otherwise a fast-changing list would cause more wasted requests than useful ones.
    fn check_guesses(&mut self) {
        match self.requests.front() {
            Some(guess) if !self.cursor.may_contain(guess.window) => {
                self.requests.clear();
                (self.concurrency, self.correct_guesses) = (1, 0);
            }
            _ => {
                self.correct_guesses += 1;
                if self.correct_guesses > 8 * self.concurrency {
                    (self.concurrency, self.correct_guesses) = (self.prefetch.min(self.concurrency + 1), 0);
                }
            }
        }
    }

    /// Takes the response to the first request, if it has arrived.
    fn take_first_response(&mut self) -> Option<(Window, Result<Page<LeadItem>, Error>)> {
        let first = self.requests.pop_front()?;
        match first.state {
            RequestState::Done(response) => Some((first.window, response)),
            RequestState::Pending(_) => {
                self.requests.push_front(first);
                None
            }
        }
    }
}

impl Stream for PageStream {
    type Item = Result<Vec<LeadItem>, Error>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.get_mut().poll(context)
    }

    /// The number of pages is unknown until the end, because leads may be created and deleted and requests may fail.
    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, self.is_finished().then_some(0))
    }
}

impl fmt::Debug for PageStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let windows = self.requests.iter().map(|request| request.window).collect::<Vec<_>>();
        f.debug_struct("PageStream")
            .field("query", &self.query)
            .field("cursor", &self.cursor)
            .field("requests", &windows)
            .finish_non_exhaustive()
    }
}
