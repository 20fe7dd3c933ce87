//! Explores the schedules of concurrent writes with shuttle.

use std::{path::Path, sync::Arc};

use leadapi_core::{
    auth::Author,
    id::{BusinessId, LeadId},
};
use rusqlite::Connection;
use shuttle::{future::block_on, thread};

use super::{health::Health, open, writer::Writer};
use crate::write::{LeadWrite, Write, WriteOutcome};

const SCHEDULES: usize = 500;

/// If the writer lost a write, its caller would wait forever, and shuttle would report a deadlock.
#[test]
fn each_write_is_answered_and_the_writer_stops() {
    let check = || {
        let mut connection = Connection::open_in_memory().unwrap();
        open::migrate(&mut connection).unwrap();
        let writer = Arc::new(Writer::start(Path::new(""), connection, Arc::new(Health::default()), None).unwrap());
        let callers = (0..3).map(|_| {
            let writer = writer.clone();
            thread::spawn(move || {
                let business: BusinessId = "a".parse().unwrap();
                for _ in 0..2 {
                    let operation = LeadWrite::Delete { id: LeadId::parse("l1").unwrap() };
                    let delete = Write { author: Author::Host, operation };
                    let outcome = block_on(writer.write(&business, delete)).unwrap();
                    assert!(matches!(outcome, WriteOutcome::Deleted(false)));
                }
            })
        });
        callers.collect::<Vec<_>>().into_iter().for_each(|caller| caller.join().unwrap());
        // Dropping the writer waits for its thread.
        drop(writer);
    };
    shuttle::check_pct(check, SCHEDULES, 3);
    shuttle::check_random(check, SCHEDULES);
}
