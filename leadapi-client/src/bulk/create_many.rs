//! The creates of an import, as a stream of row results.

use std::{
    fmt,
    future::poll_fn,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use futures_core::Stream;
use leadapi_core::model::{IdempotencyKey, InvalidIdempotencyKey, NewLead};

use super::{
    flight::Flight,
    settled::{Progress, Settled},
    stop::{Stop, Stopped},
};
use crate::{client::Client, error::Error, leads::Leads, retry::RetryPolicy, shared::Options};

/// Default limit of in-flight rows. It sustains the rate of the contract, 60 in 60 s, if the service takes up to 8 s
/// per row.
const IN_FLIGHT: usize = 8;
/// Default timeout of a row. It is longer than that of a call, because other users of the token may delay the row.
const TIMEOUT: Duration = Duration::from_secs(60 * 60);

/// The creates of many rows, as a stream of their results.
///
/// Rows are sent only while [`next`](Self::next) is awaited or the stream is polled. A poll takes rows from the
/// iterator while fewer than [`in_flight`](Self::in_flight) are in flight. Each row is a separate
/// [create](crate::Leads::create) with all its attempts. So an endless iterator needs no more memory than a short
/// one.
///
/// Dropping the stream loses only the responses: requests that were sent may have been executed. With keys that are
/// the same in every run ([`named`](Self::named), [`keys`](Self::keys)), the same rows can be sent again without
/// duplicates, as long as the service remembers the keys: 24 hours (contract D10).
///
/// A refused row does not stop the others. An error that every row would meet does: then the rows in flight finish,
/// and the last item of the stream is [`Stopped`].
///
/// ```
/// use leadapi_client::model::NewLead;
/// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
/// # futures_executor::block_on(async {
/// # let (client, casa_verde) = (support::in_process(), support::casa_verde());
/// let rows = ["Ann", "Øyvind", " "].into_iter().map(|name| NewLead::new(&casa_verde, name));
/// let mut creates = client.leads().create_many(rows).named("import-7")?;
/// while let Some(settled) = creates.next().await {
///     let settled = settled?;
///     match settled.outcome {
///         Ok(lead) => println!("row {}: {}", settled.index, lead.id),
///         Err(error) => println!("row {}: {error}", settled.index),
///     }
/// }
/// println!("{:?}", creates.progress());
/// # Ok::<(), leadapi_core::BoxError>(())
/// # }).unwrap();
/// ```
#[must_use = "rows are sent while somebody asks for what has become of them"]
pub struct CreateMany<'r, R> {
    client: Client,
    /// The rows that have not been sent.
    rows: Option<Rows<'r, R>>,
    taken: u64,
    flight: Flight<R>,
    in_flight: usize,
    in_order: bool,
    key: Key<'r, R>,
    options: Options,
    stop: Stop<'r>,
    progress: Progress,
}

type Rows<'r, R> = Pin<Box<dyn Stream<Item = R> + Send + 'r>>;
type Key<'r, R> = Box<dyn FnMut(u64, &R) -> IdempotencyKey + Send + 'r>;

