//! Filters and paging of the three lists (contract D3).

use std::ops::RangeInclusive;

use crate::id::{ClientId, StageId};

/// The error for a limit or an offset outside its range (contract D3). The message states the allowed range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{} must be an integer from {} to {}", self.field(), self.range().start(), self.range().end())]
#[non_exhaustive]
pub enum InvalidWindow {
    /// The limit is outside 1 to 200.
    Limit,
    /// The offset is outside 0 to 2^53-1.
    Offset,
}

impl InvalidWindow {
    /// Returns the wire name of the parameter that is out of range.
    pub const fn field(self) -> &'static str {
        match self {
            Self::Limit => "limit",
            Self::Offset => "offset",
        }
    }

    /// Returns the allowed range.
    pub const fn range(self) -> RangeInclusive<u64> {
        match self {
            Self::Limit => 1..=Window::MAX_LIMIT as u64,
            Self::Offset => 0..=Window::MAX_OFFSET,
        }
    }
}

/// The part of a list to return: at most `limit` records, after skipping the first `offset` (contract D3).
///
/// ```
/// use leadapi_model::model::{InvalidWindow, Window};
///
/// assert_eq!(Window::default(), Window::new(50, 0)?);
/// assert_eq!(Window::new(201, 0), Err(InvalidWindow::Limit));
/// # Ok::<(), InvalidWindow>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    limit: u32,
    offset: u64,
}

impl Window {
    /// The limit of a request that does not set one.
    pub const DEFAULT_LIMIT: u32 = 50;
    /// The maximum limit.
    pub const MAX_LIMIT: u32 = 200;
    /// The maximum offset, 2^53-1. A double can represent every whole number up to this value exactly.
    pub const MAX_OFFSET: u64 = (1 << 53) - 1;

    /// Creates a window.
    ///
    /// ```
    /// # use leadapi_model::model::Window;
    /// assert_eq!(Window::new(200, 400)?.offset(), 400);
    /// # Ok::<(), leadapi_model::model::InvalidWindow>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidWindow`] when the limit or the offset is out of range. Its message is the one that the service returns
    /// for a request with this limit or offset.
    pub const fn new(limit: u32, offset: u64) -> Result<Self, InvalidWindow> {
        if limit < 1 || limit > Self::MAX_LIMIT {
            Err(InvalidWindow::Limit)
        } else if offset > Self::MAX_OFFSET {
            Err(InvalidWindow::Offset)
        } else {
            Ok(Self { limit, offset })
        }
    }

    /// The largest page: the first 200 records.
    pub const LARGEST: Self = Self { limit: Self::MAX_LIMIT, offset: 0 };

    /// Returns the window with a different limit.
    ///
    /// ```
    /// # use leadapi_model::model::{InvalidWindow, Window};
    /// assert_eq!(Window::default().with_limit(200)?, Window::LARGEST);
    /// assert_eq!(Window::default().with_limit(201), Err(InvalidWindow::Limit));
    /// # Ok::<(), InvalidWindow>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidWindow::Limit`] when the limit is outside 1 to 200.
    pub const fn with_limit(self, limit: u32) -> Result<Self, InvalidWindow> {
        Self::new(limit, self.offset)
    }

    /// Returns the window with a different offset.
    ///
    /// ```
    /// # use leadapi_model::model::{InvalidWindow, Window};
    /// assert_eq!(Window::LARGEST.with_offset(400)?, Window::new(200, 400)?);
    /// # Ok::<(), InvalidWindow>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidWindow::Offset`] when the offset is above 2^53-1.
    pub const fn with_offset(self, offset: u64) -> Result<Self, InvalidWindow> {
        Self::new(self.limit, offset)
    }

    /// Returns the maximum number of records: 1 to 200. Use [`with_limit`](Self::with_limit) to change it.
    pub const fn limit(self) -> u32 {
        self.limit
    }

    /// Returns the number of records to skip. Use [`with_offset`](Self::with_offset) to change it.
    pub const fn offset(self) -> u64 {
        self.offset
    }

    /// Returns the part of a complete list that is in the window.
    ///
    /// ```
    /// # use leadapi_model::model::Window;
    /// assert_eq!(Window::new(2, 1)?.slice(&[1, 2, 3, 4]), [2, 3]);
    /// assert!(Window::new(2, 9)?.slice(&[1, 2, 3, 4]).is_empty());
    /// # Ok::<(), leadapi_model::model::InvalidWindow>(())
    /// ```
    pub fn slice<T>(self, all: &[T]) -> &[T] {
        let start = usize::try_from(self.offset).unwrap_or(usize::MAX).min(all.len());
        let rest = all.get(start..).unwrap_or_default();
        let length = usize::try_from(self.limit).unwrap_or(usize::MAX).min(rest.len());
        rest.get(..length).unwrap_or_default()
    }
}

impl Default for Window {
    fn default() -> Self {
        Self { limit: Self::DEFAULT_LIMIT, offset: 0 }
    }
}

/// The query for a list of leads: filters and a page. If both filters are set, a lead must match both (contract D3).
///
/// ```
/// use leadapi_model::{id::ClientId, model::{LeadQuery, Window}};
///
/// let query = LeadQuery::new().client(ClientId::parse("c1")?).window(Window::new(10, 0)?);
/// assert_eq!(query.window.limit(), 10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct LeadQuery {
    /// The client account whose leads are listed. `None` lists the leads of all client accounts.
    pub client: Option<ClientId>,
    /// The stage whose leads are listed. `None` lists leads regardless of their stage.
    pub stage: Option<StageId>,
    /// The page to return.
    pub window: Window,
}

impl LeadQuery {
    /// Creates a query for the first 50 leads of all client accounts.
    ///
    /// ```
    /// # use leadapi_model::model::LeadQuery;
    /// assert_eq!(LeadQuery::new().client, None);
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Lists only the leads of this client account.
    ///
    /// ```
    /// # use leadapi_model::{id::*, model::{LeadQuery, Window}};
    /// let query = LeadQuery::new().client(ClientId::parse("c1")?);
    /// assert!(query.client.is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn client(mut self, client: ClientId) -> Self {
        self.client = Some(client);
        self
    }

    /// Lists only the leads in this stage.
    ///
    /// ```
    /// # use leadapi_model::{id::*, model::{LeadQuery, Window}};
    /// let query = LeadQuery::new().stage(StageId::parse("s1")?);
    /// assert!(query.stage.is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn stage(mut self, stage: StageId) -> Self {
        self.stage = Some(stage);
        self
    }

    /// Selects the page to return. A [`Window`] is checked when it is created, so this setter cannot fail.
    ///
    /// ```
    /// # use leadapi_model::{id::*, model::{LeadQuery, Window}};
    /// let query = LeadQuery::new().window(Window::new(10, 20)?);
    /// assert_eq!(query.window.offset(), 20);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn window(mut self, window: Window) -> Self {
        self.window = window;
        self
    }
}
