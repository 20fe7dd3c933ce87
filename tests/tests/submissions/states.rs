//! The answer to each kind of submission.

use leadapi_tests::eventually;
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
    let (status, _) = submit(&url.replace("care", "none"), "s7", &ann).await.unwrap();
    assert_eq!(status.as_u16(), 404);

    programs.restart_server();
    let lead = eventually("the lead", async || {
        let state = state(&url, "s1").await.unwrap();
        state["lead_id"].as_str().map(str::to_owned).ok_or(state.to_string())
    });
    let lead = lead.await;
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
