use std::sync::Arc;

use async_trait::async_trait;

use super::*;

/// Time that a test moves.
#[derive(Debug, Default)]
struct Hand(Mutex<Duration>);

impl Hand {
    fn at(&self, millis: u64) {
        *self.0.lock().unwrap() = Duration::from_millis(millis);
    }
}

#[async_trait]
impl Timer for Hand {
    fn now(&self) -> Duration {
        *self.0.lock().unwrap()
    }

    async fn sleep(&self, _: Duration) {}
}

fn lane(limit: u32) -> (Lane, Arc<Hand>) {
    (Lane::new(NonZeroU32::new(limit)), Arc::default())
}

fn go<'a>(lane: &'a Lane, hand: &'a Hand) -> Slot<'a> {
    match lane.turn(hand, None) {
        Turn::Go(mut slot) => {
            slot.send(SendProgress::default());
            slot
        }
        Turn::Wait { until, .. } => panic!("to wait until {until:?}"),
    }
}

fn wait(lane: &Lane, hand: &Hand) -> (u64, bool) {
    match lane.turn(hand, None) {
        Turn::Go(_) => panic!("not to wait"),
        Turn::Wait { until, refused } => (u64::try_from(until.as_millis()).unwrap(), refused),
    }
}

#[test]
fn a_request_counts_until_a_minute_after_its_answer() {
    let (lane, hand) = lane(2);
    let first = go(&lane, &hand);
    hand.at(1_000);
    drop(go(&lane, &hand));
    assert_eq!(wait(&lane, &hand), (60_000, false), "the first may have its answer at once");
    hand.at(4_000);
    drop(first);
    assert_eq!(wait(&lane, &hand), (61_000, false));
    hand.at(60_999);
    assert_eq!(wait(&lane, &hand), (61_000, false));
    hand.at(61_000);
    drop(go(&lane, &hand));
    assert_eq!(wait(&lane, &hand), (64_000, false));
}

#[test]
fn one_that_takes_longer_than_the_window_is_looked_after() {
    let (lane, hand) = lane(1);
    let slow = go(&lane, &hand);
    hand.at(90_000);
    assert_eq!(wait(&lane, &hand), (90_050, false));
    drop(slow);
    assert_eq!(wait(&lane, &hand), (150_000, false));
}

#[test]
fn what_was_not_sent_does_not_count() {
    let (lane, hand) = lane(1);
    for _ in 0..3 {
        go(&lane, &hand).not_counted();
    }
    let unused = lane.turn(&*hand, None);
    assert!(matches!(unused, Turn::Go(_)));
    drop(unused);
    drop(go(&lane, &hand));
    assert_eq!(wait(&lane, &hand), (60_000, false));
}

#[test]
fn a_refusal_stops_all_and_never_for_less() {
    let (lane, hand) = lane(100);
    lane.close(Duration::from_secs(17));
    lane.close(Duration::from_secs(3));
    let mut untils: Vec<u64> = Vec::new();
    for _ in 0..50 {
        let (until, refused) = wait(&lane, &hand);
        assert!(refused && (17_000..=18_000).contains(&until), "{until}");
        untils.push(until);
    }
    untils.sort_unstable();
    assert!(untils[0] < 17_300 && untils[49] > 17_700, "they come back together: {untils:?}");
    hand.at(17_000);
    drop(go(&lane, &hand));
}

#[test]
fn without_a_limit_nothing_is_kept() {
    let lane = Lane::new(None);
    let hand = Hand::default();
    let slots: Vec<Slot<'_>> = (0..1_000).map(|_| go(&lane, &hand)).collect();
    drop(slots);
    let state = lane.state.lock().unwrap();
    assert!(state.on_the_way.is_empty() && state.answered.is_empty());
}

#[test]
fn who_came_first_goes_first() {
    let (lane, hand) = lane(2);
    drop((go(&lane, &hand), go(&lane, &hand)));
    let places: Vec<Place<'_>> = (0..5).map(|_| lane.queue()).collect();
    let until = |place: &Place<'_>| match lane.turn(&*hand, Some(place)) {
        Turn::Go(_) => panic!("not to wait"),
        Turn::Wait { until, .. } => until.as_secs(),
    };
    assert_eq!(places.iter().map(until).collect::<Vec<_>>(), [60, 60, 120, 120, 180]);
    hand.at(60_000);
    assert_eq!(wait(&lane, &hand), (180_000, false), "a later call waits longest");
    assert_eq!(until(&places[2]), 120);
    let Turn::Go(mut slot) = lane.turn(&*hand, Some(&places[1])) else { panic!("to wait") };
    slot.send(SendProgress::default());
    drop(slot);
    let mut places = places.into_iter();
    drop((places.next(), places.next()));
    let left: Vec<Place<'_>> = places.collect();
    assert!(matches!(lane.turn(&*hand, Some(&left[0])), Turn::Go(_)), "those before it have gone");
}

#[test]
fn what_comes_free_is_told() {
    let (lane, hand) = lane(1);
    let slot = go(&lane, &hand);
    let place = lane.queue();
    let moved = std::pin::pin!(place.moved());
    let mut cx = std::task::Context::from_waker(Waker::noop());
    let mut moved = moved;
    assert!(moved.as_mut().poll(&mut cx).is_pending());
    let mut slot = slot;
    slot.not_counted();
    drop(slot);
    assert!(moved.as_mut().poll(&mut cx).is_ready());
    assert!(matches!(lane.turn(&*hand, Some(&place)), Turn::Go(_)));
}
