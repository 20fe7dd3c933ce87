//! Compares the stored lead counts with the actual leads.

use std::collections::BTreeMap;

use rusqlite::{Connection, config::DbConfig};

use crate::process::Database;

type Filter = (String, String, String);

impl Database {
    /// Opens a connection that never removes the write-ahead log, so that the server finds the log of a killed process.
    pub(crate) fn open(&self) -> Connection {
        let connection = Connection::open(self.store.trim_start_matches("sqlite:")).unwrap();
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).unwrap();
        connection
    }

    /// Checks that the stored count for each filter and bucket equals the number of matching leads.
    pub(crate) fn assert_lead_counts(&self) {
        let connection = self.open();
        let mut buckets: BTreeMap<String, Vec<(i64, String)>> = BTreeMap::new();
        let starts = "SELECT business_id, from_at, from_id FROM tally WHERE client_id = '' AND stage_id = '' \
            ORDER BY from_at, from_id";
        let mut starts = connection.prepare(starts).unwrap();
        let starts = starts.query_map((), |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?)))).unwrap();
        starts.map(Result::unwrap).for_each(|(business, start)| buckets.entry(business).or_default().push(start));
        let mut expected_counts: BTreeMap<(Filter, (i64, String)), i64> = BTreeMap::new();
        let leads = "SELECT business_id, client_id, stage_id, created_at, id FROM lead";
        let mut leads = connection.prepare(leads).unwrap();
        let mut leads = leads.query(()).unwrap();
        while let Some(row) = leads.next().unwrap() {
            let (business, client): (String, String) = (row.get(0).unwrap(), row.get(1).unwrap());
            let stage: Option<String> = row.get(2).unwrap();
            let position = (row.get(3).unwrap(), row.get(4).unwrap());
            let bucket = buckets[&business].iter().rfind(|start| **start <= position).unwrap();
            for client in [String::new(), client] {
                for stage in [Some(String::new()), stage.clone()].into_iter().flatten() {
                    let filter = (business.clone(), client.clone(), stage);
                    *expected_counts.entry((filter, bucket.clone())).or_default() += 1;
                }
            }
        }
        let rows = "SELECT business_id, client_id, stage_id, from_at, from_id, leads FROM tally WHERE leads > 0";
        let mut rows = connection.prepare(rows).unwrap();
        let rows = rows.query_map((), |row| {
            let filter = (row.get(0)?, row.get(1)?, row.get(2)?);
            Ok(((filter, (row.get(3)?, row.get(4)?)), row.get(5)?))
        });
        let lead_counts: BTreeMap<_, i64> = rows.unwrap().map(Result::unwrap).collect();
        assert_eq!(lead_counts, expected_counts);
        let foreign = connection.query_row("SELECT count(*) FROM pragma_foreign_key_check", (), |row| row.get(0));
        assert_eq!(foreign, Ok(0));
    }
}
