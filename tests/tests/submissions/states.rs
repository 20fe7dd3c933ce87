//! Tests of the host's response to each kind of submission.

use leadapi_tests::{eventually, wait_until};
use serde_json::{Value, json};

use crate::{
    programs::{Programs, form},
    visitors::{state, submit},
};

#[tokio::test]
async fn each_kind_of_submission_has_a_clear_answer() {
    let mut programs = Programs::start(&form());
    let url = programs.submissions_url();
    let send = async |id: &str, answers: Value| {
        let (status, body) = submit(&url, id, &answers).await.unwrap();
        (status.as_u16(), body)
    };
    // The server is dead, so that the first lead stays pending.
    programs.kill_server();
    let ann = json!({"name": "Ann", "what": "yes"});
    let pending = json!({"id": "s1", "state": "pending", "reason": null, "lead_id": null});
    assert_eq!(send("s1", ann.clone()).await, (202, pending.clone()));
    assert_eq!(send("s1", ann.clone()).await, (202, pending));
    let other = json!({"name": "Bob", "what": "yes"});
    assert_eq!(send("s1", other).await.0, 409);
    let no_lead = json!({"id": "s2", "state": "no_lead", "reason": "the ending creates no lead", "lead_id": null});
    assert_eq!(send("s2", json!({"name": "Cid", "what": "no"})).await, (200, no_lead));
    let (status, body) = send("s3", json!({"name": "Dan", "what": "odd"})).await;
    assert_eq!((status, &body["state"]), (200, &json!("review")), "{body}");
    assert_eq!(body["reason"], "the form has a rule that cannot be evaluated");
    let (status, body) = send("s4", json!({"what": "yes"})).await;
    assert_eq!((status, &body["reason"]), (200, &json!("no answer can serve as the lead's name")));
    let problem = json!({"question": "what", "problem": "missing", "message": "needs an answer"});
    assert_eq!(send("s5", json!({"name": "Eve"})).await, (422, json!({"problems": [problem]})));
    assert_eq!(state(&url, "s5").await.unwrap()["error"], "no such submission");
    // An incomplete submission can be completed with the same id.
    assert_eq!(send("s5", json!({"name": "Eve", "what": "yes"})).await.0, 202);
    for (id, answers) in [("", ann.clone()), ("a b", ann.clone()), ("s6", json!([]))] {
        assert_eq!(send(id, answers).await.0, 400, "{id:?}");
    }
    // The host cannot verify an address, so it creates no lead from it.
    let (status, body) = send("s8", json!({"name": "Fay", "what": "yes", "mail": "fay@example.org"})).await;
    assert_eq!((status, &body["state"]), (200, &json!("review")), "{body}");
    assert_eq!(body["reason"], "an email address or phone number must be verified");
    let (status, _) = submit(&url.replace("care", "none"), "s7", &ann).await.unwrap();
    assert_eq!(status.as_u16(), 404);

    programs.restart_server();
    let lead = until_state(&url, "s1", "created").await["lead_id"].as_str().unwrap().to_owned();
    let created = json!({"id": "s1", "state": "created", "reason": null, "lead_id": lead});
    assert_eq!(send("s1", ann).await, (200, created));
    programs.restart_host();
    assert_eq!(state(&url, "s3").await.unwrap()["state"], "review");
    let names = eventually("both leads", async || {
        let leads = programs.leads().await;
        (leads.len() == 2).then(|| leads.clone()).ok_or(format!("{leads:?}"))
    });
    assert_eq!(names.await.get("Ann"), Some(&vec![lead]));
}

/// The API refuses the lead, so no retry can succeed.
#[tokio::test]
async fn a_refused_lead_waits_for_a_person() {
    let mut form = form();
    form["form"]["client_id"] = json!("nobody");
    let programs = Programs::start(&form);
    let url = programs.submissions_url();
    submit(&url, "s1", &json!({"name": "Ann", "what": "yes"})).await.unwrap();
    let reviewed = until_state(&url, "s1", "review").await;
    assert!(reviewed["reason"].as_str().unwrap().contains("client"), "{reviewed}");
}

/// After a day without an answer, the API no longer recognizes the key, and a retry could create a second lead.
#[tokio::test]
async fn a_create_without_an_outcome_for_a_day_is_not_retried() {
    let mut programs = Programs::start(&form());
    let url = programs.submissions_url();
    programs.kill_server();
    let ids = ["day", "hours", "never", "future"];
    for id in ids {
        submit(&url, id, &json!({"name": id, "what": "yes"})).await.unwrap();
    }
    let database = programs.open_submissions();
    // A refused connection is a certain result, so no attempt stays unresolved.
    let tried = "SELECT count(*) FROM submission WHERE attempts > 0 AND attempted_at IS NULL";
    wait_until("attempts", || {
        let count: i64 = database.query_row(tried, [], |row| row.get(0)).unwrap();
        (count == 4).then_some(()).ok_or(count.to_string())
    });
    programs.kill_host();
    // The times of attempts without a known result. Later attempts have failed with a known result.
    for (id, hours) in [("day", 24), ("hours", 20), ("future", -3)] {
        let sql = "UPDATE submission SET attempted_at = unixepoch() - 3600 * ?2 WHERE id = ?1";
        assert_eq!(database.execute(sql, (id, hours)), Ok(1));
    }
    programs.restart_host();
    let attempts = "SELECT min(attempts) FROM submission WHERE state = 'pending'";
    let before: i64 = database.query_row(attempts, [], |row| row.get(0)).unwrap();
    wait_until("more attempts", || {
        let after: i64 = database.query_row(attempts, [], |row| row.get(0)).unwrap();
        (after > before).then_some(()).ok_or(after.to_string())
    });
    programs.restart_server();
    for id in ["hours", "never"] {
        until_state(&url, id, "created").await;
    }
    for id in ["day", "future"] {
        let reviewed = until_state(&url, id, "review").await;
        assert!(reviewed["reason"].as_str().unwrap().contains("a lead may exist"), "{reviewed}");
    }
    let leads = programs.leads().await;
    assert!(leads.contains_key("hours") && leads.contains_key("never") && leads.len() == 2, "{leads:?}");
}

/// Waits until a submission is in this state, and returns it.
async fn until_state(url: &str, id: &str, wanted: &str) -> Value {
    let settled = eventually(wanted, async || {
        let state = state(url, id).await.unwrap();
        if state["state"] == wanted { Ok(state) } else { Err(state.to_string()) }
    });
    settled.await
}
