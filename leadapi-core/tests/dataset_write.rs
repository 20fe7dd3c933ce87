//! Tests that a data set round-trips through its file format, and that the file contains no secret.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test fails at the first unexpected value")]

use std::sync::Arc;

use futures_executor::block_on;
use leadapi_core::{
    auth::{Actor, BearerToken, Role, Scopes, TokenHash},
    dataset::{BusinessSeed, Dataset, IdempotencySeed, MemberSeed, SAMPLE, TokenOrigin, TokenSeed},
    form::FormRecord,
    id::{BusinessId, ClientId, LeadId, PipelineId, StageId, TokenId},
    memory::MemoryTokens,
    model::{Amount, ClientAccount, IdempotencyKey, Lead, Pipeline, Stage, Timestamp},
    port::{AuditAction, AuditEntry, FoundToken, TokenRecord, TokenStore},
    tokens,
};
use proptest::prelude::*;
use serde_json::Value;

const TWO_BUSINESSES: &str = include_str!("../../tests/data/two_businesses.json");
const FORM: &str = include_str!("../model/tests/data/form.json");
const NOON: &str = "2026-05-04T12:00:00.000Z";

fn moment(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn business() -> BusinessSeed {
    BusinessSeed::new(BusinessId::parse("b1").unwrap(), "Harbour & Pine", moment("2026-01-12T09:00:00Z"))
}

fn written(dataset: &Dataset) -> String {
    serde_json::to_string_pretty(dataset).unwrap()
}

/// Serializes and parses a data set, and checks that the result serializes to the same text.
fn round_trip(dataset: &Dataset) -> Dataset {
    let text = written(dataset);
    let read = Dataset::parse(&text).unwrap();
    assert_eq!(written(&read), text);
    read
}

#[test]
fn the_samples_round_trip() {
    for json in [SAMPLE, TWO_BUSINESSES] {
        let dataset = Dataset::parse(json).unwrap();
        assert!(dataset.businesses.iter().any(|business| !business.leads.is_empty()));
        assert_eq!(round_trip(&dataset), dataset);
    }
}

#[test]
fn a_data_set_built_in_code_round_trips() {
    let mut business = business();
    business.members = vec![MemberSeed::new("Zoë@example.org", Role::Owner), MemberSeed::new("b@c.d", Role::Member)];
    let client = ClientId::parse("c1").unwrap();
    business.clients = vec![ClientAccount::new(client.clone(), " Ünï \"quoted\" ", moment(NOON))];
    let stages = vec![Stage::new(StageId::parse("s1").unwrap(), "One", 1)];
    business.pipelines = vec![Pipeline::new(PipelineId::parse("p1").unwrap(), "P", stages, moment(NOON))];
    let mut lead = Lead::new(LeadId::parse("l1").unwrap(), client, "Ann", moment("0000-01-01T00:00:00.001Z"));
    lead.email = Some("Ann@Example.org".into());
    lead.phone = Some("112".into());
    lead.source = Some(" web ".into());
    lead.notes = Some("\n a\r\n\tb \n".into());
    lead.value = Some(Amount::try_from(f64::MAX).unwrap());
    lead.pipeline_id = Some(PipelineId::parse("p1").unwrap());
    lead.stage_id = Some(StageId::parse("s1").unwrap());
    lead.business_name = Some("B".into());
    let mut without_stage = lead.clone();
    without_stage.stage_id = Some(StageId::parse("removed").unwrap());
    business.idempotency =
        vec![IdempotencySeed::new(IdempotencyKey::parse("key-1").unwrap(), [0xa7; 32], without_stage)];
    business.leads = vec![lead];
    let mut form: FormRecord = serde_json::from_str(FORM).unwrap();
    let names = form.form.get_mut().unwrap();
    assert!(names.id.as_str().is_some() && names.client_id.as_str().is_some());
    names.client_id.set("c1");
    names.target_pipeline_id.set("p1");
    business.forms = vec![form, serde_json::from_str(r#"{"form":{"id":"f","x":1e400},"y":10.0}"#).unwrap()];
    business.tokens = vec![TokenSeed::new("open", Scopes::Read, TokenOrigin::Open), stored_token().into()];
    let dataset = Dataset::new(vec![business]);
    assert_eq!(round_trip(&dataset), dataset);
    let one_business = serde_json::to_string_pretty(&dataset.businesses[0]).unwrap();
    let whole = format!(r#"{{"businesses": [{one_business}]}}"#);
    assert_eq!(Dataset::parse(&whole).unwrap(), dataset);
}

#[test]
fn every_audit_entry_round_trips_unchanged() {
    let entry = |(nth, action): (usize, &AuditAction)| {
        let address = (nth % 2 == 0).then(|| "2001:db8::1".parse().unwrap());
        let entry = AuditEntry::new(moment(NOON), *action, Actor::new("Zoë@example.org", address));
        if nth % 3 == 0 { entry.token(TokenId::parse("t1").unwrap(), "website") } else { entry }
    };
    let mut business = business();
    business.audit = AuditAction::ALL.iter().enumerate().map(entry).collect();
    let dataset = Dataset::new(vec![business]);
    assert_eq!(round_trip(&dataset), dataset);
    let text = written(&dataset);
    for (wrong, problem) in [
        (text.replacen("\"token_created\"", "\"token_eaten\"", 1), "unknown variant `token_eaten`"),
        (text.replacen("\"email\"", "\"mail\"", 1), "unknown field `mail`"),
        (
            text.replace(dataset.businesses[0].audit[1].id.as_str(), dataset.businesses[0].audit[0].id.as_str()),
            "businesses[0].audit[1].id: the audit entry id",
        ),
    ] {
        let error = Dataset::parse(&wrong).unwrap_err().to_string();
        assert!(error.contains(problem), "{problem}: {error}");
    }
}

fn stored_token() -> TokenRecord {
    let secret = BearerToken::generate().unwrap();
    let mut record = TokenRecord::new(&secret, "Zoë's token", Scopes::Both, moment("2026-05-04T07:58:12.004Z"));
    record.expires_at = Some(moment("2099-01-01T00:00:00.000Z"));
    record.revoked_at = Some(moment("2026-06-01T00:00:00.999Z"));
    record
}

#[test]
fn an_exported_token_converts_back_to_its_record() {
    let record = stored_token();
    let seed = TokenSeed::from(record.clone());
    assert_eq!(seed.record(moment(NOON)), Some(record.clone()));
    let mut business = business();
    business.tokens = vec![seed];
    let dataset = round_trip(&Dataset::new(vec![business]));
    let text: Value = serde_json::from_str(&written(&dataset)).unwrap();
    let token = &text["businesses"][0]["tokens"][0];
    assert_eq!((&token["hash"], &token["prefix"]), (&record.hash.to_hex().into(), &record.hint.clone().into()));

    let store = MemoryTokens::default();
    assert!(block_on(tokens::import(&store, &dataset, moment(NOON))).unwrap().is_empty());
    let owner = BusinessId::parse("b1").unwrap();
    assert_eq!(block_on(store.list(&owner)).unwrap(), std::slice::from_ref(&record));
    assert_eq!(block_on(store.find(&record.hash)).unwrap(), Some(Arc::new(FoundToken::new(owner, record))));
}

#[test]
fn a_supplied_secret_is_never_written_and_its_token_stays_valid() {
    let secret = BearerToken::generate().unwrap();
    let mut business = business();
    business.tokens = vec![TokenSeed::new("given", Scopes::Write, TokenOrigin::Given(secret.clone()))];
    let dataset = Dataset::new(vec![business]);
    let text = written(&dataset);
    assert!(!text.contains(&secret.expose()[8..]), "{text}");
    let read = Dataset::parse(&text).unwrap();
    let record = read.businesses[0].tokens[0].record(moment(NOON)).unwrap();
    assert_eq!((record.hash, record.hint.as_str()), (secret.hash(), secret.hint()));
    assert_eq!(record.created_at, read.businesses[0].created_at);
    // The exported id is the id that is derived from the secret.
    let given = dataset.businesses[0].tokens[0].record(moment(NOON)).unwrap();
    assert_eq!((given.id, given.created_at), (record.id, moment(NOON)));
}

#[test]
fn records_cover_every_business_and_report_issued_tokens() {
    let dataset = Dataset::parse(SAMPLE).unwrap();
    let generated = tokens::records(&dataset, moment(NOON)).unwrap();
    assert_eq!((generated.records.len(), generated.issued.len()), (7, 7));
    for (record, issued) in generated.records.iter().zip(&generated.issued) {
        assert_eq!((&record.0, record.1.hash), (&issued.business_id, issued.secret.hash()));
        assert_eq!((&record.1.name, record.1.created_at), (&issued.name, moment(NOON)));
    }
    let revoked = generated.records.iter().filter(|(_, record)| record.revoked_at.is_some());
    let expiring = generated.records.iter().filter(|(_, record)| record.expires_at.is_some());
    assert_eq!((revoked.count(), expiring.count()), (1, 2));
}

prop_compose! {
    fn any_moment()(millis in -62_167_219_200_000_i64..253_402_300_800_000) -> Timestamp {
        Timestamp::from_unix_millis(millis).unwrap()
    }
}

proptest! {
    #[test]
    fn leads_and_exported_tokens_round_trip(
        name in "[^\\p{C}\\s]([^\\p{C}]{0,100}[^\\p{C}\\s])?",
        notes in proptest::option::of("[^\\p{C}\\s][^\\p{C}]{0,99}"),
        value in proptest::option::of(proptest::num::f64::NORMAL | proptest::num::f64::SUBNORMAL | proptest::num::f64::ZERO),
        at in any_moment(),
        (hash, hint) in (any::<[u8; 32]>(), "pak_[0-9A-Za-z]{0,4}"),
        expires_at in proptest::option::of(any_moment()),
    ) {
        let mut business = business();
        let client = ClientId::parse("c1").unwrap();
        business.clients = vec![ClientAccount::new(client.clone(), "C", at)];
        let mut lead = Lead::new(LeadId::parse("l1").unwrap(), client, name, at);
        lead.notes = notes;
        lead.value = value.map(|number| Amount::try_from(number).unwrap());
        business.leads = vec![lead];
        let id = TokenId::parse("t1").unwrap();
        let hash = TokenHash::from_bytes(hash);
        let (created_by, last_used_at) = (expires_at.map(|_| "zoë@example.org".to_owned()), expires_at);
        let origin = TokenOrigin::Kept { id, created_at: at, hash, hint, created_by, last_used_at };
        let mut token = TokenSeed::new("t", Scopes::Both, origin);
        token.expires_at = expires_at;
        business.tokens = vec![token];
        let dataset = Dataset::new(vec![business]);
        prop_assert_eq!(Dataset::parse(&written(&dataset)).unwrap(), dataset);
    }
}
