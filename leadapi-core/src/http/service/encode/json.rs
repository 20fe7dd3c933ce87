//! Direct serialization of leads into JSON bytes.
//!
//! Nearly all response bytes are leads, and a generic serializer checks each byte of a string for escaping. This module
//! first checks the whole string, eight bytes at a time, and copies it if nothing needs escaping. The output is
//! identical to serde's; a property test compares the two.

use std::sync::Arc;

use serde::Serialize;

use crate::{
    id::{ClientId, LeadId, PipelineId, StageId},
    model::{Amount, Lead, Page, Timestamp},
};

/// The approximate size of a lead in a list.
const ITEM_BYTES: usize = 384;

/// Writes a lead with its twelve fields.
pub(super) fn lead(lead: &Lead) -> Vec<u8> {
    let mut out = Vec::with_capacity(2 * ITEM_BYTES);
    write_lead(lead, &mut out);
    out
}

/// Writes a page of leads, each with the ten fields of a list item.
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

macro_rules! object {
    ($lead:ident, $out:ident, $first:ident $(, $field:ident)*) => {{
        $out.extend_from_slice(concat!("{\"", stringify!($first), "\":").as_bytes());
        $lead.$first.write($out);
        $(
            $out.extend_from_slice(concat!(",\"", stringify!($field), "\":").as_bytes());
            $lead.$field.write($out);
        )*
        $out.push(b'}');
    }};
}

#[rustfmt::skip]
fn write_lead(lead: &Lead, out: &mut Vec<u8>) {
    object!(lead, out, id, client_id, name, email, phone, source, notes, value, pipeline_id, stage_id, business_name, created_at);
}

fn write_item(lead: &Lead, out: &mut Vec<u8>) {
    object!(lead, out, id, client_id, name, email, phone, source, value, pipeline_id, stage_id, created_at);
}

trait Json {
    fn write(&self, out: &mut Vec<u8>);
}

impl Json for String {
    fn write(&self, out: &mut Vec<u8>) {
        text(self, out);
    }
}

macro_rules! ids {
    ($($id:ident)*) => {$(
        impl Json for $id {
            fn write(&self, out: &mut Vec<u8>) {
                text(self.as_str(), out);
            }
        }
    )*};
}

ids! { ClientId LeadId PipelineId StageId }

impl Json for Amount {
    fn write(&self, out: &mut Vec<u8>) {
        generic(self, out);
    }
}

impl Json for Timestamp {
    fn write(&self, out: &mut Vec<u8>) {
        out.push(b'"');
        out.extend_from_slice(&self.text());
        out.push(b'"');
    }
}

impl<T: Json> Json for Option<T> {
    fn write(&self, out: &mut Vec<u8>) {
        match self {
            Some(value) => value.write(out),
            None => out.extend_from_slice(b"null"),
        }
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
    /// Returns nonzero if any of the eight bytes is less than `byte`: the lowest such byte has its highest bit set.
    const fn less(word: u64, byte: u8) -> u64 {
        word.wrapping_sub(eight(byte)) & !word & eight(0x80)
    }
    const fn special(bytes: [u8; 8]) -> u64 {
        let word = u64::from_ne_bytes(bytes);
        less(word, b' ') | less(word ^ eight(b'"'), 1) | less(word ^ eight(b'\\'), 1)
    }
    match bytes.last_chunk() {
        // The last eight bytes may overlap the blocks. Checking a few bytes twice is faster than looping over the
        // remainder.
        Some(last) => bytes.as_chunks().0.iter().fold(special(*last), |any, block| any | special(*block)) != 0,
        None => bytes.iter().any(|byte| matches!(byte, ..b' ' | b'"' | b'\\')),
    }
}

fn generic(value: &(impl Serialize + ?Sized), out: &mut Vec<u8>) {
    let start = out.len();
    if serde_json::to_writer(&mut *out, value).is_err() {
        // Unreachable for text, finite numbers and integers. `null` keeps the output valid JSON in any case.
        out.truncate(start);
        out.extend_from_slice(b"null");
    }
}

#[cfg(test)]
mod tests {
    use proptest::{option, prelude::*};

    use super::*;
    use crate::model::{LeadItem, Window};

    fn any_text() -> impl Strategy<Value = String> {
        prop_oneof!["[ -~]{0,40}", "\\PC{0,40}", any::<String>(), "[\u{0}-\u{7f}]{0,40}"]
    }

    fn any_lead() -> impl Strategy<Value = Lead> {
        let id = "[!-~]{1,64}";
        let amount = prop_oneof![any::<i32>().prop_map(f64::from), any::<f64>()];
        let texts = [any_text(), any_text(), any_text(), any_text(), any_text()].map(option::of);
        let moment = 0_i64..253_402_300_799_999;
        (id, id, option::of((id, id)), any_text(), texts, option::of(amount), moment).prop_map(
            |(id, client, place, name, [email, phone, source, notes, business_name], value, at)| {
                let at = Timestamp::from_unix_millis(at).unwrap();
                let mut lead = Lead::new(id.parse().unwrap(), client.parse().unwrap(), name, at);
                lead.pipeline_id = place.as_ref().map(|(pipeline, _)| pipeline.parse().unwrap());
                lead.stage_id = place.as_ref().map(|(_, stage)| stage.parse().unwrap());
                lead.value = value.and_then(|value| Amount::try_from(value).ok());
                Lead { email, phone, source, notes, business_name, ..lead }
            },
        )
    }

    proptest! {
        #[test]
        fn it_is_what_serde_writes(leads in prop::collection::vec(any_lead(), 0..4), total: u64, offset in 0_u64..1 << 53) {
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
