//! Bulk creates against the real service over an unreliable transport, on a simulated clock.

use std::{
    collections::{BTreeMap, BTreeSet},
    pin::{Pin, pin},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
    time::Duration,
};

use async_trait::async_trait;
use bytes::Bytes;
use futures_core::Stream;
use http::{Request, Response};
use leadapi_client::{
    Client, Error, Pacing, RetryPolicy,
    auth::{BearerToken, Scopes},
    bulk::{CreateMany, Progress, Settled, StopReason, Stopped},
    id::ClientId,
    model::{IdempotencyKey, LeadQuery, NewLead, Window},
    timer::Timer,
    transport::{InProcess, Transport, TransportError},
};
use leadapi_core::{
    http::LeadService,
    memory::{Limits, SlidingWindow},
};

use crate::support;

/// A clock that advances when every task sleeps.
#[derive(Default)]
struct Clock {
    now: Mutex<Duration>,
    sleepers: Mutex<BTreeSet<(Duration, u64)>>,
    numbers: AtomicU64,
}

struct Sleep<'c>(&'c Clock, (Duration, u64));

impl Clock {
    /// Advances to the earliest deadline of a sleeper.
    fn leap(&self) -> bool {
        let first = self.sleepers.lock().unwrap().first().copied();
        if let Some((until, _)) = first {
            let mut now = self.now.lock().unwrap();
            *now = until.max(*now);
        }
        first.is_some()
    }
}

impl Future for Sleep<'_> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if self.0.now() >= self.1.0 { Poll::Ready(()) } else { Poll::Pending }
    }
}

impl Drop for Sleep<'_> {
    fn drop(&mut self) {
        self.0.sleepers.lock().unwrap().remove(&self.1);
    }
}

#[async_trait]
impl Timer for Clock {
    fn now(&self) -> Duration {
        *self.now.lock().unwrap()
    }

    async fn sleep(&self, duration: Duration) {
        let id = (self.now() + duration, self.numbers.fetch_add(1, Ordering::Relaxed));
        self.sleepers.lock().unwrap().insert(id);
        Sleep(self, id).await;
    }
}

/// What happens to a request on its way.
#[derive(Debug, Clone, Copy, Default)]
enum Fault {
    #[default]
    None,
    NotSent,
    ForGood,
    RequestLost,
    AnswerLost,
    ServerError,
    BadGatewayAfterwards,
}

/// A transport to the service: a number of polls in each direction, and faults by request number.
struct Road {
    service: InProcess<LeadService>,
    fault: fn(u64) -> Fault,
    polls: fn(&str) -> usize,
    seen: Arc<Seen>,
}

#[derive(Default)]
struct Seen {
    requests: AtomicU64,
    under_way: AtomicUsize,
    most_under_way: AtomicUsize,
}