impl Leads<'_> {
    /// Creates a lead for each row, several concurrently, within the client's rate limit.
    ///
    /// A row is a [`NewLead`], a reference to one, or a custom type that contains one ([`AsRef`]). It is returned
    /// with its result. For the details, see [`CreateMany`].
    ///
    /// ```
    /// use leadapi_client::model::{IdempotencyKey, NewLead};
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # futures_executor::block_on(async {
    /// # let client = support::in_process();
    ///
    /// /// A row of another system, which knows its own number.
    /// struct Contact {
    ///     number: u64,
    ///     new: NewLead,
    /// }
    ///
    /// impl AsRef<NewLead> for Contact {
    ///     fn as_ref(&self) -> &NewLead {
    ///         &self.new
    ///     }
    /// }
    ///
    /// # let contacts = vec![Contact { number: 17, new: NewLead::new(&support::casa_verde(), "Ann") }];
    /// let key = |_, contact: &Contact| {
    ///     IdempotencyKey::parse(&format!("crm-1/contact-{}", contact.number)).unwrap_or_else(|_| IdempotencyKey::random())
    /// };
    /// let mut creates = client.leads().create_many(contacts).keys(key);
    /// while let Some(settled) = creates.next().await {
    ///     let settled = settled?;
    ///     println!("contact {} is lead {}", settled.row.number, settled.outcome?.id);
    /// }
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// ```
    pub fn create_many<'r, I>(&self, rows: I) -> CreateMany<'r, I::Item>
    where
        I: IntoIterator<Item: AsRef<NewLead>, IntoIter: Send + 'r>,
    {
        self.create_many_from(Ready(rows.into_iter()))
    }

    /// Same as [`create_many`](Self::create_many), for rows from an async stream.
    ///
    /// ```
    /// use leadapi_client::model::NewLead;
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # futures_executor::block_on(async {
    /// # let client = support::in_process();
    /// # struct OneRow(Option<NewLead>);
    /// # impl futures_core::Stream for OneRow {
    /// #     type Item = NewLead;
    /// #     fn poll_next(mut self: std::pin::Pin<&mut Self>, _: &mut std::task::Context<'_>)
    /// #         -> std::task::Poll<Option<NewLead>> {
    /// #         std::task::Poll::Ready(self.0.take())
    /// #     }
    /// # }
    /// # let rows = OneRow(Some(NewLead::new(&support::casa_verde(), "Ann")));
    /// let mut creates = client.leads().create_many_from(rows);
    /// while let Some(settled) = creates.next().await {
    ///     println!("{}", settled?.outcome?.id);
    /// }
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// ```
    pub fn create_many_from<'r, S>(&self, rows: S) -> CreateMany<'r, S::Item>
    where
        S: Stream<Item: AsRef<NewLead>> + Send + 'r,
    {
        let client = self.client();
        CreateMany {
            client: client.clone(),
            rows: Some(Box::pin(rows)),
            taken: 0,
            flight: Flight::new(),
            in_flight: IN_FLIGHT,
            in_order: false,
            key: Box::new(|_, _| IdempotencyKey::random()),
            options: Options { timeout: Some(TIMEOUT), ..client.options() },
            stop: Stop::default(),
            progress: Progress::default(),
        }
    }
}

impl<'r, R: AsRef<NewLead>> CreateMany<'r, R> {
    /// Maximum number of rows in flight. Each wake-up polls all of them.
    pub const MOST_IN_FLIGHT: usize = 64;

    /// Sets the number of rows in flight, from 1 to [`MOST_IN_FLIGHT`](Self::MOST_IN_FLIGHT). The default of 8 is
    /// enough for the rate limit of the contract; use more for services with a higher one.
    ///
    /// ```
    /// # use leadapi_client::model::NewLead;
    /// # let client = { mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); } support::in_process() };
    /// # let rows: [NewLead; 0] = [];
    /// let creates = client.leads().create_many(rows).in_flight(32);
    /// # drop(creates);
    /// ```
    pub fn in_flight(mut self, rows: usize) -> Self {
        self.in_flight = rows.clamp(1, Self::MOST_IN_FLIGHT);
        self
    }

    /// Returns rows in input order instead of completion order, so that the result of a row implies that all earlier
    /// rows are done. A finished row counts as in flight until the earlier rows finish, so a slow row can delay the
    /// others.
    ///
    /// ```
    /// # use leadapi_client::model::NewLead;
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # futures_executor::block_on(async {
    /// # let (client, rows) = (support::in_process(), vec![NewLead::new(&support::casa_verde(), "Ann")]);
    /// let mut creates = client.leads().create_many(rows).in_order();
    /// let mut done = 0;
    /// while let Some(settled) = creates.next().await {
    ///     done = settled?.index + 1;
    /// }
    /// # assert_eq!(done, 1);
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// ```
    pub const fn in_order(mut self) -> Self {
        self.in_order = true;
        self
    }

