//! Direct serialization of leads into JSON bytes.
//!
//! Responses consist mostly of leads. A generic serializer checks every byte of a string for escaping. This module
//! checks eight bytes at a time and copies the whole string if nothing needs escaping. The output is identical to
//! serde's. A property test verifies this.

use std::sync::Arc;

use serde::Serialize;

use crate::{
    id::{PipelineId, StageId},
    model::{Lead, Page},
    validate::{LeadField, OPTIONAL_TEXTS, OptionalText, TEXTS_BEFORE_VALUE},
};

/// The approximate size of a list item in bytes, for sizing the buffer.
const ITEM_BYTES: usize = 384;

/// Serializes a lead with all fields.
pub(super) fn lead(lead: &Lead) -> Vec<u8> {
    let mut out = Vec::with_capacity(2 * ITEM_BYTES);
    write_lead(lead, &mut out);
    out
}

/// Serializes a page of leads, each with the fields of a list item.
pub(super) fn page(page: &Page<Arc<Lead>>) -> Vec<u8> {
    let mut out = Vec::with_capacity((page.data.len() + 1) * ITEM_BYTES);
    out.extend_from_slice(b"{\"data\":[");
    for (nth, lead) in page.data.iter().enumerate() {
        if nth > 0 {
            out.push(b',');
        }
        write_item(lead, &mut out);
    }
    out.push(b']');
    for (key, number) in
        [(&b",\"total\":"[..], page.total), (b",\"limit\":", page.limit.into()), (b",\"offset\":", page.offset)]
    {
        out.extend_from_slice(key);
        generic(&number, &mut out);
    }
    out.push(b'}');
    out
}

fn write_lead(lead: &Lead, out: &mut Vec<u8>) {
    object(lead, |_| true, out);
}

fn write_item(lead: &Lead, out: &mut Vec<u8>) {
    object(lead, LeadField::is_in_list, out);
}

/// Writes the fields of a lead, except the optional text fields for which `has` returns `false`.
fn object(lead: &Lead, has: impl Fn(LeadField) -> bool, out: &mut Vec<u8>) {
    let (before_value, after_stage) = OPTIONAL_TEXTS.split_at(TEXTS_BEFORE_VALUE);
    out.extend_from_slice(b"{\"id\":");
    text(lead.id.as_str(), out);
    out.extend_from_slice(b",\"client_id\":");
    text(lead.client_id.as_str(), out);
    out.extend_from_slice(b",\"name\":");
    text(&lead.name, out);
    texts(lead, before_value, &has, out);
    out.extend_from_slice(b",\"value\":");
    optional(lead.value.as_ref(), generic, out);
    out.extend_from_slice(b",\"pipeline_id\":");
    optional(lead.pipeline_id.as_ref().map(PipelineId::as_str), text, out);
    out.extend_from_slice(b",\"stage_id\":");
    optional(lead.stage_id.as_ref().map(StageId::as_str), text, out);
    texts(lead, after_stage, &has, out);
    out.extend_from_slice(b",\"created_at\":\"");
    out.extend_from_slice(&lead.created_at.to_ascii());
    out.extend_from_slice(b"\"}");
}

