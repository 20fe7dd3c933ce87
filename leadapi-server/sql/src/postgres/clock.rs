//! Reads the database's clock, and compares it with the system clock.

use std::{
    sync::{Arc, Weak},
    time::Duration,
};

use leadapi_core::{model::Timestamp, port::Clock};
use leadapi_limiter::key_time::{Reading, StoredTime};
use tokio::time::{Instant, MissedTickBehavior, interval_at};
use tokio_postgres::{Client, error::SqlState};

use super::{Connections, Postgres, share::Permits, sql_state::map_error};
use crate::{clock::DatabaseClock, error::SqlError, session::query};

/// The time in microseconds since the Unix epoch, and the stored key time.
const READ: &str = "SELECT now.clock, key_clock.clock, key_clock.key_time \
    FROM (SELECT cast(floor(extract(epoch FROM clock_timestamp()) * 1000000) AS bigint) AS clock) AS now \
    LEFT JOIN key_clock ON true";

/// Stores a key time, unless another server has stored a later one.
const SAVE: &str = "INSERT INTO key_clock (clock, key_time) VALUES ($1, $2) ON CONFLICT (single) DO UPDATE \
    SET clock = excluded.clock, key_time = excluded.key_time WHERE key_clock.key_time < excluded.key_time";

const READ_INTERVAL: Duration = Duration::from_secs(10);
/// The number of readings between two comparisons with the system clock.
const COMPARE_INTERVAL: usize = 6;
/// The tolerated difference between the system clock and the database's clock. A larger difference is logged.
const TOLERANCE: Duration = Duration::from_secs(1);
/// If the difference is larger, one of the two clocks is wrong, and the server deletes no expired records.
const MAX_DIFFERENCE: Duration = Duration::from_secs(60);
/// How much longer than necessary to keep expired records. The times of two servers differ by much less.
const MARGIN: Duration = Duration::from_secs(60);

/// Creates the clock of the database behind a connection, and returns it with the time that the database took to
/// answer. Also stores the key time, and fails if it cannot: a server that cannot store the key time would let the key
/// times of the servers diverge.
pub(super) async fn start(client: &Client) -> Result<(Arc<DatabaseClock>, Duration), tokio_postgres::Error> {
    let start = std::time::Instant::now();
    let (first, stored) = read(client, || start.elapsed()).await?;
    let clock = DatabaseClock::new(start, first, stored);
    let StoredTime { clock: micros, key_time } = clock.adopt(first, stored);
    match client.execute(SAVE, &[&micros, &key_time]).await {
        // A standby cannot store the key time, but it cannot store idempotency keys either.
        Err(error) if error.code() != Some(&SqlState::READ_ONLY_SQL_TRANSACTION) => Err(error),
        _ => Ok((Arc::new(clock), first.received.saturating_sub(first.sent))),
    }
}

async fn read(
    client: &Client,
    elapsed: impl Fn() -> Duration,
) -> Result<(Reading, Option<StoredTime>), tokio_postgres::Error> {
    let sent = elapsed();
    let row = client.query_one(READ, &[]).await?;
    let reading = Reading { micros: row.try_get(0)?, sent, received: elapsed() };
    let (clock, key_time): (Option<i64>, Option<i64>) = (row.try_get(1)?, row.try_get(2)?);
    Ok((reading, clock.zip(key_time).map(|(clock, key_time)| StoredTime { clock, key_time })))
}

/// Reads the clock and sends a heartbeat periodically, until the store is closed. Compares the clocks at the start, and
/// once a minute.
pub(super) async fn follow(connections: Weak<Connections>) {
    let mut ticks = interval_at(Instant::now() + READ_INTERVAL, READ_INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let Some(mut lease) = connections.upgrade().map(|connections| connections.lease()) else { return };
    for nth in 0_usize.. {
        if let Some(connections) = connections.upgrade()
            && nth.is_multiple_of(COMPARE_INTERVAL)
        {
            connections.compare_clocks();
        }
        ticks.tick().await;
        let Some(connections) = connections.upgrade() else { return };
        if let Err(error) = connections.send_heartbeat(&mut lease).await {
            tracing::debug!(%error, "the heartbeat could not be sent");
        }
        if let Err(error) = connections.read_clock().await {
            tracing::debug!(%error, "the database's clock could not be read");
        }
    }
}

impl Connections {
    async fn read_clock(&self) -> Result<(), SqlError> {
        let reading = async {
            let connection = self.connection(Permits::default()).await?;
            match read(&connection, || self.clock.elapsed()).await {
                Ok(reading) => Ok(reading),
                Err(error) => {
                    // Not returned to the pool, because it may be broken.
                    connection.close();
                    Err(map_error(error))
                }
            }
        };
        let (reading, stored) = self.with_timeout(reading).await?;
        let StoredTime { clock, key_time } = self.clock.adopt(reading, stored);
        // If this fails, the key time of the next server to start may fall behind, but it never gets ahead.
        if let Err(error) = self.query(None, query!(SAVE, clock, key_time)).await {
            tracing::warn!(%error, "the key time could not be stored");
        }
        Ok(())
    }

    fn compare_clocks(&self) {
        let difference = self.clock_difference();
        if difference.as_duration() > TOLERANCE {
            tracing::warn!("{difference}: the database's clock is used");
        }
    }

    fn clock_difference(&self) -> Difference {
        Difference { system: Timestamp::now(), database: self.clock.now() }
    }
}

impl Postgres {
    /// Reads the clock, and returns the time by which expired records are deleted: the clock or the key time, whichever
    /// is earlier. Returns `None` if nothing may be deleted, because the system clock and the database's clock differ.
    pub(crate) async fn deletion_time(&self) -> Result<Option<Timestamp>, SqlError> {
        self.connections.read_clock().await?;
        let difference = self.connections.clock_difference();
        if difference.as_duration() > MAX_DIFFERENCE {
            tracing::warn!("{difference}: expired records are not deleted");
            return Ok(None);
        }
        let now = self.connections.clock.now();
        let key_time = self.connections.clock.key_time(now);
        Ok(now.min(key_time).checked_sub(MARGIN))
    }
}

/// The difference between the system clock and the database's clock.
#[derive(Debug, Clone, Copy)]
struct Difference {
    system: Timestamp,
    database: Timestamp,
}

impl Difference {
    fn as_duration(self) -> Duration {
        let Self { system, database } = self;
        system.saturating_duration_since(database).max(database.saturating_duration_since(system))
    }
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let direction = if self.system < self.database { "behind" } else { "ahead of" };
        let seconds = self.as_duration().as_secs_f64();
        write!(f, "the system clock is {seconds:.1} s {direction} the database's clock")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_states_its_size_and_direction() {
        for (system, text) in [
            ("2026-05-04T12:00:01.500Z", "the system clock is 1.5 s ahead of the database's clock"),
            ("2026-05-03T12:00:00.000Z", "the system clock is 86400.0 s behind the database's clock"),
        ] {
            let database = "2026-05-04T12:00:00Z".parse().unwrap();
            assert_eq!(Difference { system: system.parse().unwrap(), database }.to_string(), text);
        }
    }
}
