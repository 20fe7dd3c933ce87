//! The stream of a walk, page by page, and its requests.

use std::{
    collections::VecDeque,
    fmt,
    future::poll_fn,
    pin::Pin,
    task::{Context, Poll},
};

use futures_core::{Stream, future::BoxFuture};
use leadapi_core::model::{LeadItem, LeadQuery, Page, Window};

use super::{
    Fetch, Walk,
    course::{Course, Taken},
    position::Position,
};
use crate::error::Error;

/// The leads of a walk page by page, as returned by [`Walk::pages`].
///
/// Every page contains at least one lead, and only new ones. An error does not end the stream: the next poll requests
/// the same page again, so a caller that wants to give up stops polling. The stream ends after an error in two cases:
/// the responses are not a list in the order of the contract, or the list changes too fast. Its position is valid
/// even then.
///
/// Its futures are cancel safe: in-flight requests stay in the stream. Dropping the stream drops its requests.
///
/// ```
/// # use leadapi_client::model::LeadQuery;
/// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
/// # fn main() { futures_executor::block_on(async {
/// # let client = support::in_process();
/// let mut pages = client.leads().walk(LeadQuery::new()).pages();
/// while let Some(page) = pages.next().await {
///     match page {
///         Ok(page) => println!("{} leads, {:?}", page.len(), pages.position()),
///         Err(error) if error.is_rate_limited() => println!("again in {:?}", error.retry_after()),
///         Err(error) => return Err(error.into()),
///     }
/// }
/// # Ok::<(), leadapi_core::BoxError>(())
/// # }).unwrap() }
/// ```
#[must_use = "streams do nothing unless polled"]
pub struct PageStream {
    fetch: Fetch,
    query: LeadQuery,
    prefetch: usize,
    /// The number of concurrent requests. It equals `prefetch` while the guesses are right.
    pub(super) depth: usize,
    /// The number of consecutive pages without a wrong guess.
    held: usize,
    pub(super) course: Course,
    /// The next request first. All others are guesses.
    requests: VecDeque<Request>,
    /// Set by a fault, after which no more requests are sent.
    ended: bool,
}

struct Request {
    window: Window,
    state: State,
}

enum State {
    Asked(BoxFuture<'static, Result<Page<LeadItem>, Error>>),
    Answered(Result<Page<LeadItem>, Error>),
}

impl PageStream {
    pub(super) fn new(walk: Walk) -> Self {
        let Walk { fetch, query, page_size, prefetch, from } = walk;
        let course = Course::new(page_size, from);
        Self { fetch, query, prefetch, depth: prefetch, held: 0, course, requests: VecDeque::new(), ended: false }
    }

    /// Returns the next page, or `None` at the end.
    ///
    /// ```
    /// # use leadapi_client::model::LeadQuery;
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # fn main() { futures_executor::block_on(async {
    /// # let client = support::in_process();
    /// let mut pages = client.leads().walk(LeadQuery::new()).pages();
    /// assert!(matches!(pages.next().await, Some(Ok(page)) if page.len() == 1));
    /// assert!(pages.next().await.is_none());
    /// # }) }
    /// ```
    pub async fn next(&mut self) -> Option<Result<Vec<LeadItem>, Error>> {
        poll_fn(|context| self.poll(context)).await
    }

    /// Same as [`next`](Self::next), as a `Result` for use with `?`.
    ///
    /// ```
    /// # use leadapi_client::model::LeadQuery;
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # fn main() { futures_executor::block_on(async {
    /// # let client = support::in_process();
    /// let mut pages = client.leads().walk(LeadQuery::new()).pages();
    /// while let Some(page) = pages.try_next().await? {
    ///     println!("{}", page.len());
    /// }
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap() }
    /// ```
    ///
    /// # Errors
    ///
    /// The same as [`Leads::list`](crate::Leads::list); the next call requests the same page again. Also fails when
    /// the responses are not a list in the order of the contract or the list changes too fast, and then the stream
    /// ends.
    pub async fn try_next(&mut self) -> Result<Option<Vec<LeadItem>>, Error> {
        self.next().await.transpose()
    }

