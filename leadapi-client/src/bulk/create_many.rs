//! The creates of an import, as a stream of what becomes of its rows.

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

/// So many rows are on their way unless told otherwise: they keep the pace of the contract, 60 in 60 s, with a service
/// that takes up to 8 s for each.
const IN_FLIGHT: usize = 8;
/// How long a row may take: longer than a call, because others with the same token may keep it waiting for the rate.
const TIMEOUT: Duration = Duration::from_secs(60 * 60);

/// The creates of many rows: a stream of what becomes of each.
///
/// Nothing happens but in [`next`](Self::next), or where else the stream is polled: then rows are taken from the
/// iterator, up to [`in_flight`](Self::in_flight) of them are on their way at a time, each as a
/// [create](crate::Leads::create) of its own with all its attempts, and no row is taken before there is room for it. So an
/// iterator without an end needs no more memory than a short one.
///
/// Dropped at any moment, it loses nothing but the answers: what was sent by then may be done or not. With keys that are
/// the same in every run ([`named`](Self::named), [`keys`](Self::keys)) the same rows can be sent again, and each is one
/// lead in the end, for as long as the service remembers keys: 24 hours (contract D10).
///
/// A row that is refused stops no other. What would meet every row does: then those on their way are let finish, and the
/// last that the stream gives is [`Stopped`].
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
    /// Those that are still to come.
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
    /// Creates a lead of each row, several at a time, at the client's pace.
    ///
    /// A row is a [`NewLead`], a reference to one, or a type of one's own that has one ([`AsRef`]); it comes back with
    /// what has become of it. [`CreateMany`] says the rest.
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

    /// [`create_many`](Self::create_many) of rows that have to be waited for.
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
    /// The most rows that can be on their way at a time: with each that moves, all are asked.
    pub const MOST_IN_FLIGHT: usize = 64;

    /// So many rows are on their way at a time, from 1 to [`MOST_IN_FLIGHT`](Self::MOST_IN_FLIGHT); 8 by default, which
    /// is enough for the rate of the contract. More are for services with a higher one.
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

    /// Gives rows in their order, and not as they end: what is told of a row then stands for all before it. One that has
    /// ended waits for those before it, and takes up its place until then, so that a slow row can hold up the others.
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

    /// Names the import: the keys of its rows are `NAME/row-0`, `NAME/row-1` and so on, the same whenever the same rows
    /// are sent under the same name. Without it, and without [`keys`](Self::keys), each run has keys of its own.
    ///
    /// A row that is another than it was in the run before is refused, because its key stands for that one. To have
    /// the same rows twice, send them under two names.
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
    /// [`InvalidIdempotencyKey`] when the name is not visible ASCII, or too long for keys that begin with it.
    pub fn named(self, import: &str) -> Result<Self, InvalidIdempotencyKey> {
        let key = |import: &str, index| IdempotencyKey::parse(&format!("{import}/row-{index}"));
        // The longest there can be: if this is one, all are.
        let last = key(import, u64::MAX)?;
        let import = import.to_owned();
        Ok(self.keys(move |index, _| key(&import, index).unwrap_or_else(|_| last.clone())))
    }

    /// Names each row's key by its place and itself: what tells a row from all others, in every run.
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

    /// Stops at errors of the caller's choice too, and not only at those that would meet every row.
    ///
    /// By itself it stops at a token that is not good or lacks the scope, at an address that is not the API's, at a
    /// transport that has failed for good, and when twice as many rows as can be on their way, and at least 10, have come
    /// to nothing one after another without the service refusing them.
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

    /// Another policy than the client's on sending a row again.
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

    /// How long a row may take, its wait for its turn and for the rate included; an hour by default, whatever
    /// the client's own is: a row that only waits for its turn, because others use the token too, has not failed.
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

    /// What becomes of the next row; none when all have been told, and last of all an error if not all could be sent.
    ///
    /// It can be dropped at any moment and called again: no row is lost by it.
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
    /// [`Stopped`], after which there is nothing more.
    pub async fn next(&mut self) -> Option<Result<Settled<R>, Stopped>> {
        poll_fn(|cx| Pin::new(&mut *self).poll_next(cx)).await
    }

    /// Takes rows as long as there is room.
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
    /// How many rows have come to what, of those that the stream has given.
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

/// Rows are in boxes, and never pinned themselves.
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

/// Rows that need not be waited for.
struct Ready<I>(I);

/// The iterator is never pinned.
impl<I> Unpin for Ready<I> {}

impl<I: Iterator> Stream for Ready<I> {
    type Item = I::Item;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<I::Item>> {
        Poll::Ready(self.0.next())
    }
}
