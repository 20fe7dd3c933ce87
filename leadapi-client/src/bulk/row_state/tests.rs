use super::*;

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;

fn at(millis: i64) -> Timestamp {
    Timestamp::from_unix_millis(millis).unwrap()
}

/// What happens to an attempt. Only the first three reach the service.
#[derive(Debug, Clone, Copy)]
enum Fate {
    Answered,
    /// The service handles the request, but the response is lost, or the program is killed before it records the result.
    Lost,
    /// Like `Lost`, but the request waits for an hour before it is sent.
    LateAndLost,
    /// The program is killed before it sends the request.
    Killed,
    /// The program knows that the service did nothing, for example because it was unreachable or the token was wrong.
    NotSent,
}

const FATES: [Fate; 5] = [Fate::Answered, Fate::Lost, Fate::LateAndLost, Fate::Killed, Fate::NotSent];
const PAUSES: [i64; 5] = [0, 2 * HOUR, 21 * HOUR, 22 * HOUR - 1, 26 * HOUR];

/// A service that remembers a key for 24 hours.
#[derive(Debug, Clone, Copy, Default)]
struct Service {
    leads: u32,
    created_at: Option<i64>,
}

impl Service {
    fn create(&mut self, now: i64) {
        if self.created_at.is_none_or(|at| now - at >= 24 * HOUR) {
            (self.leads, self.created_at) = (self.leads + 1, Some(now));
        }
    }
}

/// Extends a history with every possible sequence of further attempts, and returns the number of complete histories.
fn explore(now: i64, row: RowState, service: Service, attempts_left: u32, history: &mut Vec<(i64, Fate)>) -> u64 {
    assert!(service.leads <= 1, "{history:?}");
    assert!(!row.is_created || service.leads == 1, "{history:?}");
    if attempts_left == 0 {
        return 1;
    }
    let mut histories = 0;
    for pause in PAUSES {
        let now = now + pause;
        if row.decide(at(now)) != RowDecision::Send {
            assert!(service.leads == 1 || row.unresolved_since().is_some(), "{history:?}");
            histories += explore(now, row, service, 0, history);
            continue;
        }
        for fate in FATES {
            let (mut row, mut service) = (row, service);
            row.sent(at(now));
            match fate {
                Fate::Answered => {
                    service.create(now);
                    row.created();
                }
                Fate::Lost => service.create(now),
                Fate::LateAndLost => service.create(now + HOUR),
                Fate::Killed => {}
                Fate::NotSent => row.not_created(),
            }
            history.push((now, fate));
            histories += explore(now, row, service, attempts_left - 1, history);
            history.pop();
        }
    }
    histories
}

#[test]
fn no_history_of_attempts_creates_a_second_lead() {
    let histories = explore(0, RowState::default(), Service::default(), 5, &mut Vec::new());
    assert!(histories > 10_000, "{histories}");
}

#[test]
fn an_attempt_that_created_nothing_leaves_the_row_as_it_was() {
    let mut row = RowState::default();
    for hour in 0..100 {
        row.sent(at(hour * HOUR));
        row.not_created();
    }
    assert_eq!(row.decide(at(100 * HOUR)), RowDecision::Send);
    row.sent(at(100 * HOUR));
    row.sent(at(101 * HOUR));
    row.not_created();
    row.not_created();
    assert_eq!(row.unresolved_since(), Some(at(100 * HOUR)));
    assert_eq!(row.decide(at(122 * HOUR - 1)), RowDecision::Send);
    assert_eq!(row.decide(at(122 * HOUR)), RowDecision::Unknown { sent_at: at(100 * HOUR) });
}

#[test]
fn after_the_clock_was_set_back_the_age_of_an_attempt_is_unknown() {
    let mut row = RowState::default();
    row.distrust_clock();
    assert_eq!(row.decide(at(0)), RowDecision::Send, "a row without an attempt has no age");
    row.sent(at(10 * HOUR));
    let unknown = RowDecision::Unknown { sent_at: at(10 * HOUR) };
    assert_eq!(row.decide(at(9 * HOUR)), unknown);
    assert_eq!(row.decide(at(10 * HOUR - MINUTE)), RowDecision::Send, "a small step is normal");
    row.distrust_clock();
    assert_eq!(row.decide(at(11 * HOUR)), unknown);
    row.created();
    assert_eq!(row.decide(at(11 * HOUR)), RowDecision::Skip);
    assert!(RowState::is_set_back(at(MINUTE + 1), at(0)) && !RowState::is_set_back(at(0), at(HOUR)));
}