    /// Names the import, so that its rows get the keys `NAME/row-0`, `NAME/row-1` and so on. The keys are the same in
    /// every run with the same name. Without this and without [`keys`](Self::keys), each run uses new random keys.
    ///
    /// If a row differs from the row with the same key in an earlier run, the service refuses it. To create the same
    /// rows twice, use two names.
    ///
    /// ```
    /// # use leadapi_client::model::NewLead;
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # futures_executor::block_on(async {
    /// # let (client, rows) = (support::in_process(), vec![NewLead::new(&support::casa_verde(), "Ann")]);
    /// for run in 0..2 {
    ///     let mut creates = client.leads().create_many(&rows).named("import-7")?;
    ///     let settled = creates.next().await.unwrap()?;
    ///     assert_eq!((settled.key.as_str(), settled.replayed), ("import-7/row-0", run == 1));
    /// }
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidIdempotencyKey`] if the name is not visible ASCII, or is too long to start a key with.
    pub fn named(self, import: &str) -> Result<Self, InvalidIdempotencyKey> {
        let key = |import: &str, index| IdempotencyKey::parse(&format!("{import}/row-{index}"));
        // The longest possible key: if it is valid, all are.
        let last = key(import, u64::MAX)?;
        let import = import.to_owned();
        Ok(self.keys(move |index, _| key(&import, index).unwrap_or_else(|_| last.clone())))
    }

    /// Sets the function that returns the key of a row, given its index and the row. A key must be unique to the row
    /// and the same in every run.
    ///
    /// ```
    /// # use leadapi_client::model::{IdempotencyKey, NewLead};
    /// # let client = { mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); } support::in_process() };
    /// # let (rows, stored): ([NewLead; 0], Vec<IdempotencyKey>) = ([], vec![]);
    /// let creates = client.leads().create_many(rows).keys(move |index, _| {
    ///     let index = usize::try_from(index).unwrap_or(usize::MAX);
    ///     stored.get(index).cloned().unwrap_or_else(IdempotencyKey::random)
    /// });
    /// # drop(creates);
    /// ```
    pub fn keys(mut self, key: impl FnMut(u64, &R) -> IdempotencyKey + Send + 'r) -> Self {
        self.key = Box::new(key);
        self
    }

    /// Adds a condition of the caller's that stops the import.
    ///
    /// The import always stops when the token is invalid or lacks the scope, when the address is not the API's, and
    /// when the transport fails permanently. It also stops after a run of consecutive failures that the service did
    /// not refuse: twice the limit of in-flight rows, and at least 10.
    ///
    /// ```
    /// # use leadapi_client::model::NewLead;
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # futures_executor::block_on(async {
    /// # let client = support::in_process();
    /// # let rows = vec![NewLead::new(&"not-ours".parse()?, "Ann")];
    /// // All rows are of one client account: if it is not ours, it is of no use to go on.
    /// let mut creates = client.leads().create_many(rows).stop_on(|error| error.is_forbidden());
    /// # assert!(creates.next().await.unwrap()?.outcome.unwrap_err().is_forbidden());
    /// # assert!(creates.next().await.unwrap().is_err());
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # }).unwrap();
    /// ```
    pub fn stop_on(mut self, error: impl FnMut(&Error) -> bool + Send + 'r) -> Self {
        self.stop.also_on(error);
        self
    }

    /// Overrides the client's retry policy for each row.
    ///
    /// ```
    /// # use leadapi_client::{RetryPolicy, model::NewLead};
    /// # let client = { mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); } support::in_process() };
    /// # let rows: [NewLead; 0] = [];
    /// let creates = client.leads().create_many(rows).retry(RetryPolicy::default().attempts(10));
    /// # drop(creates);
    /// ```
    pub const fn retry(mut self, policy: RetryPolicy) -> Self {
        self.options.retry = policy;
        self
    }

