//! The settings of an import.

use std::time::Duration;

use leadapi_model::model::{IdempotencyKey, InvalidIdempotencyKey, NewLead};

use super::CreateMany;
use crate::{error::Error, retry::RetryPolicy};

impl<'r, R: AsRef<NewLead>> CreateMany<'r, R> {
    /// The upper limit for [`in_flight`](Self::in_flight). Each wake-up polls every row in flight, so it is small.
    pub const MAX_IN_FLIGHT: usize = 64;

    /// Sets the maximum number of rows in flight, from 1 to [`MAX_IN_FLIGHT`](Self::MAX_IN_FLIGHT). The default of 8 is
    /// enough for the contract's rate limit. Use more for a service with a higher limit.
    ///
    /// ```
    /// # use leadapi_client::model::NewLead;
    /// # let client = { mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); } support::in_process() };
    /// # let rows: [NewLead; 0] = [];
    /// let creates = client.leads().create_many(rows).in_flight(32);
    /// # drop(creates);
    /// ```
    pub fn in_flight(mut self, rows: usize) -> Self {
        self.max_in_flight = rows.clamp(1, Self::MAX_IN_FLIGHT);
        self
    }

    /// Returns results in input order instead of completion order, so a row's result implies that all earlier rows have
    /// finished. A finished row counts as in flight until the earlier rows finish, so a slow row can delay later rows.
    ///
    /// ```
    /// # use leadapi_client::model::NewLead;
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # futures_executor::block_on(async {
    /// # let (client, rows) = (support::in_process(), vec![NewLead::new(&support::casa_verde(), "Ann")]);
    /// let mut creates = client.leads().create_many(rows).in_order();
    /// let mut done = 0;
    /// while let Some(result) = creates.next().await {
    ///     done = result?.index + 1;
    /// }
    /// # assert_eq!(done, 1);
    /// # Ok::<(), leadapi_model::BoxError>(()) }).unwrap();
    /// ```
    pub const fn in_order(mut self) -> Self {
        self.in_order = true;
        self
    }

    /// Names the import. Its rows then have the keys `NAME/row-0`, `NAME/row-1` and so on. The keys are the same in
    /// every run with the same name. Without a name or [`keys`](Self::keys), each run uses new random keys.
    ///
    /// If a row differs from the row with the same key in an earlier run, the service rejects it. To import unchanged
    /// rows again as new leads, use a different name.
    ///
    /// ```
    /// # use leadapi_client::model::NewLead;
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # futures_executor::block_on(async {
    /// # let (client, rows) = (support::in_process(), vec![NewLead::new(&support::casa_verde(), "Ann")]);
    /// for run in 0..2 {
    ///     let mut creates = client.leads().create_many(&rows).named("import-7")?;
    ///     let result = creates.next().await.unwrap()?;
    ///     assert_eq!((result.key.as_str(), result.replayed), ("import-7/row-0", run == 1));
    /// }
    /// # Ok::<(), leadapi_model::BoxError>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`InvalidIdempotencyKey`] if the name is not visible ASCII or is too long for a key prefix.
    pub fn named(self, import: &str) -> Result<Self, InvalidIdempotencyKey> {
        let key = |import: &str, index| IdempotencyKey::parse(&format!("{import}/row-{index}"));
        // This is the longest possible key, so if it is valid, all keys are.
        let last = key(import, u64::MAX)?;
        let import = import.to_owned();
        Ok(self.keys(move |index, _| key(&import, index).unwrap_or_else(|_| last.clone())))
    }

    /// Sets the function that derives a row's key from the row's index and contents. Each key must be unique to its row
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

    /// Stops the import at the first error for which `condition` returns true.
    ///
    /// The import always stops when the token is invalid or lacks the scope, when the base URL does not point to the
    /// API, and when the transport fails permanently. It also stops after too many consecutive failures, not counting
    /// [refused](crate::bulk::RowResult::is_refused) rows. The limit is twice the in-flight limit, but at least 10.
    ///
    /// ```
    /// # use leadapi_client::model::NewLead;
    /// # mod support { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/support.rs")); }
    /// # support::run(async |client| {
    /// # let rows = vec![NewLead::new(&"not-ours".parse()?, "Ann")];
    /// // All rows belong to one client account. If the service rejects it, no other row can succeed.
    /// let mut creates = client.leads().create_many(rows).stop_on(|error| error.is_forbidden());
    /// # assert!(creates.next().await.unwrap()?.outcome.unwrap_err().is_forbidden());
    /// # assert!(creates.next().await.unwrap().is_err());
    /// # Ok(()) });
    /// ```
    pub fn stop_on(mut self, condition: impl FnMut(&Error) -> bool + Send + 'r) -> Self {
        self.stop.set_condition(condition);
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

    /// Sets the timeout for each row, including its waits for the rate limit. The default is one hour, regardless of
    /// the client's timeout. The default is long because other programs that share the token can delay a row, and such
    /// a delay is not a failure.
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
}
