//! The list envelope (contract 2.3).

use serde::{Deserialize, Serialize};

use super::Window;

/// One page of a list, with the total number of matches from the same snapshot (contract 2.3 and D3).
///
/// ```
/// use leadapi_model::model::{Page, Window};
///
/// let page = Page::new(vec!["a"], 7, Window::new(1, 6)?);
/// assert_eq!(serde_json::to_string(&page)?, r#"{"data":["a"],"total":7,"limit":1,"offset":6}"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema), schemars(rename = "{T}Page"))]
#[cfg_attr(
    feature = "openapi",
    schemars(description = "One page of a list, with the total number of matches from the same snapshot.")
)]
#[non_exhaustive]
pub struct Page<T> {
    /// At most `limit` items. Empty if the offset is past the end.
    #[cfg_attr(feature = "openapi", schemars(length(max = Window::MAX_LIMIT)))]
    pub data: Vec<T>,
    /// The total number of matching records.
    pub total: u64,
    /// The limit that was applied.
    #[cfg_attr(feature = "openapi", schemars(range(min = 1, max = Window::MAX_LIMIT)))]
    pub limit: u32,
    /// The offset that was applied.
    #[cfg_attr(feature = "openapi", schemars(range(max = Window::MAX_OFFSET)))]
    pub offset: u64,
}

impl<T> Page<T> {
    /// Creates a page for a window.
    ///
    /// ```
    /// # use leadapi_model::model::{Page, Window};
    /// assert_eq!(Page::<u8>::new(vec![], 0, Window::default()).limit, 50);
    /// ```
    pub const fn new(data: Vec<T>, total: u64, window: Window) -> Self {
        Self { data, total, limit: window.limit(), offset: window.offset() }
    }
}
