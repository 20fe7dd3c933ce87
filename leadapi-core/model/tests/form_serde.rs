//! Tests of records inside a host's types, of rejected input, and of deep nesting.

use leadapi_model::form::{Field, FormRecord, Number, Raw};
use serde::{Deserialize, Serialize};

const SAMPLE: &str = include_str!("data/form.json");
const NUMBERS: &str = r#"{"form":{"live_version":10.0,"a":12345678901234567890123},"b":[-0,1E+2,1e400]}"#;
const DEEP: usize = 200_000;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct DataSet {
    forms: Vec<FormRecord>,
}

fn read(text: &str) -> serde_json::Result<FormRecord> {
    serde_json::from_str(text)
}

#[test]
fn a_record_is_read_from_text_bytes_and_readers() {
    let text = format!(r#"{{"forms":[{NUMBERS},{{}},{}]}}"#, serde_json::to_string(&read(SAMPLE).unwrap()).unwrap());
    let set: DataSet = serde_json::from_str(&text).unwrap();
    assert_eq!(serde_json::from_slice::<DataSet>(text.as_bytes()).unwrap(), set);
    assert_eq!(serde_json::from_reader::<_, DataSet>(text.as_bytes()).unwrap(), set);
    assert_eq!(serde_json::to_string(&set).unwrap(), text);
    let pretty = serde_json::to_string_pretty(&set).unwrap();
    assert_eq!(serde_json::from_str::<DataSet>(&pretty).unwrap(), set);
}

#[test]
fn a_serde_json_value_is_read_after_its_rounding() {
    let value: serde_json::Value = serde_json::from_str(SAMPLE).unwrap();
    let record: FormRecord = serde_json::from_value(value.clone()).unwrap();
    assert_eq!(record, read(SAMPLE).unwrap());
    assert_eq!(serde_json::to_value(&record).unwrap(), value);
    assert!(serde_json::from_value::<FormRecord>(serde_json::json!([])).is_err());
    assert!(serde_json::to_value(read(NUMBERS).unwrap()).is_err(), "a `Value` cannot represent 1e400");
}

#[test]
fn a_buffering_type_gets_an_error() {
    #[derive(Debug, Deserialize)]
    struct Flat {
        #[serde(flatten)]
        _record: FormRecord,
    }

    #[derive(Debug, Deserialize)]
    #[serde(untagged)]
    enum Either {
        Record { _record: FormRecord },
    }

    assert!(serde_json::from_str::<Flat>(NUMBERS).is_err());
    assert!(serde_json::from_str::<Either>(&format!(r#"{{"_record":{NUMBERS}}}"#)).is_err());
}

#[test]
fn only_invalid_json_and_non_objects_are_refused() {
    for bad in ["", "null", "7", "\"{}\"", "[]", "[{}]", "{", "{}{}", "{\"a\":01}", "{\"a\":1,}", "{'a':1}"] {
        assert!(read(bad).is_err(), "{bad:?}");
    }
    let text = SAMPLE.trim_end();
    for end in (0..text.len()).step_by(61) {
        assert!(read(&text[..end]).is_err(), "cut at {end}");
    }
    for bad in [&b"{\"a\":\"\xff\"}"[..], b"{\"form\":{\"name\":\"\xc3\"}}", b"\xef\xbb\xbf{}"] {
        assert!(serde_json::from_slice::<FormRecord>(bad).is_err());
    }
}

#[test]
fn lone_surrogates_are_kept_except_in_names_at_the_root() {
    for good in [r#"{"form":{"name":"\ud800"}}"#, r#"{"form":{"\udc00":1}}"#, r#"{"a":{"\ud800":"\ud800"}}"#] {
        assert_eq!(serde_json::to_string(&read(good).unwrap()).unwrap(), good);
    }
    assert!(read(r#"{"\ud800":1}"#).is_err());
}

#[test]
fn deep_nesting_does_not_overflow_the_stack() {
    let deep = format!("{}1e400{}", r#"[{"a":"#.repeat(DEEP), "}]".repeat(DEEP));
    for text in [
        format!(r#"{{"form":{deep}}}"#),
        format!(r#"{{"form":{{"pages":[{{"id":{deep}}},{deep}],"live_version":{deep}}}}}"#),
        format!(r#"{{"a":{deep}}}"#),
    ] {
        let record = read(&text).unwrap();
        assert_eq!(record, serde_json::from_reader(text.as_bytes()).unwrap());
        assert_eq!(serde_json::to_string(&record.clone()).unwrap(), text);
        assert!(format!("{record:?}").len() > text.len());
    }
    assert!(read(&format!(r#"{{"a":{}"#, "[".repeat(DEEP))).is_err());
}

#[test]
fn fields_work_in_host_types() {
    #[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
    struct Host {
        #[serde(default, skip_serializing_if = "Field::is_absent")]
        score: Field<Number>,
    }

    for text in ["{}", r#"{"score":null}"#, r#"{"score":10.0}"#, r#"{"score":"10"}"#] {
        let host: Host = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&host).unwrap(), text);
    }
}

#[test]
fn whitespace_is_ignored_in_comparisons() {
    let one = read(r#"{ "a" : [ 1, "b c" ] , "form" : { "pages" : [ ] } }"#).unwrap();
    assert_eq!(one, read(r#"{"a":[1,"b c"],"form":{"pages":[]}}"#).unwrap());
    assert_eq!(one.extra["a"], Raw::parse(r#"[1,"b c"]"#).unwrap());
}
