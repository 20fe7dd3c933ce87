//! Tests that programs in other languages can use the mock and the fake: curl, and Python with only its standard
//! library.

use std::{
    process::{Command, Output},
    time::Duration,
};

use leadapi_testkit::{FakeLeadApi, MockLeadApi};

use crate::{
    answers::{ann, id},
    failures::fails,
};

/// Returns whether a program is installed, and prints a message if it is missing.
fn is_installed(program: &str) -> bool {
    let is_there = Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success());
    if !is_there {
        println!("skipped: {program} is not installed");
    }
    is_there
}

fn run(program: &str, arguments: &[&str]) -> Output {
    Command::new(program).args(arguments).env("NO_PROXY", "127.0.0.1").output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[tokio::test]
async fn curl() {
    if !is_installed("curl") {
        return;
    }
    let (mock, fake) = (MockLeadApi::start().await, FakeLeadApi::start().await);
    let body = r#"{"client_id":"casa-verde","name":"Ann"}"#;
    let create = |url: &str, token: &str| {
        let (url, token) = (format!("{url}/leads"), format!("Authorization: Bearer {token}"));
        let json = "Content-Type: application/json";
        run("curl", &["-sS", "-i", "--max-time", "60", "-H", &token, "-H", json, "-d", body, &url])
    };
    mock.on_create().with_name("Ann").returns(ann()).times(1);
    mock.on_create().returns(ann()).cut_after_half().any_times();
    let created = create(&mock.url(), mock.token().expose());
    let answer = text(&created.stdout);
    assert!(answer.starts_with("HTTP/1.1 201 Created\r\n"), "{answer}");
    assert!(answer.contains("\r\nlocation: /v1/leads/lead-1\r\n"), "{answer}");
    assert!(answer.ends_with(&serde_json::to_string(&ann()).unwrap()), "{answer}");
    let cut = create(&mock.url(), mock.token().expose());
    assert_eq!(cut.status.code(), Some(18), "curl must report a partial file: {cut:?}");
    mock.verify().await;

    let answer = create(&fake.url(), fake.token().expose());
    assert!(text(&answer.stdout).contains(r#""created_at":"2026-05-04T12:00:00.000Z"}"#), "{answer:?}");
    fake.rate_limited_until("2026-05-04T12:00:17Z".parse().unwrap());
    let answer = create(&fake.url(), fake.token().expose());
    assert!(text(&answer.stdout).contains("\r\nretry-after: 17\r\n"), "{answer:?}");
    fake.advance(Duration::from_secs(17)).drop_nth_response(1);
    assert_eq!(create(&fake.url(), fake.token().expose()).status.code(), Some(52), "curl must report an empty reply");
    let total = fake.client().leads().list(&leadapi_client::model::LeadQuery::new()).await.unwrap().total;
    assert_eq!(total, 5);
}

const SCRIPT: &str = r#"
import http.client, json, sys, urllib.error, urllib.request

def ask(url, token, method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    headers = {"Authorization": "Bearer " + token, "Content-Type": "application/json"}
    request = urllib.request.Request(url + path, data, headers, method=method)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=60) as answer:
            text = answer.read()
            return answer.status, json.loads(text) if text else None
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())
    except http.client.IncompleteRead as error:
        return "half", len(error.partial)
    except http.client.RemoteDisconnected:
        return "cut", None

mock, mock_token, fake, fake_token = sys.argv[1:]

status, lead = ask(mock, mock_token, "GET", "/leads/lead-1")
assert (status, lead["name"], lead["email"]) == (200, "Ann", None), (status, lead)
assert ask(mock, mock_token, "GET", "/leads/lead-1") == (500, {"error": "internal error"})
status, count = ask(mock, mock_token, "GET", "/leads/lead-1")
assert status == "half" and count > 50, (status, count)
assert ask(mock, mock_token, "GET", "/leads/lead-1") == ("cut", None)
assert ask(mock, mock_token, "DELETE", "/leads/lead-1") == (204, None)
status, error = ask(mock, mock_token, "PATCH", "/leads/lead-1", {"name": "Bob"})
assert status == 501 and list(error) == ["error"] and "PATCH /v1/leads/lead-1" in error["error"], (status, error)

status, lead = ask(fake, fake_token, "POST", "/leads", {"client_id": "casa-verde", "name": "Øyvind", "value": 59.5})
assert (status, lead["name"], lead["value"]) == (201, "Øyvind", 59.5), (status, lead)
status, lead = ask(fake, fake_token, "PATCH", "/leads/" + lead["id"], {"notes": "a\nb", "value": None})
assert (status, lead["notes"], lead["value"]) == (200, "a\nb", None), (status, lead)
status, page = ask(fake, fake_token, "GET", "/leads?limit=2&client_id=casa-verde")
assert (status, page["total"], len(page["data"]), page["data"][0]["id"]) == (200, 3, 2, lead["id"]), (status, page)
assert ask(fake, fake_token, "DELETE", "/leads/" + lead["id"]) == (204, None)
assert ask(fake, fake_token, "GET", "/leads/" + lead["id"]) == (404, {"error": "id: no such lead"})
assert ask(fake, "pak_wrong", "GET", "/leads")[0] == 401
statuses = [ask(fake, fake_token, "DELETE", "/leads/gone")[0] for _ in range(60)]
assert statuses == [404] * 57 + [429] * 3, statuses
print("done")
"#;

#[tokio::test]
async fn python() {
    if !is_installed("python3") {
        return;
    }
    let (mock, fake) = (MockLeadApi::start().await, FakeLeadApi::start().await);
    let stub = mock.on_get(&id()).returns(ann()).then().server_error();
    stub.then().returns(ann()).cut_after_half().then().cut_connection();
    mock.on_delete(&id()).returns(());
    let (mock_token, fake_token) = (mock.token().expose(), fake.token().expose());
    let output = run("python3", &["-c", SCRIPT, &mock.url(), mock_token, &fake.url(), fake_token]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(text(&output.stdout).trim(), "done");
    let unmet = fails(mock);
    assert!(!unmet.contains("unmet stubs") && unmet.contains("PATCH /v1/leads/lead-1"), "{unmet}");
}
