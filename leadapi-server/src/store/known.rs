//! A cache of leads.
//!
//! Clients poll lists, and leads seldom change. If a row equals a cached lead in every column, the cached `Arc` is
//! returned. No text is copied, and the page cache of the service recognises the lead by its pointer. The row is always
//! read and alone decides, so the cache cannot be stale.

use std::{fmt, sync::Arc};

use leadapi_core::{
    id::LeadId,
    model::{Amount, Lead},
};
use quick_cache::{Weighter, sync::Cache};

use super::{
    lead::Reader,
    row::{Cell, Row},
    session::SqlError,
};

/// The maximum size of the cache in bytes, and the number of leads that it is sized for.
const BYTES: u64 = 8 << 20;
const LEADS: usize = 16_384;

/// The key is the id of the lead alone. If two businesses use the same id, their leads evict each other. That costs
/// time only, because each is compared with its row.
pub(super) struct Known(Cache<LeadId, Arc<Lead>, Size>);

impl Known {
    /// Returns the lead of a row with the columns that every lead statement selects.
    pub(super) fn read(&self, row: Row<'_>, reader: &mut Reader) -> Result<Arc<Lead>, SqlError> {
        let known = match row.clone().cell()? {
            Cell::Text(id) => self.0.get(id),
            _ => None,
        };
        if let Some(lead) = known.filter(|lead| says(&row, lead)) {
            return Ok(lead);
        }
        let lead = reader.read(row)?;
        self.0.insert(lead.id.clone(), lead.clone());
        Ok(lead)
    }
}

/// Whether every column of a row equals that of a lead.
fn says(row: &Row<'_>, lead: &Lead) -> bool {
    row.holds([
        Cell::from(lead.id.as_str()),
        lead.client_id.as_str().into(),
        lead.name.as_str().into(),
        lead.email.as_deref().into(),
        lead.phone.as_deref().into(),
        lead.source.as_deref().into(),
        lead.notes.as_deref().into(),
        lead.value.map(Amount::get).into(),
        lead.pipeline_id.as_ref().map(AsRef::as_ref).into(),
        lead.stage_id.as_ref().map(AsRef::as_ref).into(),
        lead.business_name.as_deref().into(),
        lead.created_at.to_utc().timestamp_millis().into(),
    ])
}

impl Default for Known {
    fn default() -> Self {
        Self(Cache::with_weighter(LEADS, BYTES, Size))
    }
}

/// Weighs a lead by its size in bytes.
#[derive(Debug, Clone)]
struct Size;

impl Weighter<LeadId, Arc<Lead>> for Size {
    fn weight(&self, id: &LeadId, lead: &Arc<Lead>) -> u64 {
        let texts = [&lead.email, &lead.phone, &lead.source, &lead.notes, &lead.business_name];
        let texts: usize = texts.into_iter().flatten().chain([&lead.name]).map(String::capacity).sum();
        (size_of::<Lead>() + id.as_str().len() + texts) as u64
    }
}

/// Shows the number of leads only: lead data must not reach a log.
impl fmt::Debug for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Known").field(&self.0.len()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{lead, row::Cells, statement},
        *,
    };

    /// A row made of these columns.
    struct Columns([Cell<'static>; 12]);

    impl Cells for Columns {
        fn cell(&self, column: usize) -> Result<Cell<'_>, SqlError> {
            Ok(self.0[column])
        }
    }

    fn read(known: &Known, columns: &Columns) -> Arc<Lead> {
        known.read(Row::new(columns), &mut Reader::default()).unwrap()
    }

    fn columns() -> Columns {
        let texts = ["l1", "c1", "Ann", "ann@example.org", "+1", "web", "Called.", "", "p1", "s1", "Ann & Co", ""];
        let mut columns = texts.map(Cell::Text);
        columns[7] = Cell::Real(0.0);
        columns[11] = Cell::Int(1_777_881_492_004);
        Columns(columns)
    }

    /// If a selected column were not compared, the cache could return a stale lead.
    #[test]
    fn each_column_is_known() {
        let (selected, _) = statement::LEAD.split_once(" FROM ").unwrap();
        assert_eq!(selected.split(',').count(), columns().0.len());
    }

    #[test]
    fn a_row_that_says_the_same_is_the_same_lead() {
        let known = Known::default();
        let first = read(&known, &columns());
        assert!(Arc::ptr_eq(&first, &read(&known, &columns())));
        assert_eq!(format!("{known:?}"), "Known(1)");
    }

    /// A change of any column, to another value or to null, is noticed.
    #[test]
    fn a_row_that_says_something_else_is_another_lead() {
        let known = Known::default();
        for column in 0..12 {
            let others = match column {
                0..=2 => vec![Cell::Text("other")],
                7 => vec![Cell::Real(450.5), Cell::Null],
                11 => vec![Cell::Int(1_777_881_492_005)],
                _ => vec![Cell::Text("other"), Cell::Null],
            };
            for other in others {
                let before = read(&known, &columns());
                let mut changed = columns();
                changed.0[column] = other;
                let after = read(&known, &changed);
                assert_eq!(after, lead::read(Row::new(&changed)).unwrap());
                assert!(!Arc::ptr_eq(&before, &after), "column {column}");
            }
        }
    }

    #[test]
    fn they_take_no_more_than_their_share_of_memory() {
        let known = Known::default();
        let notes: &'static str = "x".repeat(10_000).leak();
        for nth in 0..2_000 {
            let mut row = columns();
            row.0[0] = Cell::Text(format!("l{nth}").leak());
            row.0[6] = Cell::Text(notes);
            read(&known, &row);
        }
        assert!((100..900).contains(&known.0.len()), "{}", known.0.len());
    }
}
