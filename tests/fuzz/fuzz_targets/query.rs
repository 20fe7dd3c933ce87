//! Lists leads, pipelines and client accounts with an arbitrary query.
#![no_main]

use leadapi_fuzz::{secret, send};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|query: &str| {
    let bearer = format!("Bearer {}", secret());
    for path in ["/v1/leads", "/v1/pipelines", "/v1/clients"] {
        let Some(response) = send("GET", &format!("{path}?{query}"), bearer.as_bytes(), b"") else { return };
        if response.status != 200 {
            continue;
        }
        let page = response.json();
        // A page states its window: the limit and the offset.
        let given = |name: &str| {
            let mut pairs = form_urlencoded::parse(query.split('#').next().unwrap_or_default().as_bytes());
            pairs.find(|(key, _)| key == name).and_then(|(_, value)| value.parse::<u64>().ok())
        };
        let limit = page["limit"].as_u64().expect("a limit");
        assert_eq!(limit, given("limit").unwrap_or(50));
        assert!((1..=200).contains(&limit));
        assert_eq!(page["offset"].as_u64(), Some(given("offset").unwrap_or(0)));
        let (count, total) = (page["data"].as_array().expect("records").len() as u64, page["total"].as_u64());
        assert!(count <= limit && Some(count) <= total);
    }
});
