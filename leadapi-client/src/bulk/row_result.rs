//! The result of each row of an import, and the row counts by result.

use leadapi_model::model::{IdempotencyKey, Lead};

use crate::error::{Error, Outcome};

/// The result of a row.
///
/// ```
/// use leadapi_client::model::NewLead;
/// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
/// # support::run(async |client| {
/// let rows = ["Ann", ""].map(|name| NewLead::new(&support::casa_verde(), name));
/// let mut creates = client.leads().create_many(rows).in_order();
/// let (first, second) = (creates.next().await.unwrap()?, creates.next().await.unwrap()?);
/// assert_eq!((first.index, first.outcome?.name), (0, "Ann".to_owned()));
/// assert_eq!((second.index, second.outcome.unwrap_err().message()), (1, "name is required".to_owned()));
/// # Ok(()) });
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct RowResult<R> {
    /// The zero-based index of the row in the input.
    pub index: u64,
    /// The row itself, so the caller can report or correct it.
    pub row: R,
    /// The idempotency key of the row.
    pub key: IdempotencyKey,
    /// The lead, or the error that the call returned.
    pub outcome: Result<Lead, Error>,
    /// Whether the lead already existed, because an earlier run or an earlier attempt had created it under this key.
    pub replayed: bool,
}

impl<R> RowResult<R> {
    /// Returns whether the client or the service rejected the row because of its content. Such a row must be corrected.
    /// Any other failed row can be sent again unchanged.
    ///
    /// ```
    /// use leadapi_client::model::NewLead;
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # futures_executor::block_on(async {
    /// # let (client, mut to_correct) = (support::in_process(), Vec::new());
    /// let mut creates = client.leads().create_many([NewLead::new(&"not-ours".parse()?, "Ann")]);
    /// while let Some(result) = creates.next().await {
    ///     let result = result?;
    ///     if result.is_refused() {
    ///         to_correct.push(result.row);
    ///     }
    /// }
    /// # assert_eq!(to_correct.len(), 1);
    /// # Ok::<(), leadapi_model::BoxError>(()) }).unwrap();
    /// ```
    pub fn is_refused(&self) -> bool {
        self.outcome.as_ref().is_err_and(|error| match error.outcome() {
            Outcome::Refused => !error.is_rate_limited() && !affects_every_row(error),
            Outcome::NotSent => error.is_invalid(),
            Outcome::Unknown => false,
        })
    }
}

/// Returns whether an error concerns the token, the base URL or the transport rather than the row.
pub(super) fn affects_every_row(error: &Error) -> bool {
    error.is_unauthorized() || error.lacks_scope() || error.is_configuration() || error.is_permanent()
}

/// Row counts by result.
///
/// ```
/// use leadapi_client::model::NewLead;
/// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
/// # support::run(async |client| {
/// let rows = ["Ann", ""].map(|name| NewLead::new(&support::casa_verde(), name));
/// let mut creates = client.leads().create_many(rows);
/// while let Some(result) = creates.next().await {
///     result?;
/// }
/// let progress = creates.progress();
/// assert_eq!((progress.created, progress.refused, progress.finished()), (1, 1, 2));
/// # Ok(()) });
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Progress {
    /// The number of leads created.
    pub created: u64,
    /// The number of leads that already existed under the same key.
    pub replayed: u64,
    /// The number of rows that were rejected because of their content ([`RowResult::is_refused`]). Correct these rows.
    pub refused: u64,
    /// The number of rows that failed for a different reason, without creating a lead. Send these rows again.
    pub failed: u64,
    /// The number of rows whose result is unknown. Send these rows again within 24 hours: under the same keys, they
    /// create no second lead.
    pub unknown: u64,
}

impl Progress {
    /// Returns the number of finished rows.
    ///
    /// ```
    /// # use leadapi_client::bulk::Progress;
    /// assert_eq!(Progress::default().finished(), 0);
    /// ```
    pub const fn finished(&self) -> u64 {
        self.succeeded() + self.refused + self.failed + self.unknown
    }

    /// Returns the number of rows that have a lead, whether created or replayed.
    ///
    /// ```
    /// # use leadapi_client::bulk::Progress;
    /// assert_eq!(Progress::default().succeeded(), 0);
    /// ```
    pub const fn succeeded(&self) -> u64 {
        self.created + self.replayed
    }

    pub(super) fn count<R>(&mut self, result: &RowResult<R>) {
        let count = match &result.outcome {
            Ok(_) if result.replayed => &mut self.replayed,
            Ok(_) => &mut self.created,
            Err(_) if result.is_refused() => &mut self.refused,
            Err(error) if error.outcome() == Outcome::Unknown => &mut self.unknown,
            Err(_) => &mut self.failed,
        };
        *count += 1;
    }
}