#[expect(clippy::inline_always, reason = "the compiler unrolls the loop only where it knows the table")]
#[inline(always)]
fn texts(lead: &Lead, fields: &[&'static OptionalText], has: impl Fn(LeadField) -> bool, out: &mut Vec<u8>) {
    for field in fields {
        if has(LeadField::Text(field)) {
            out.extend_from_slice(field.key().as_bytes());
            optional(field.get(lead), text, out);
        }
    }
}

fn optional<T>(value: Option<T>, write: impl FnOnce(T, &mut Vec<u8>), out: &mut Vec<u8>) {
    match value {
        Some(value) => write(value, out),
        None => out.extend_from_slice(b"null"),
    }
}

fn text(text: &str, out: &mut Vec<u8>) {
    if needs_escape(text.as_bytes()) {
        return generic(text, out);
    }
    out.reserve(text.len() + 2);
    out.push(b'"');
    out.extend_from_slice(text.as_bytes());
    out.push(b'"');
}

fn needs_escape(bytes: &[u8]) -> bool {
    const fn eight(byte: u8) -> u64 {
        u64::from_ne_bytes([byte; 8])
    }
    /// Returns nonzero if and only if one of the eight bytes is less than `byte`.
    const fn less(word: u64, byte: u8) -> u64 {
        word.wrapping_sub(eight(byte)) & !word & eight(0x80)
    }
    const fn special(bytes: [u8; 8]) -> u64 {
        let word = u64::from_ne_bytes(bytes);
        less(word, b' ') | less(word ^ eight(b'"'), 1) | less(word ^ eight(b'\\'), 1)
    }
    match bytes.last_chunk() {
        // The last eight bytes may overlap the last whole block. It is faster to check a few bytes twice than to loop
        // over the remainder.
        Some(last) => bytes.as_chunks().0.iter().fold(special(*last), |any, block| any | special(*block)) != 0,
        None => bytes.iter().any(|byte| matches!(byte, ..b' ' | b'"' | b'\\')),
    }
}

fn generic(value: &(impl Serialize + ?Sized), out: &mut Vec<u8>) {
    let start = out.len();
    if serde_json::to_writer(&mut *out, value).is_err() {
        // Serializing text, integers and finite numbers cannot fail. If it did, `null` would keep the output valid
        // JSON.
        out.truncate(start);
        out.extend_from_slice(b"null");
    }
}

#[cfg(test)]
mod tests {
    use proptest::{option, prelude::*};

    use super::*;
    use crate::model::{Amount, LeadItem, Timestamp, Window};

    fn any_text() -> impl Strategy<Value = String> {
        prop_oneof!["[ -~]{0,40}", "\\PC{0,40}", any::<String>(), "[\u{0}-\u{7f}]{0,40}"]
    }

    fn any_lead() -> impl Strategy<Value = Lead> {
        let id = "[!-~]{1,64}";
        let amount = prop_oneof![any::<i32>().prop_map(f64::from), any::<f64>()];
        let texts = OPTIONAL_TEXTS.map(|_| option::of(any_text()));
        let moment = 0_i64..253_402_300_799_999;
        (id, id, option::of((id, id)), any_text(), texts, option::of(amount), moment).prop_map(
            |(id, client, place, name, texts, value, at)| {
                let at = Timestamp::from_unix_millis(at).unwrap();
                let mut lead = Lead::new(id.parse().unwrap(), client.parse().unwrap(), name, at);
                lead.pipeline_id = place.as_ref().map(|(pipeline, _)| pipeline.parse().unwrap());
                lead.stage_id = place.as_ref().map(|(_, stage)| stage.parse().unwrap());
                lead.value = value.and_then(|value| Amount::try_from(value).ok());
                OPTIONAL_TEXTS.iter().zip(texts).for_each(|(field, text)| *field.get_mut(&mut lead) = text);
                lead
            },
        )
    }

    proptest! {
        #[test]
        fn the_output_equals_serde(leads in prop::collection::vec(any_lead(), 0..4), total: u64, offset in 0_u64..1 << 53) {
            for one in &leads {
                prop_assert_eq!(String::from_utf8(lead(one)).unwrap(), serde_json::to_string(one).unwrap());
            }
            let window = Window::new(7, offset).unwrap();
            let items = leads.iter().cloned().map(LeadItem::from).collect();
            let expected = serde_json::to_string(&Page::<LeadItem>::new(items, total, window)).unwrap();
            let leads = leads.into_iter().map(Arc::new).collect();
            prop_assert_eq!(String::from_utf8(page(&Page::new(leads, total, window))).unwrap(), expected);
        }
    }
}
