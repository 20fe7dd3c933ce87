//! Tests of the contents and the order of lists (contract 2.1, 2.2, 2.3, 4, D2 and D3).

use leadapi_tests::{Case, TestResponse, Token, delete, everywhere, get, patch, post, run_table};
use serde_json::{Value, json};

#[tokio::test]
async fn lists_are_filtered_ordered_and_paged() {
    run_table([leads(), others()].concat()).await;
}

fn page(data: &Value, total: u64, limit: u64, offset: u64) -> Value {
    json!({"data": data, "total": total, "limit": limit, "offset": offset})
}

/// Returns a lead from the data file as a list item. Fields that are not given are `null`.
fn item(id: &str, client: &str, name: &str, created_at: &str, more: &Value) -> Value {
    let mut item = json!({
        "id": id, "client_id": client, "name": name, "email": null, "phone": null, "source": null, "value": null,
        "pipeline_id": null, "stage_id": null, "created_at": created_at,
    });
    item.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    item
}

fn all() -> Vec<Value> {
    let placed = |pipeline: &str, stage: &str| json!({"pipeline_id": pipeline, "stage_id": stage});
    let first = json!({
        "email": "Lea@Canary-A.example", "phone": "+33 1 99 00 14 20", "source": "website", "value": 1200.5,
        "pipeline_id": "a-pipe-1", "stage_id": "a-stage-11",
    });
    let fourth = json!({"value": 450, "pipeline_id": "a-pipe-1", "stage_id": "a-stage-19"});
    vec![
        item("a-lead-4", "a-client-2", "Di Canary-A", "2026-05-03T00:00:00.000Z", &fourth),
        item("a-lead-3", "a-client-2", "Cy Canary-A", "2026-05-02T00:00:00.000Z", &placed("a-pipe-1", "a-stage-11")),
        item("a-lead-2", "a-client-1", "Bo Canary-A", "2026-05-02T00:00:00.000Z", &json!({})),
        item("a-lead-1", "a-client-1", "Léa Canary-A", "2026-05-01T00:00:00.000Z", &first),
        item("a-lead-5", "a-client-1", "Ed Canary-A", "2026-04-30T23:59:59.999Z", &placed("a-pipe-2", "a-stage-21")),
        item("a/b?c%", "a-client-3", "Fay Canary-A", "2026-04-01T00:00:00.000Z", &json!({})),
    ]
}

fn leads() -> Vec<Case> {
    let all = all();
    let some = |at: &[usize]| Value::from(at.iter().map(|at| all[*at].clone()).collect::<Vec<_>>());
    let filtered = |name: &str, query: &str, at: &[usize]| {
        get(name, format!("/leads?{query}")).body(page(&some(at), at.len() as u64, 50, 0))
    };
    vec![
        get(
            "D3 leads are listed by created_at and id descending, with the fields of a list item, and unset fields are null",
            "/leads",
        )
        .body(page(&some(&[0, 1, 2, 3, 4, 5]), 6, 50, 0)),
        get("D3 the first page", "/leads?limit=2").body(page(&some(&[0, 1]), 6, 2, 0)),
        get("D3 the second page", "/leads?limit=2&offset=2").body(page(&some(&[2, 3]), 6, 2, 2)),
        get("D3 a page that is not full", "/leads?offset=5&limit=2").body(page(&some(&[5]), 6, 2, 5)),
        get("D3 an offset at the end is 200 with the true total", "/leads?offset=6").body(page(&json!([]), 6, 50, 6)),
        get("D3 an offset past the end is 200 with the true total", "/leads?offset=1000000").body(page(
            &json!([]),
            6,
            50,
            1_000_000,
        )),
        filtered("4 filter by client account", "client_id=a-client-1", &[2, 3, 4]),
        filtered("4 filter by stage", "stage_id=a-stage-11", &[1, 3]),
        filtered("D3 the two filters are combined with AND", "client_id=a-client-1&stage_id=a-stage-11", &[3]),
        filtered(
            "D3 the two filters are combined with AND, and no lead matches both",
            "client_id=a-client-3&stage_id=a-stage-11",
            &[],
        ),
        filtered("D3 a client account without leads", "client_id=a-client-4", &[]),
        filtered("D3 a stage without leads", "stage_id=a-stage-15", &[]),
        filtered("D3 a filter may contain percent-encoding", "client%5Fid=a%2Dclient-1&stage_id=a-stage-2%31", &[4]),
        get("D3 total counts the matching leads on every page", "/leads?client_id=a-client-1&limit=1&offset=2")
            .body(page(&some(&[4]), 3, 1, 2)),
        get("D3 total counts the matching leads even past the end", "/leads?client_id=a-client-1&offset=3").body(page(
            &json!([]),
            3,
            50,
            3,
        )),
        get("1 every request is limited to the business of the token", "/leads")
            .token(Token::B)
            .at("/total", 2)
            .at("/data/0/id", "b-lead-2")
            .at("/data/1/id", "b-lead-1"),
    ]
}