    /// Sets the timeout of a row, including its waits for the rate limit: an hour by default, whatever the client's
    /// timeout is. A row that only waits, because others use the token too, has not failed.
    ///
    /// ```
    /// # use leadapi_client::model::NewLead;
    /// # let client = { mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); } support::in_process() };
    /// # let rows: [NewLead; 0] = [];
    /// use std::time::Duration;
    ///
    /// let creates = client.leads().create_many(rows).timeout(Duration::from_secs(120));
    /// # drop(creates);
    /// ```
    pub const fn timeout(mut self, timeout: Duration) -> Self {
        self.options.timeout = Some(timeout);
        self
    }

    /// Returns the result of the next row, or `None` after the last one. If not all rows could be sent, the last item
    /// is an error.
    ///
    /// It is cancel safe: dropping the future loses no row.
    ///
    /// ```
    /// use leadapi_client::model::NewLead;
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # futures_executor::block_on(async {
    /// # let (client, rows) = (support::in_process(), vec![NewLead::new(&support::casa_verde(), "Ann")]);
    /// let mut creates = client.leads().create_many(rows);
    /// while let Some(settled) = creates.next().await {
    ///     println!("row {} has ended", settled.unwrap().index);
    /// }
    /// # });
    /// ```
    ///
    /// # Errors
    ///
    /// [`Stopped`], after which the stream ends.
    pub async fn next(&mut self) -> Option<Result<Settled<R>, Stopped>> {
        poll_fn(|cx| Pin::new(&mut *self).poll_next(cx)).await
    }

    /// Takes rows until the limit is reached.
    fn take_rows(&mut self, cx: &mut Context<'_>) {
        if self.stop.is_stopped() {
            self.rows = None;
        }
        while let Some(rows) = self.rows.as_mut().filter(|_| self.flight.len() < self.in_flight) {
            match rows.as_mut().poll_next(cx) {
                Poll::Ready(Some(row)) => self.send(row),
                Poll::Ready(None) => self.rows = None,
                Poll::Pending => break,
            }
        }
    }

    fn send(&mut self, row: R) {
        let (index, key) = (self.taken, (self.key)(self.taken, &row));
        let create = self.client.leads().create(row.as_ref()).idempotency_key(key.clone()).options(self.options);
        self.flight.add(index, row, key, create.with_meta().into_future());
        self.taken += 1;
    }
}

impl<R> CreateMany<'_, R> {
    /// Returns the number of rows by result, among those that the stream has returned.
    ///
    /// ```
    /// # use leadapi_client::model::NewLead;
    /// # let client = { mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); } support::in_process() };
    /// # let rows: [NewLead; 0] = [];
    /// let creates = client.leads().create_many(rows);
    /// assert_eq!(creates.progress().settled(), 0);
    /// ```
    pub const fn progress(&self) -> Progress {
        self.progress
    }
}

impl<R: AsRef<NewLead>> Stream for CreateMany<'_, R> {
    type Item = Result<Settled<R>, Stopped>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        this.take_rows(cx);
        let Self { flight, stop, in_flight, .. } = this;
        flight.poll(cx, |index, error| stop.watch(index, error, *in_flight));
        if let Some(settled) = this.flight.take(this.in_order) {
            this.progress.count(&settled);
            return Poll::Ready(Some(Ok(settled)));
        }
        if this.rows.is_none() && this.flight.len() == 0 {
            return Poll::Ready(this.stop.take().map(Err));
        }
        Poll::Pending
    }
}

/// The stream of rows and the calls are boxed, and no row is ever pinned.
impl<R> Unpin for CreateMany<'_, R> {}

impl<R> fmt::Debug for CreateMany<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CreateMany")
            .field("taken", &self.taken)
            .field("in_flight", &self.flight.len())
            .field("progress", &self.progress)
            .finish_non_exhaustive()
    }
}

/// A stream of the rows of an iterator, always ready.
struct Ready<I>(I);

/// The iterator is never pinned.
impl<I> Unpin for Ready<I> {}

impl<I: Iterator> Stream for Ready<I> {
    type Item = I::Item;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<I::Item>> {
        Poll::Ready(self.0.next())
    }
}
