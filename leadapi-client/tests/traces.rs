//! Tests that the trace of a call contains the call's operation and result, but no personal data.
//!
//! This is a separate test program with a single test, because `tracing` caches for the whole process whether a
//! subscriber is interested in a span.
#![allow(
    dead_code,
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "this test uses only some of the shared helpers"
)]

use std::{
    fmt::Debug,
    sync::{Arc, Mutex},
};

use leadapi_client::{
    RetryPolicy,
    auth::BearerToken,
    id::LeadId,
    model::{LeadPatch, LeadQuery, NewLead},
};
use tracing::{
    Event, Metadata, Subscriber,
    field::{Field, Visit},
    span::{Attributes, Id, Record},
};

#[path = "client/scripted.rs"]
mod scripted;
#[path = "client/support.rs"]
mod support;

use scripted::{Act, Script};
use support::{casa_verde, service, wait};

/// A subscriber that records all names and fields.
#[derive(Clone, Default)]
struct RecordingSubscriber(Arc<Mutex<Vec<String>>>);

impl Visit for RecordingSubscriber {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.lock().unwrap().push(format!("{field}={value:?}"));
    }
}

impl Subscriber for RecordingSubscriber {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        self.0.lock().unwrap().push(span.metadata().name().to_owned());
        span.record(&mut self.clone());
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, values: &Record<'_>) {
        values.record(&mut self.clone());
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        event.record(&mut self.clone());
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

fn recorded(work: impl FnOnce()) -> Vec<String> {
    let subscriber = RecordingSubscriber::default();
    tracing::subscriber::with_default(subscriber.clone(), work);
    subscriber.0.lock().unwrap().clone()
}

#[test]
fn traces_describe_calls_without_personal_data() {
    a_call_is_a_span_with_its_result();
    no_trace_contains_personal_data();
}

fn a_call_is_a_span_with_its_result() {
    let recorded = recorded(|| {
        let (client, _) = Script::client([Act::status(503), Act::lead().with("x-request-id", &"0198-abc")]);
        wait(client.leads().create(&NewLead::new(&casa_verde(), "Ann"))).unwrap();
    });
    let waiting = recorded.iter().find(|text| text.starts_with("duration_ms=")).unwrap().clone();
    assert_eq!(
        recorded,
        [
            "leadapi.call",
            "http.request.method=POST",
            "url.template=\"/leads\"",
            "message=waiting",
            "reason=Backoff",
            &waiting,
            "failed_attempts=1",
            "http.response.status_code=201",
            "http.request.resend_count=1",
            "leadapi.request_id=\"0198-abc\"",
        ]
    );
}

fn no_trace_contains_personal_data() {
    let recorded = recorded(|| {
        let (service, token) = service();
        let canary: BearerToken = token.clone();
        let client =
            leadapi_client::Client::builder("http://in-process/v1", token).in_process(service).build().unwrap();
        let new = NewLead::new(&casa_verde(), "CANARY").email("canary@example.com").notes("canary");
        let lead = wait(client.leads().create(&new)).unwrap();
        wait(client.leads().list(&LeadQuery::new().client(casa_verde()))).unwrap();
        wait(client.leads().update(&lead.id, &LeadPatch::new().name("CANARY 2"))).unwrap();
        wait(client.leads().delete(&lead.id)).unwrap();
        wait(client.leads().get(&LeadId::parse("canary").unwrap())).unwrap_err();
        wait(client.leads().create(&NewLead::new(&casa_verde(), "").email("canary"))).unwrap_err();
        let (client, _) = Script::client([Act::Response(500, Vec::new(), format!("canary {}", canary.expose()))]);
        wait(client.leads().create(&new).retry(RetryPolicy::none())).unwrap_err();
    });
    assert!(recorded.iter().filter(|text| *text == "leadapi.call").count() >= 6);
    for text in recorded {
        let text = text.to_lowercase();
        assert!(!text.contains("canary") && !text.contains("pak_") && !text.contains("casa-verde"), "{text}");
    }
}