fn others() -> Vec<Case> {
    let stage = |id: &str, name: &str, position: u32| json!({"id": id, "name": name, "position": position});
    let first = json!({
        "id": "a-pipe-1", "name": "New customer Canary-A", "created_at": "2026-01-12T09:30:00.000Z",
        "stages": [stage("a-stage-19", "New", 1), stage("a-stage-11", "Contacted", 2), stage("a-stage-15", "Won", 3)],
    });
    let second = json!({
        "id": "a-pipe-2", "name": "Appointments Canary-A", "created_at": "2026-01-12T09:30:00.000Z",
        "stages": [stage("a-stage-21", "Requested", 1)],
    });
    let third = json!({
        "id": "a-pipe-0", "name": "Newest Canary-A", "created_at": "2026-02-01T00:00:00.000Z",
        "stages": [stage("a-stage-01", "First", 1), stage("a-stage-02", "Later", 2)],
    });
    let client = |id: &str, name: &str, at: &str| json!({"id": id, "name": name, "created_at": at});
    let clients = [
        client("a-client-2", "Zoë Canary-A Dental", "2026-01-13T00:00:00.000Z"),
        client("a-client-3", "Zoë Canary-A Dental", "2026-01-01T00:00:00.000Z"),
        client("a-client-4", "apple Canary-A", "2026-01-12T09:14:02.118Z"),
        client("a-client-1", "Äpfel Canary-A", "2026-01-12T09:14:02.118Z"),
    ];
    vec![
        get("D3 pipelines are listed oldest first, then by id, and stages by position", "/pipelines").body(page(
            &json!([first, second, third]),
            3,
            50,
            0,
        )),
        get("D3 a page of pipelines", "/pipelines?limit=1&offset=1").body(page(&json!([second]), 3, 1, 1)),
        get("D3 a page of pipelines past the end", "/pipelines?offset=3").body(page(&json!([]), 3, 50, 3)),
        get("D3 client accounts are listed by name (code points), then by id", "/clients").body(page(
            &json!(clients),
            4,
            50,
            0,
        )),
        get("D3 a page of client accounts", "/clients?limit=2&offset=1").body(page(&json!(clients[1..3]), 4, 2, 1)),
        get("D3 a page of client accounts past the end", "/clients?offset=99").body(page(&json!([]), 4, 50, 99)),
        get("2.2 client accounts belong to the token's business", "/clients")
            .token(Token::B)
            .at("/total", 1)
            .at("/data/0/id", "b-client-1"),
        get("D2 pipelines belong to the business", "/pipelines")
            .token(Token::B)
            .at("/total", 1)
            .at("/data/0/id", "b-pipe-1"),
    ]
}

#[tokio::test]
async fn pages_of_every_size_add_up_to_the_list() {
    everywhere("D3 pages of every size add up to the list", async |live| {
        for limit in 1..=7 {
            let mut walked = Vec::new();
            loop {
                let path = format!("/leads?limit={limit}&offset={}", walked.len());
                let ids = live.send(get("D3 a page", path).at("/total", 6)).await.ids();
                if ids.is_empty() {
                    break;
                }
                walked.extend(ids);
            }
            assert_eq!(walked, ["a-lead-4", "a-lead-3", "a-lead-2", "a-lead-1", "a-lead-5", "a/b?c%"], "limit {limit}");
        }
    })
    .await;
}