struct UnderWay<'s>(&'s Seen);

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.0.under_way.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Yields to the other tasks this many times.
async fn turns(mut times: usize) {
    std::future::poll_fn(|cx| {
        if times == 0 {
            return Poll::Ready(());
        }
        times -= 1;
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

#[async_trait]
impl Transport for Road {
    async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, TransportError> {
        let number = self.seen.requests.fetch_add(1, Ordering::Relaxed);
        let now = self.seen.under_way.fetch_add(1, Ordering::Relaxed) + 1;
        self.seen.most_under_way.fetch_max(now, Ordering::Relaxed);
        let _under_way = UnderWay(&self.seen);
        let polls = (self.polls)(std::str::from_utf8(request.body()).unwrap());
        let answer = |status: u16| Ok(Response::builder().status(status).body(Bytes::from("gateway")).unwrap());
        turns(polls).await;
        match (self.fault)(number) {
            Fault::NotSent => return Err(TransportError::not_sent("unplugged")),
            Fault::ForGood => return Err(TransportError::not_sent("no such thing").permanent()),
            Fault::RequestLost => return Err(TransportError::maybe_sent("lost")),
            Fault::ServerError => return answer(500),
            Fault::None | Fault::AnswerLost | Fault::BadGatewayAfterwards => {}
        }
        let response = self.service.send(request).await;
        turns(polls).await;
        match (self.fault)(number) {
            Fault::AnswerLost => Err(TransportError::maybe_sent("lost")),
            Fault::BadGatewayAfterwards => answer(502),
            _ => response,
        }
    }
}

/// The service, the transport to it, and the clock.
struct World {
    clock: Arc<Clock>,
    seen: Arc<Seen>,
    service: LeadService,
    token: BearerToken,
    pacing: Pacing,
    fault: fn(u64) -> Fault,
    polls: fn(&str) -> usize,
}

fn world() -> World {
    world_with(Scopes::Both, 1_000_000)
}

fn world_with(scopes: Scopes, writes: u32) -> World {
    let clock = Arc::new(Clock::default());
    let (builder, token) = support::builder(scopes);
    let limits = Limits { writes: writes.try_into().unwrap(), ..Limits::default() };
    let time = clock.clone();
    let limiter = SlidingWindow::with_time(limits, move || time.now());
    let service = builder.limiter(limiter).build().unwrap();
    let (seen, pacing) = (Arc::default(), Pacing::off());
    World { clock, seen, service, token, pacing, fault: |_| Fault::None, polls: |_| 1 }
}

impl World {
    fn client(&self) -> Client {
        self.client_at("http://in-process/v1", self.token.clone())
    }

    fn client_at(&self, url: &str, token: impl Into<leadapi_client::Credential>) -> Client {
        let service = InProcess::new(self.service.clone());
        let road = Road { service, fault: self.fault, polls: self.polls, seen: self.seen.clone() };
        Client::builder(url, token).pacing(self.pacing).timer(self.clock.clone()).transport(road).unwrap()
    }

    /// Runs a future. When it is pending and nothing has woken it, the clock advances.
    fn run<F: Future>(&self, future: F) -> F::Output {
        let mut future = pin!(future);
        let woken = Arc::new(Woken::default());
        let waker = Waker::from(woken.clone());
        loop {
            if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
                return output;
            }
            assert!(woken.0.swap(false, Ordering::Relaxed) || self.clock.leap(), "nobody will ever wake it");
        }
    }

    fn all<R: AsRef<NewLead>>(&self, creates: &mut CreateMany<'_, R>) -> (Vec<Settled<R>>, Option<Stopped>) {
        let mut told = Vec::new();
        loop {
            match self.run(creates.next()) {
                Some(Ok(settled)) => told.push(settled),
                end => {
                    assert!(self.run(creates.next()).is_none(), "after the end there is nothing");
                    return (told, end.and_then(Result::err));
                }
            }
        }
    }

    /// Returns the number of leads of each name at the service, without the initial lead.
    fn leads(&self) -> BTreeMap<String, usize> {
        let direct = Client::builder("http://in-process/v1", self.token.clone()).pacing(Pacing::off());
        let direct = direct.in_process(self.service.clone()).unwrap();
        let mut names = BTreeMap::new();
        for offset in (0..).step_by(200) {
            let query = LeadQuery::new().window(Window::new(200, offset).unwrap());
            let page = self.run(direct.leads().list(&query).into_future()).unwrap();
            if page.data.is_empty() {
                break;
            }
            for lead in page.data.into_iter().filter(|lead| lead.id.as_str() != "lead-1") {
                *names.entry(lead.name).or_default() += 1;
            }
        }
        names
    }
}

#[derive(Default)]
struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn row(number: usize) -> NewLead {
    NewLead::new(&support::casa_verde(), format!("Row {number}"))
}

fn rows(number: usize) -> Vec<NewLead> {
    (0..number).map(row).collect()
}

fn each_once(number: usize) -> BTreeMap<String, usize> {
    (0..number).map(|number| (format!("Row {number}"), 1)).collect()
}

fn indices<R>(told: &[Settled<R>]) -> Vec<u64> {
    told.iter().map(|settled| settled.index).collect()
}

/// Enough attempts that random faults do not use them up.
fn patient() -> RetryPolicy {
    RetryPolicy::default().attempts(30)
}

fn counts(progress: Progress) -> [u64; 5] {
    [progress.created, progress.replayed, progress.refused, progress.not_done, progress.unknown]
}

#[test]
fn each_row_is_told_with_its_place_its_key_and_itself() {
    let world = world();
    let rows = rows(30);
    let client = world.client();
    let mut creates = client.leads().create_many(&rows).named("import-7").unwrap();
    let (mut told, stopped) = world.all(&mut creates);
    assert_eq!((stopped, counts(creates.progress())), (None, [30, 0, 0, 0, 0]));
    told.sort_by_key(|settled| settled.index);
    for (at, settled) in told.iter().enumerate() {
        assert_eq!(settled.index, at as u64);
        assert!(std::ptr::eq(settled.row, &raw const rows[at]));
        assert_eq!(settled.key.as_str(), format!("import-7/row-{at}"));
        assert_eq!(Some(&settled.outcome.as_ref().unwrap().name), rows[at].name.as_ref());
        assert!(!settled.replayed);
    }
    assert_eq!(told.len(), 30);
    assert_eq!(world.leads(), each_once(30));
}

/// The later the row, the faster its request.
fn the_last_first(body: &str) -> usize {
    let number: String = body.chars().skip_while(|c| *c != 'R').filter(char::is_ascii_digit).collect();
    100 - number.parse::<usize>().unwrap()
}

#[test]
fn rows_are_told_as_they_end_or_in_order() {
    let world = World { polls: the_last_first, ..world() };
    let mut creates = world.client().leads().create_many(rows(20)).in_flight(5);
    let as_they_end = indices(&world.all(&mut creates).0);
    assert_eq!(as_they_end[..2], [4, 3], "{as_they_end:?}");
    assert_eq!(as_they_end.iter().copied().collect::<BTreeSet<_>>(), (0..20).collect());

    let mut creates = world.client().leads().create_many(rows(20)).in_flight(5).in_order();
    assert_eq!(indices(&world.all(&mut creates).0), (0..20).collect::<Vec<_>>());
}

#[test]
fn no_row_is_taken_before_there_is_room_for_it() {
    for in_order in [false, true] {
        for (asked, in_flight) in [(0, 1), (1, 1), (8, 8), (64, 64), (10_000, 64)] {
            let world = World { polls: |_| 100, ..world() };
            let taken = AtomicU64::new(0);
            let endless = (0..).map(row).inspect(|_| _ = taken.fetch_add(1, Ordering::Relaxed));
            let creates = world.client().leads().create_many(endless).in_flight(asked);
            let mut creates = if in_order { creates.in_order() } else { creates };
            assert_eq!(taken.load(Ordering::Relaxed), 0);
            for told in 0..300 {
                world.run(creates.next()).unwrap().unwrap().outcome.unwrap();
                let taken = taken.load(Ordering::Relaxed);
                assert!((told + 1..=told + in_flight).contains(&taken), "{taken} taken, {told} told before");
            }
            assert_eq!(world.seen.most_under_way.load(Ordering::Relaxed) as u64, in_flight);
        }
    }
}

#[test]
fn by_itself_it_has_eight_on_their_way() {
    let world = world();
    world.all(&mut world.client().leads().create_many(rows(50)));
    assert_eq!(world.seen.most_under_way.load(Ordering::Relaxed), 8);
}

fn every_kind(number: u64) -> Fault {
    match number % 11 {
        1 => Fault::NotSent,
        3 => Fault::RequestLost,
        5 => Fault::AnswerLost,
        7 => Fault::ServerError,
        9 => Fault::BadGatewayAfterwards,
        _ => Fault::None,
    }
}

#[test]
fn whatever_gets_lost_each_row_is_one_lead() {
    let world = World { fault: every_kind, ..world() };
    let mut creates = world.client().leads().create_many(rows(300)).retry(patient());
    let (told, stopped) = world.all(&mut creates);
    assert_eq!((told.len(), stopped), (300, None));
    let progress = creates.progress();
    assert_eq!((progress.are_in(), progress.settled()), (300, 300), "{progress:?}");
    assert!(progress.replayed > 10, "those whose answer was lost");
    assert_eq!(world.leads(), each_once(300));
}

#[test]
fn what_is_not_in_is_told_and_is_in_after_another_run() {
    let world = World { fault: every_kind, ..world() };
    let run = |retry| {
        let mut creates = world.client().leads().create_many(rows(100)).named("import-7").unwrap().retry(retry);
        assert_eq!(world.all(&mut creates).1, None);
        creates.progress()
    };
    let first = run(RetryPolicy::none());
    assert!(first.not_done > 5 && first.unknown > 15 && first.refused == 0, "{first:?}");
    let second = run(patient());
    assert_eq!(second.are_in(), 100);
    assert!(second.replayed >= first.created, "{second:?}");
    assert_eq!(world.leads(), each_once(100));
}

#[test]
fn a_run_that_breaks_off_is_made_again() {
    for until in [0, 1, 7, 8, 20, 39, 40] {
        let world = World { fault: every_kind, ..world() };
        let mut first = world.client().leads().create_many(rows(40)).named("import-7").unwrap().retry(patient());
        for _ in 0..until {
            world.run(first.next()).unwrap().unwrap();
        }
        drop(first);
        let mut second = world.client().leads().create_many(rows(40)).named("import-7").unwrap().retry(patient());
        world.all(&mut second);
        assert_eq!(second.progress().are_in(), 40, "after {until}");
        assert!(second.progress().replayed >= until, "after {until}: {:?}", second.progress());
        assert_eq!(world.leads(), each_once(40), "after {until}");
    }
}

#[test]
fn dropped_at_any_poll_it_loses_and_doubles_nothing() {
    for in_order in [false, true] {
        let mut whole = false;
        for until in 0.. {
            let world = World { fault: every_kind, polls: |body| body.len() % 3, ..world() };
            let creates = world.client().leads().create_many(rows(20)).named("import-7").unwrap().in_flight(4);
            let mut first = if in_order { creates.in_order() } else { creates };
            let waker = Waker::from(Arc::new(Woken::default()));
            for _ in 0..until {
                match Pin::new(&mut first).poll_next(&mut Context::from_waker(&waker)) {
                    Poll::Ready(None) => whole = true,
                    Poll::Ready(Some(settled)) => _ = settled.unwrap(),
                    Poll::Pending => _ = world.clock.leap(),
                }
            }
            drop(first);
            assert_eq!(world.seen.under_way.load(Ordering::Relaxed), 0, "all are cancelled");
            let before: usize = world.leads().values().sum();
            let mut second = world.client().leads().create_many(rows(20)).named("import-7").unwrap().retry(patient());
            world.all(&mut second);
            assert_eq!(world.leads(), each_once(20), "at poll {until}");
            assert_eq!(second.progress().are_in(), 20, "at poll {until}");
            assert!(second.progress().replayed >= before as u64, "at poll {until}");
            if whole {
                assert!(until > 20, "{until} polls");
                break;
            }
        }
    }
}

#[test]
fn a_row_that_is_refused_stops_no_other() {
    let world = world();
    let stranger = ClientId::parse("not-ours").unwrap();
    let mut mixed = rows(20);
    mixed[3] = NewLead::new(&support::casa_verde(), " ");
    mixed[5] = NewLead::new(&stranger, "Ann");
    mixed[7].stage_id = Some("no-stage".into());
    mixed[9].value = Some(f64::NAN);
    let mut creates = world.client().leads().create_many(mixed).in_order();
    let (told, stopped) = world.all(&mut creates);
    assert_eq!((stopped, counts(creates.progress())), (None, [16, 0, 4, 0, 0]));
    assert_eq!(world.seen.requests.load(Ordering::Relaxed), 18, "two never left");
    for (index, text) in [(3, "name"), (5, "client_id"), (7, "stage_id"), (9, "value")] {
        let error = told[index].outcome.as_ref().unwrap_err();
        assert!(error.message().starts_with(text), "{error}");
    }
}

fn stopped_at(world: &World, client: &Client) -> (Progress, StopReason, String) {
    let taken = AtomicU64::new(0);
    let many = (0..1_000).map(row).inspect(|_| _ = taken.fetch_add(1, Ordering::Relaxed));
    let mut creates = client.leads().create_many(many);
    let (told, stopped) = world.all(&mut creates);
    let stopped = stopped.unwrap();
    assert_eq!(told.len() as u64, taken.load(Ordering::Relaxed), "each that was taken is told");
    let cause = told.iter().find(|settled| settled.index == stopped.index()).unwrap();
    assert_eq!(cause.outcome.as_ref().unwrap_err().to_string(), stopped.message());
    (creates.progress(), stopped.reason(), stopped.to_string())
}

#[test]
fn what_would_meet_every_row_ends_it() {
    let every = StopReason::EveryRow;
    let world = world();
    let (progress, reason, text) = stopped_at(&world, &world.client_at("http://in-process/v1", "pak_0123"));
    assert_eq!((counts(progress), reason), ([0, 0, 0, 8, 0], every));
    assert!(text.starts_with("no more rows were sent, because row 0 failed as every row would: POST /leads: 401 "));

    let (progress, reason, _) = stopped_at(&world, &world.client_at("http://in-process/v2", world.token.clone()));
    assert_eq!((counts(progress), reason), ([0, 0, 0, 8, 0], every), "an address that is not the API's");

    let reader = world_with(Scopes::Read, 60);
    let (progress, reason, text) = stopped_at(&reader, &reader.client());
    assert_eq!((counts(progress), reason), ([0, 0, 0, 8, 0], every));
    assert!(text.contains("403 Forbidden") && text.contains("write"), "{text}");

    let broken = World { fault: |_| Fault::ForGood, ..self::world() };
    let (progress, reason, _) = stopped_at(&broken, &broken.client());
    assert_eq!((counts(progress), reason), ([0, 0, 0, 8, 0], every));
}

#[test]
fn a_token_that_goes_bad_ends_it_half_way() {
    let world = world();
    let client = world.client();
    let mut creates = client.leads().create_many((0..).map(row)).named("import-7").unwrap().in_flight(4);
    for _ in 0..30 {
        world.run(creates.next()).unwrap().unwrap().outcome.unwrap();
    }
    // As if the token had been revoked: the next rows reach a service that does not know it.
    let (stranger, _) = support::service();
    let other = World { service: stranger, ..self::world() };
    let mut rest = other.client_at("http://in-process/v1", world.token.clone()).leads().create_many(rows(100));
    let (told, stopped) = other.all(&mut rest);
    assert_eq!((told.len(), stopped.unwrap().index()), (8, 0));
}

#[test]
fn a_service_that_is_out_of_reach_ends_it() {
    let world = World { fault: |_| Fault::NotSent, ..world() };
    let (progress, reason, _) = stopped_at(&world, &world.client());
    assert_eq!(reason, StopReason::OutOfReach);
    assert!((16..=24).contains(&progress.not_done), "{progress:?}");
    let world = World { fault: |_| Fault::ServerError, ..self::world() };
    let (progress, reason, _) = stopped_at(&world, &world.client());
    assert_eq!(reason, StopReason::OutOfReach);
    assert!((16..=24).contains(&progress.unknown), "{progress:?}");
}

#[test]
fn failures_among_successes_do_not() {
    // One in 16 requests succeeds, so the run of failures stays below the limit of 16. Nothing is retried.
    let world = World { fault: |number| if number % 16 == 15 { Fault::None } else { Fault::ServerError }, ..world() };
    let client = world.client();
    let mut creates = client.leads().create_many(rows(160)).retry(RetryPolicy::none());
    let (told, stopped) = world.all(&mut creates);
    assert_eq!((told.len(), stopped, creates.progress().created), (160, None, 10));
}

#[test]
fn a_few_failures_are_no_outage_even_one_by_one() {
    let world = World { fault: |number| if number % 10 == 9 { Fault::None } else { Fault::ServerError }, ..world() };
    let client = world.client();
    let mut creates = client.leads().create_many(rows(50)).retry(RetryPolicy::none()).in_flight(1);
    assert_eq!(world.all(&mut creates).1, None);
    assert_eq!(counts(creates.progress()), [5, 0, 0, 0, 45]);
}

#[test]
fn a_rate_that_is_used_up_is_not_the_rows_fault() {
    let world = world_with(Scopes::Both, 3);
    let mut creates = world.client().leads().create_many(rows(100)).retry(RetryPolicy::none());
    let (told, stopped) = world.all(&mut creates);
    let progress = creates.progress();
    // After a 429 the client delays the rows behind it, so that they are not refused.
    assert_eq!((told.len(), progress.refused, progress.created + progress.not_done), (100, 0, 100));
    assert!(progress.created > 3 && stopped.is_none(), "{progress:?}, {stopped:?}");
}

#[test]
fn rows_that_break_rules_do_not_hide_an_outage() {
    let world = World { fault: |_| Fault::NotSent, ..world() };
    let mixed = (0..1_000).map(|at| if at % 2 == 0 { row(at) } else { NewLead::default() });
    let mut creates = world.client().leads().create_many(mixed).retry(RetryPolicy::none());
    let (told, stopped) = world.all(&mut creates);
    assert_eq!(stopped.unwrap().reason(), StopReason::OutOfReach);
    assert!(told.len() < 50, "{}", told.len());
}

#[test]
fn the_caller_may_stop_at_more() {
    let world = world();
    let not_ours = ClientId::parse("not-ours").unwrap();
    let all_not_ours = (0..1_000).map(|_| NewLead::new(&not_ours, "Ann"));
    let mut creates = world.client().leads().create_many(all_not_ours).in_flight(1).stop_on(Error::is_forbidden);
    let (told, stopped) = world.all(&mut creates);
    assert_eq!((told.len(), stopped.unwrap().reason()), (1, StopReason::Asked));
}

#[test]
fn a_name_stands_for_the_same_rows_and_another_for_more() {
    let world = world();
    let run = |name: &str, rows: &[NewLead]| {
        let mut creates = world.client().leads().create_many(rows.to_vec()).named(name).unwrap();
        world.all(&mut creates);
        counts(creates.progress())
    };
    let rows = rows(10);
    assert_eq!(run("a", &rows), [10, 0, 0, 0, 0]);
    assert_eq!(run("a", &rows), [0, 10, 0, 0, 0]);
    let mut mended = rows.clone();
    mended[4].notes = Some("Call back in June".into());
    assert_eq!(run("a", &mended), [0, 9, 1, 0, 0], "its key stands for the row as it was");
    assert_eq!(run("b", &rows), [10, 0, 0, 0, 0]);
    assert!(world.leads().values().all(|number| *number == 2));
}

#[test]
fn a_name_must_be_the_beginning_of_keys() {
    let client = world().client();
    let named = |name: &str| client.leads().create_many(rows(0)).named(name).is_ok();
    assert!(named("import-7") && named(&"x".repeat(230)));
    assert!(!named("import 7") && !named("été") && !named(&"x".repeat(231)));
}

#[test]
fn without_a_name_each_run_is_another() {
    let world = world();
    for _ in 0..2 {
        world.all(&mut world.client().leads().create_many(rows(10)));
    }
    assert!(world.leads().values().all(|number| *number == 2));
}

#[test]
fn keys_may_come_from_the_rows() {
    let world = world();
    let key = |index: u64, row: &NewLead| {
        let name = row.name.as_deref().unwrap().replace(' ', "-");
        IdempotencyKey::parse(&format!("{name}-at-{index}")).unwrap()
    };
    let mut creates = world.client().leads().create_many(rows(2)).keys(key).in_order();
    let (told, _) = world.all(&mut creates);
    assert_eq!(told[1].key.as_str(), "Row-1-at-1");
}

#[test]
fn rows_keep_the_pace_and_wait_as_long_as_it_takes() {
    let paced = World { pacing: Pacing::default(), ..world_with(Scopes::Both, 60) };
    let mut creates = paced.client().leads().create_many(rows(600));
    let (told, _) = paced.all(&mut creates);
    assert_eq!(creates.progress().created, 600);
    assert_eq!(paced.seen.requests.load(Ordering::Relaxed), 600, "no request was sent in vain");
    assert!((540..600).contains(&paced.clock.now().as_secs()), "{:?}", paced.clock.now());
    drop(told);

    // As if others used all but one request per 60 s: the last rows wait longer than the default timeout of a call.
    let slow = world_with(Scopes::Both, 1);
    let mut creates = slow.client().leads().create_many(rows(12));
    assert_eq!(slow.all(&mut creates).1, None);
    assert_eq!(creates.progress().created, 12, "{:?}", creates.progress());
    assert!(slow.clock.now() > Duration::from_secs(600));

    let mut creates = slow.client().leads().create_many(rows(12)).timeout(Duration::from_secs(100));
    slow.all(&mut creates);
    assert!(creates.progress().not_done > 5, "{:?}", creates.progress());
}

/// A stream of rows that the test provides.
#[derive(Clone, Default)]
struct Given(Arc<Mutex<(Vec<NewLead>, bool)>>);

impl Stream for Given {
    type Item = NewLead;

    fn poll_next(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<NewLead>> {
        let mut state = self.0.lock().unwrap();
        match state.0.pop() {
            Some(row) => Poll::Ready(Some(row)),
            None if state.1 => Poll::Ready(None),
            None => Poll::Pending,
        }
    }
}

#[test]
fn rows_may_be_waited_for_while_others_are_told() {
    let world = world();
    let given = Given::default();
    let mut creates = world.client().leads().create_many_from(given.clone());
    let waker = Waker::from(Arc::new(Woken::default()));
    let mut poll = || Pin::new(&mut creates).poll_next(&mut Context::from_waker(&waker));
    assert!(poll().is_pending());
    given.0.lock().unwrap().0.push(row(0));
    let settled = std::iter::repeat_with(&mut poll).take(10).find_map(|polled| match polled {
        Poll::Ready(settled) => settled,
        Poll::Pending => None,
    });
    assert_eq!(settled.unwrap().unwrap().index, 0);
    assert!(poll().is_pending());
    given.0.lock().unwrap().1 = true;
    assert!(matches!(poll(), Poll::Ready(None)));
}

#[test]
fn it_can_be_moved_to_another_thread_and_held_in_a_struct() {
    struct Job {
        creates: CreateMany<'static, NewLead>,
    }
    fn is_send_and_unpin<T: Send + Unpin>(_: &T) {}

    let world = world();
    let job = Job { creates: world.client().leads().create_many(rows(3)) };
    is_send_and_unpin(&job.creates);
    let shown = format!("{:?}", job.creates);
    assert!(shown.contains("CreateMany") && !shown.contains("Row"), "{shown}");
}