    /// Returns the total number of leads from the last page, or `None` before the first page. The walk may yield a
    /// different number, because leads are created and deleted meanwhile.
    ///
    /// ```
    /// # use leadapi_client::model::LeadQuery;
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # fn main() { futures_executor::block_on(async {
    /// # let client = support::in_process();
    /// let mut pages = client.leads().walk(LeadQuery::new()).pages();
    /// assert_eq!(pages.total(), None);
    /// pages.try_next().await?;
    /// assert_eq!(pages.total(), Some(1));
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap() }
    /// ```
    pub const fn total(&self) -> Option<u64> {
        self.course.total()
    }

    /// Returns the position after the last page that was yielded. Store it once the leads of that page are safe.
    ///
    /// ```
    /// # use leadapi_client::{model::LeadQuery, walk::Position};
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # fn main() {
    /// # let client = support::in_process();
    /// let pages = client.leads().walk(LeadQuery::new()).pages();
    /// assert_eq!(pages.position(), Position::default());
    /// # }
    /// ```
    pub fn position(&self) -> Position {
        self.course.position(self.course.last().cloned(), 0)
    }

    pub(super) fn is_over(&self) -> bool {
        self.ended || self.course.is_done()
    }

    pub(super) fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Vec<LeadItem>, Error>>> {
        loop {
            if self.is_over() {
                return Poll::Ready(None);
            }
            self.work(context, self.depth.max(1));
            let Some(answer) = self.first_answer() else { return Poll::Pending };
            let taken = match answer {
                // Later requests would likely fail in the same way, and the next poll makes new guesses.
                (_, Err(error)) => {
                    self.requests.clear();
                    return Poll::Ready(Some(Err(error)));
                }
                (window, Ok(page)) => self.course.take(window, page),
            };
            match taken {
                Err(fault) => {
                    self.requests.clear();
                    self.ended = true;
                    return Poll::Ready(Some(Err(fault.into())));
                }
                Ok(taken) => {
                    self.weigh_guesses();
                    if let Taken::New(page) = taken
                        && !page.is_empty()
                    {
                        // Start the requests now, so that they are in flight while the caller works.
                        self.work(context, self.depth);
                        return Poll::Ready(Some(Ok(page)));
                    }
                }
            }
        }
    }

    /// Starts requests until `most` are in flight, and polls all of them.
    pub(super) fn work(&mut self, context: &mut Context<'_>, most: usize) {
        while !self.is_over() && self.requests.len() < most {
            let guessed = match self.requests.back() {
                None => Some(self.course.window()),
                Some(request) => self.course.window_after(request.window),
            };
            let Some(window) = guessed else { break };
            let query = self.query.clone().window(window);
            self.requests.push_back(Request { window, state: State::Asked((self.fetch)(query)) });
        }
        for Request { state, .. } in &mut self.requests {
            if let State::Asked(future) = state
                && let Poll::Ready(answer) = future.as_mut().poll(context)
            {
                *state = State::Answered(answer);
            }
        }
    }

    /// Discards wrong guesses and reduces prefetching for a while. Otherwise a fast-changing list would cause more
    /// wasted requests than useful ones.
    fn weigh_guesses(&mut self) {
        match self.requests.front() {
            Some(guess) if !self.course.may_hold(guess.window) => {
                self.requests.clear();
                (self.depth, self.held) = (1, 0);
            }
            _ => {
                self.held += 1;
                if self.held > 8 * self.depth {
                    (self.depth, self.held) = (self.prefetch.min(self.depth + 1), 0);
                }
            }
        }
    }

    /// Takes the answer to the next request, if it has arrived.
    fn first_answer(&mut self) -> Option<(Window, Result<Page<LeadItem>, Error>)> {
        let first = self.requests.pop_front()?;
        match first.state {
            State::Answered(answer) => Some((first.window, answer)),
            State::Asked(_) => {
                self.requests.push_front(first);
                None
            }
        }
    }

    #[cfg(test)]
    pub(super) fn rows_held(&self) -> usize {
        let answered = self.requests.iter().filter_map(|request| match &request.state {
            State::Answered(Ok(page)) => Some(page.data.len()),
            _ => None,
        });
        answered.sum()
    }
}

impl Stream for PageStream {
    type Item = Result<Vec<LeadItem>, Error>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.get_mut().poll(context)
    }

    /// The number of pages is unknown before the end: leads are created and deleted, and pages fail.
    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, self.is_over().then_some(0))
    }
}

impl fmt::Debug for PageStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let windows = self.requests.iter().map(|request| request.window).collect::<Vec<_>>();
        f.debug_struct("PageStream")
            .field("query", &self.query)
            .field("course", &self.course)
            .field("requests", &windows)
            .finish_non_exhaustive()
    }
}
