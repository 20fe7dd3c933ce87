//! Tests that programs in other languages can use a replay.

use std::process::{Command, Output};

use crate::traffic::short;

/// Returns the output. If the program is not installed, prints a message and returns `None`.
fn output(command: &mut Command) -> Option<Output> {
    match command.output() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            println!("skipped: {} is not installed", command.get_program().display());
            None
        }
        output => Some(output.unwrap()),
    }
}

#[tokio::test]
async fn curl() {
    let replay = short().replay().await;
    let curl = |key: &str, path: &str, body: Option<&str>| {
        let (authorization, key) =
            (format!("Authorization: Bearer {}", replay.token()), format!("Idempotency-Key: {key}"));
        let mut command = Command::new("curl");
        command.args([
            "--silent",
            "--show-error",
            "--noproxy",
            "*",
            "--max-time",
            "60",
            "--write-out",
            " %{http_code}",
        ]);
        command.args(["--header", authorization.as_str(), format!("{}{path}", replay.url()).as_str()]);
        if let Some(body) = body {
            command.args(["--header", "Content-Type: application/json", "--header", key.as_str(), "--data", body]);
        }
        output(&mut command).map(|output| String::from_utf8(output.stdout).unwrap())
    };
    let Some(created) = curl("a", "/leads", Some(r#"{ "name": "Ann", "client_id": "casa-verde" }"#)) else {
        replay.verify().unwrap_err();
        return;
    };
    assert!(created.contains(r#""id":"id-1""#) && created.ends_with(" 201"), "{created}");
    let wrong = curl("a", "/leads", Some(r#"{"name":"Bob","client_id":"casa-verde"}"#)).unwrap();
    assert!(wrong.starts_with(r#"{"error":"POST /v1/leads does not match"#) && wrong.ends_with(" 501"), "{wrong}");
    let created = curl("b", "/leads", Some(r#"{"client_id":"casa-verde","name":"Bob"}"#)).unwrap();
    assert!(created.ends_with(" 201"), "{created}");
    let listed = curl("", "/leads?offset=0&limit=50", None).unwrap();
    assert!(listed.contains(r#""total":3"#), "{listed}");
    let pipelines = curl("", "/pipelines?limit=50&offset=0", None).unwrap();
    assert!(pipelines.ends_with(" 200"), "{pipelines}");
    let message = replay.verify().unwrap_err().to_string();
    assert_eq!(message.lines().count(), 2, "only the wrong request: {message}");
}

const SCRIPT: &str = r#"
import json, sys, urllib.request
base, token = sys.argv[1:]
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
def ask(method, path, body=None, key=None):
    headers = {"Authorization": "Bearer " + token}
    if body is not None:
        headers["Content-Type"] = "application/json"
    if key:
        headers["Idempotency-Key"] = key
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(base + path, data=data, headers=headers, method=method)
    with opener.open(request, timeout=60) as response:
        return response.status, response.headers, json.load(response)
status, headers, lead = ask("POST", "/leads", {"name": "Ann", "client_id": "casa-verde"}, "row-1")
assert (status, headers["Location"]) == (201, "/v1/leads/" + lead["id"]), (status, headers)
ask("POST", "/leads", {"name": "Bob", "client_id": "casa-verde"}, "row-2")
names = [lead["name"] for lead in ask("GET", "/leads?limit=50&offset=0")[2]["data"]]
assert names == ["Bob", "Ann", "Ann"], names
ask("GET", "/pipelines?limit=50&offset=0")
print("done")
"#;

#[tokio::test]
async fn python() {
    let replay = short().replay().await;
    let Some(run) = output(Command::new("python3").args(["-c", SCRIPT, replay.url().as_str(), replay.token()])) else {
        replay.verify().unwrap_err();
        return;
    };
    assert_eq!(String::from_utf8_lossy(&run.stdout), "done\n", "{}", String::from_utf8_lossy(&run.stderr));
    replay.verify().unwrap();
}
