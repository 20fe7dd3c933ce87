//! A walk under way: the requests, and the pages that come of them.

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

/// The leads of a walk page by page: what [`Walk::pages`] gives.
///
/// A page has at least one lead, each of them new. An error does not end the stream: the next poll asks for the same page
/// again, so whoever does not want to go on for ever stops polling. Only when the answers are not those of a list in the
/// order of the contract, or the list changes too fast, does the stream end after the error; its position is good even
/// then.
///
/// Its futures can be dropped at any time, and nothing is lost: what is under way stays in the stream. When the stream is
/// dropped, so are its requests.
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
    /// How many requests may be under way: as many as `prefetch` says, while the guesses hold.
    pub(super) depth: usize,
    /// How many pages in a row came without a guess that did not hold.
    held: usize,
    pub(super) course: Course,
    /// The next request first. All but it are guesses.
    requests: VecDeque<Request>,
    /// Set by a fault, after which nothing is asked for any more.
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

    /// The next page; none at the end.
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

    /// As [`next`](Self::next), for `?`.
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
    /// As [`Leads::list`](crate::Leads::list); the next call asks for the same page again. When the
    /// answers are not those of a list in the order of the contract, and then the stream ends.
    pub async fn try_next(&mut self) -> Result<Option<Vec<LeadItem>>, Error> {
        self.next().await.transpose()
    }

    /// How many leads there are, as the last page said; none before the first. How many the walk gives may be another
    /// number, as leads come and go.
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

    /// After the last page that was given: to be kept once its leads are safe.
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
                // The guesses behind it would likely meet the same, and the next poll makes new ones.
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
                        // The requests begin now, to be on their way while the caller works.
                        self.work(context, self.depth);
                        return Poll::Ready(Some(Ok(page)));
                    }
                }
            }
        }
    }

    /// Sees to it that so many requests are under way, and lets all of them get on.
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

    /// Guesses that do not hold are thrown away, and then fewer are made for some time: else a list that changes much
    /// would cost more requests for nothing than for pages.
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

    /// The answer that is next, once it has come.
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

    /// Nothing is known before the end: leads may be created and deleted, and pages fail.
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
