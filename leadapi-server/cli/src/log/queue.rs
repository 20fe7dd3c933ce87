//! A bounded queue in front of the log's sink, so that a stalled sink never blocks a request.
//!
//! `tracing-appender` does nearly the same. However, it limits lines rather than bytes, does not log how many lines it
//! dropped, and prints to standard output if the final flush fails. Printing blocks if standard output is the same
//! stalled pipe.

use std::{
    fmt,
    io::{self, Write},
    mem,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

use tracing::warn;

use leadapi_server::Counter;

/// The maximum number of queued bytes. In addition, the writer thread can hold the same number of bytes while it writes
/// them.
const CAPACITY: usize = 1 << 20;
/// The maximum time that the process waits for the sink at exit.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(1);

/// A bounded queue that drops new lines while it is full.
#[derive(Clone)]
pub(super) struct LogQueue(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    dropped: Counter,
}

#[derive(Default)]
struct State {
    lines: Vec<u8>,
    /// The number of lines dropped since the last warning about dropped lines.
    unreported: u64,
    is_closed: bool,
    is_flushed: bool,
}

/// A guard that flushes the queue on drop. The flush has a timeout, so a stalled sink cannot keep the process from
/// exiting.
pub(super) struct FlushOnDrop(LogQueue);

impl LogQueue {
    /// Starts the thread that writes the lines to the sink. `dropped` counts the lines that are lost because the queue
    /// is full or the sink fails.
    pub(super) fn start(sink: impl Write + Send + 'static, dropped: Counter) -> io::Result<(Self, FlushOnDrop)> {
        let queue = Self(Arc::new(Shared { state: Mutex::default(), changed: Condvar::new(), dropped }));
        let writer = queue.0.clone();
        thread::Builder::new().name("log-writer".to_owned()).spawn(move || writer.write_to(sink))?;
        Ok((queue.clone(), FlushOnDrop(queue)))
    }
}

/// Each call queues one line, or drops it if the queue is full. It never waits for the sink and never fails.
impl Write for LogQueue {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let mut state = self.0.lock();
        let was_empty = state.lines.is_empty();
        if state.lines.len() + line.len() > CAPACITY {
            state.unreported += 1;
            self.0.dropped.count(1);
        } else {
            state.lines.extend_from_slice(line);
        }
        drop(state);
        if was_empty {
            self.0.changed.notify_all();
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Shared {
    /// Locks the state. Ignores poisoning, because a panic never leaves a line incomplete.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_to(&self, mut sink: impl Write) {
        let mut lines = Vec::new();
        while let Some(dropped) = self.take(&mut lines) {
            if dropped > 0 {
                // The queue has just been emptied, so it should have space for this line.
                warn!(lines = dropped, "log lines were dropped because the log was not read fast enough");
            }
            if sink.write_all(&lines).and_then(|()| sink.flush()).is_err() {
                self.dropped.count(lines.split(|byte| *byte == b'\n').skip(1).count().try_into().unwrap_or(u64::MAX));
            }
            lines.clear();
        }
        self.lock().is_flushed = true;
        self.changed.notify_all();
    }

    /// Waits for lines and takes them. Returns how many lines were dropped since the last call, or `None` once the
    /// queue is closed and empty.
    fn take(&self, lines: &mut Vec<u8>) -> Option<u64> {
        let waits = |state: &mut State| state.lines.is_empty() && !state.is_closed;
        let mut state = self.changed.wait_while(self.lock(), waits).unwrap_or_else(PoisonError::into_inner);
        mem::swap(lines, &mut state.lines);
        (!lines.is_empty()).then(|| mem::take(&mut state.unreported))
    }
}

impl Drop for FlushOnDrop {
    fn drop(&mut self) {
        let shared = &self.0.0;
        let mut state = shared.lock();
        state.is_closed = true;
        shared.changed.notify_all();
        drop(shared.changed.wait_timeout_while(state, FLUSH_TIMEOUT, |state| !state.is_flushed));
    }
}

impl fmt::Debug for FlushOnDrop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FlushOnDrop").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::mpsc, time::Instant};

    use super::*;

    /// A sink that completes a write only when the test permits it.
    struct Sink {
        may: mpsc::Receiver<()>,
        written: Arc<Mutex<Vec<u8>>>,
    }

    impl Write for Sink {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.may.recv().map_err(io::Error::other)?;
            self.written.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    struct Started {
        queue: LogQueue,
        flush: FlushOnDrop,
        may: mpsc::Sender<()>,
        written: Arc<Mutex<Vec<u8>>>,
        dropped: Counter,
    }

    fn started() -> Started {
        let (may, wait) = mpsc::channel();
        let written = Arc::<Mutex<Vec<u8>>>::default();
        let dropped = Counter::new("dropped", "dropped").unwrap();
        let sink = Sink { may: wait, written: written.clone() };
        let (queue, flush) = LogQueue::start(sink, dropped.clone()).unwrap();
        Started { queue, flush, may, written, dropped }
    }

    #[test]
    fn queued_lines_are_written_at_the_end() {
        let Started { mut queue, flush, may, written, dropped } = started();
        for _ in 0..1_000 {
            queue.write_all(b"a line\n").unwrap();
            may.send(()).unwrap();
        }
        drop(flush);
        assert_eq!((written.lock().unwrap().len(), dropped.value()), (7_000, 0));
    }

    #[test]
    fn a_stalled_sink_drops_lines_without_blocking() {
        let Started { mut queue, flush, may, written, dropped } = started();
        let line = [b"x".repeat(999), b"\n".to_vec()].concat();
        for _ in 0..5_000 {
            queue.write_all(&line).unwrap();
        }
        let lost = usize::try_from(dropped.value()).unwrap();
        assert!(lost >= 5_000 - 2 * CAPACITY / line.len(), "{lost}");
        let begun = Instant::now();
        drop(flush);
        // Allows a minute, because the machine may be busy. Without the timeout, the flush would never end.
        assert!(begun.elapsed() < 60 * FLUSH_TIMEOUT);
        assert_eq!(written.lock().unwrap().len(), 0);
        drop(may);
    }

    #[test]
    fn lines_that_the_sink_refuses_are_counted() {
        let Started { mut queue, flush, may, dropped, .. } = started();
        drop(may);
        queue.write_all(b"one\n").unwrap();
        queue.write_all(b"two\n").unwrap();
        drop(flush);
        assert_eq!(dropped.value(), 2);
    }
}
