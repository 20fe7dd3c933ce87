//! Creates and updates a lead with arbitrary bytes as the body, and compares the response with the fields that
//! `serde_json` parses.
#![no_main]

use leadapi_fuzz::{secret, send};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fuzz_target!(|body: &[u8]| {
    let bearer = format!("Bearer {}", secret());
    let bearer = bearer.as_bytes();
    let parsed = serde_json::from_slice::<Value>(body);
    let created = send("POST", "/v1/leads", bearer, body).expect("a request");
    if created.status == 201 {
        let sent = parsed.as_ref().expect("an accepted body is JSON");
        agree(sent, &created.json());
        let path = format!("/v1/leads/{}", created.id());
        let read = send("GET", &path, bearer, b"").expect("a request");
        assert_eq!(read.body, created.body, "the response to a create is the stored lead");
        let patched = send("PATCH", &path, bearer, body).expect("a request");
        if patched.status == 200 {
            agree(sent, &patched.json());
        }
        assert_eq!(send("DELETE", &path, bearer, b"").expect("a request").status, 204);
    } else {
        assert!(created.status == 400 || created.status == 403, "{}", created.text());
        let patched = send("PATCH", "/v1/leads/lead-a1", bearer, body).expect("a request");
        assert_ne!(patched.status, 201);
    }
});

/// Checks that each field that was sent is in the response. The service trims strings, and empty strings become null.
fn agree(sent: &Value, lead: &Value) {
    for (name, value) in sent.as_object().expect("an accepted body is an object") {
        let expected = match value {
            Value::String(text) if text.trim().is_empty() => Value::Null,
            Value::String(text) => text.trim().into(),
            other => other.clone(),
        };
        let returned = lead.get(name).cloned().unwrap_or_default();
        let equal = match (&expected, &returned) {
            (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
            (Value::String(a), Value::String(b)) => a.trim() == b.trim(),
            (a, b) => a == b,
        };
        assert!(equal, "{name}: {value} became {returned}");
    }
}
