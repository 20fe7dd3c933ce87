//! Parses a data set. An accepted data set can be loaded into a store, and is the same after it is written and parsed
//! again.
#![no_main]

use leadapi_core::dataset::Dataset;
use leadapi_memory::MemoryStore;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(dataset) = Dataset::parse(text) else { return };
    let written = serde_json::to_string(&dataset).expect("a data set is JSON");
    let again = Dataset::parse(&written).unwrap_or_else(|error| panic!("{error}: {written}"));
    assert_eq!(again, dataset);
    drop(MemoryStore::new(dataset));
});
