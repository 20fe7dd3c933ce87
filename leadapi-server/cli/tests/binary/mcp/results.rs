//! Tests of the results of the MCP tools.

use serde_json::{Value, json};

use super::Site;
use crate::process::CLIENT;

#[test]
fn lists_omit_unset_fields_and_notes() {
    let site = Site::new(&[]);
    let token = site.token("A read only");
    let list = site.result(token, "list_leads", json!({}));
    let leads = list["data"].as_array().unwrap();
    assert_eq!((leads.len(), &list["next_offset"]), (20, &json!(20)));
    assert!(list["notice"].as_str().unwrap().contains("untrusted data"));
    for lead in leads {
        let lead = lead.as_object().unwrap();
        assert!(!lead.contains_key("notes") && lead.values().all(|value| !value.is_null()), "{lead:?}");
    }
    let rest = site.result(token, "list_leads", json!({"offset": 20, "limit": 100}));
    assert_eq!((rest["data"].as_array().unwrap().len(), &rest["next_offset"]), (20, &Value::Null));
    let of_client = site.result(token, "list_leads", json!({"client_id": CLIENT, "limit": null}));
    assert_eq!(of_client["total"], 12);

    let lead = leads.iter().find(|lead| lead["stage_id"].is_string()).unwrap();
    let at_stage = site.result(token, "list_leads", json!({"stage_id": lead["stage_id"]}));
    assert!(at_stage["total"].as_u64().unwrap() < 40);
    let one = site.result(token, "get_lead", json!({"id": lead["id"]}));
    assert_eq!((&one["lead"]["name"], &one["lead"]["id"]), (&lead["name"], &lead["id"]));
}

#[test]
fn the_text_of_a_result_is_its_structured_content() {
    let site = Site::new(&[]);
    let answer = site.call(site.token("A read only"), "list_pipelines", json!({}));
    let text: Value = serde_json::from_str(answer["result"]["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(text, answer["result"]["structuredContent"]);
    assert_eq!(text["data"].as_array().unwrap().len(), 3);
}

#[test]
fn the_overview_counts_the_leads_of_each_client_account_and_stage() {
    let site = Site::new(&[]);
    let token = site.token("A read only");
    let overview = site.result(token, "get_overview", json!({}));
    assert_eq!(
        (&overview["leads"], &overview["clients_total"], &overview["pipelines_total"]),
        (&json!(40), &json!(4), &json!(3))
    );
    let clients = overview["clients"].as_array().unwrap();
    let sum: u64 = clients.iter().map(|client| client["leads"].as_u64().unwrap()).sum();
    assert_eq!((clients.len(), sum), (4, 40));
    for pipeline in overview["pipelines"].as_array().unwrap() {
        for stage in pipeline["stages"].as_array().unwrap() {
            let listed = site.result(token, "list_leads", json!({"stage_id": stage["id"], "limit": 1}));
            assert_eq!(listed["total"], stage["leads"], "{stage}");
        }
    }
}

#[test]
fn a_long_result_is_cut_and_continued() {
    let site = Site::new(&["--writes-per-minute", "1000"]);
    let token = site.token("A read+write");
    let name = "é".repeat(200);
    for index in 0..60 {
        let body = format!(r#"{{"client_id":"{CLIENT}","name":"{name}","source":"{index}"}}"#);
        assert!(site.server.post(token, "", &body).starts_with("HTTP/1.1 201"));
    }
    let (mut offset, mut sources) = (json!(0), vec![]);
    let mut pages = 0;
    while !offset.is_null() {
        let page = site.result(token, "list_leads", json!({"limit": 100, "offset": offset}));
        assert!(page["data"].to_string().len() < 18_200, "{}", page["data"].to_string().len());
        sources.extend(page["data"].as_array().unwrap().iter().map(|lead| lead["id"].clone()));
        offset = page["next_offset"].clone();
        pages += 1;
    }
    assert!(pages > 1);
    assert_eq!(sources.len(), 100);

    let notes = "日".repeat(10_000);
    let created = site.server.post(token, "", &format!(r#"{{"client_id":"{CLIENT}","name":"n","notes":"{notes}"}}"#));
    let id = created.split(r#""id":""#).nth(1).unwrap().split('"').next().unwrap();
    let lead = site.result(token, "get_lead", json!({"id": id}))["lead"].clone();
    assert_eq!(lead["notes_cut"], true);
    assert!((17_990..=18_000).contains(&lead["notes"].as_str().unwrap().len()));
}