#[tokio::test]
async fn totals_and_pages_reflect_each_write() {
    everywhere("D3 total and data reflect each write", async |live| {
        let list =
            async |query: &str| -> TestResponse { live.send(get("D3 the list", format!("/leads?{query}"))).await };
        let new = json!({"client_id": "a-client-4", "name": "Ann", "stage_id": "a-stage-15"});
        let id = live.send(post("D3 one more lead", new)).await.id();
        assert_eq!(list("limit=1").await.ids(), [id.as_str()], "the newest lead comes first");
        assert_eq!(list("client_id=a-client-4").await.ids(), [id.as_str()]);
        assert_eq!(list("stage_id=a-stage-15").await.json()["total"], 1);
        live.send(patch("D3 a lead moves to another stage", &id, json!({"stage_id": "a-stage-21"}))).await;
        assert_eq!(list("stage_id=a-stage-15").await.json()["total"], 0);
        assert_eq!(list("stage_id=a-stage-21").await.ids(), [id.clone(), "a-lead-5".to_owned()]);
        live.send(patch("D3 a lead leaves its pipeline", &id, json!({"stage_id": null}))).await;
        assert_eq!(list("stage_id=a-stage-21").await.ids(), ["a-lead-5"]);
        assert_eq!(list("").await.json()["total"], 7);
        live.send(delete("D3 one lead fewer", &id)).await;
        assert_eq!(list("").await.json()["total"], 6);
        assert_eq!(list("client_id=a-client-4").await.json()["total"], 0);
    })
    .await;
}

#[tokio::test]
async fn leads_with_equal_timestamps_are_ordered_by_id() {
    everywhere("D3 new leads are also listed by created_at and id descending", async |live| {
        for _ in 0..12 {
            live.send(post("D3 the same timestamp", json!({"client_id": "a-client-4", "name": "Ann"}))).await;
        }
        let ids = live.send(get("D3 the list", "/leads?client_id=a-client-4")).await.ids();
        let mut sorted = ids.clone();
        sorted.sort_unstable_by(|a, b| b.cmp(a));
        assert_eq!((ids.len(), &ids), (12, &sorted));
    })
    .await;
}

#[tokio::test]
async fn a_page_has_50_leads_by_default_and_200_at_most() {
    everywhere("8 a page has 50 leads by default and at most 200", async |live| {
        for at in 0..210 {
            if at % 60 == 0 {
                live.world.wait(60);
            }
            live.send(post("8 one more lead", json!({"client_id": "a-client-4", "name": format!("Ann {at}")}))).await;
        }
        assert_eq!(live.send(get("8 the default", "/leads")).await.ids().len(), 50);
        let most = live.send(get("8 the maximum", "/leads?limit=200").at("/total", 216)).await;
        let rest = live.send(get("8 the rest", "/leads?limit=200&offset=200").at("/total", 216)).await;
        let mut ids = [most.ids(), rest.ids()].concat();
        assert_eq!((most.ids().len(), rest.ids().len()), (200, 16));
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), 216, "no lead is on two pages");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn total_and_data_come_from_one_snapshot() {
    everywhere("D3 total and data come from the same snapshot", async |live| {
        let writer = {
            let live = live.clone();
            tokio::spawn(async move {
                for at in 0..120 {
                    if at % 30 == 0 {
                        live.world.wait(60);
                    }
                    let created = live
                        .raw(live.request(&post("D3 one more lead", json!({"client_id": "a-client-4", "name": "Ann"}))))
                        .await;
                    assert_eq!(live.raw(live.request(&delete("D3 one lead fewer", &created.id()))).await.status, 204);
                }
            })
        };
        while !writer.is_finished() {
            let list =
                live.raw(live.request(&get("D3 total and data come from the same snapshot", "/leads?limit=200"))).await;
            if list.status != 429 {
                assert_eq!(list.json()["total"], list.ids().len());
            }
        }
        writer.await.unwrap();
    })
    .await;
}
