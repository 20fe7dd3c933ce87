//! Forms with a fault in the lead, a text, an ending, the settings or the theme.

use leadapi_form::Code;
use serde_json::{Value, json};

use super::{published, question};

/// Plants the fault for this code and returns the finding's pointer. Returns `None` if the code belongs to another
/// module.
#[expect(clippy::too_many_lines, reason = "it is a table")]
pub(super) fn plant(code: Code, record: &mut Value) -> Option<&'static str> {
    let form = &mut record["form"];
    Some(match code {
        Code::DuplicateEndingId => {
            form["settings"]["endings"].as_array_mut().unwrap().push(json!({"id": "no", "createsLead": false}));
            "/form/settings/endings/3/id"
        }
        Code::ClientMissing => {
            form["client_id"] = Value::Null;
            "/form/client_id"
        }
        Code::UnknownPlaceholder => {
            form["settings"]["endings"][0]["message"] = json!("Thank you, {nmae}.");
            "/form/settings/endings/0/message"
        }
        Code::EndingWithoutId => {
            form["settings"]["endings"][0]["id"] = Value::Null;
            "/form/settings/endings/0"
        }
        Code::MappedTwice => {
            question(record, 1, json!({"id": "x", "type": "email", "label": "X?", "mappedKey": "email"}));
            "/form/pages/2/fields/1/mappedKey"
        }
        Code::ReservedKey => {
            form["pages"][1]["fields"][0]["mappedKey"] = json!("stage_id");
            "/form/pages/1/fields/0/mappedKey"
        }
        Code::MisspeltKey => {
            form["pages"][1]["fields"][0]["mappedKey"] = json!("vlaue");
            "/form/pages/1/fields/0/mappedKey"
        }
        Code::ContactWithoutKey => {
            question(record, 2, json!({"id": "x", "type": "phone", "label": "X?"}));
            "/form/pages/2/fields/2/mappedKey"
        }
        Code::OptionWithoutValue => {
            form["pages"][0]["fields"][0]["mappedKey"] = json!("value");
            form["pages"][0]["fields"][0]["options"][0]["value"] = json!(5000);
            "/form/pages/0/fields/0/options/1/value"
        }
        Code::StageMalformed => {
            form["settings"]["endings"][0]["stageId"] = json!("two words");
            "/form/settings/endings/0/stageId"
        }
        Code::UnknownPipeline => {
            form["logic"]["rules"][2]["then"]["pipelineId"] = json!("p2");
            "/form/logic/rules/2/then/pipelineId"
        }
        Code::UnknownStage => {
            form["settings"]["endings"][0]["pipelineId"] = json!("p1");
            form["settings"]["endings"][0]["stageId"] = json!("s2");
            "/form/settings/endings/0/stageId"
        }
        Code::KeyWithBlanks => {
            form["pages"][1]["fields"][0]["mappedKey"] = json!("age ");
            "/form/pages/1/fields/0/mappedKey"
        }
        Code::EmailKeyOnOtherType => {
            form["pages"][2]["fields"][1]["type"] = json!("short_text");
            "/form/pages/2/fields/1/mappedKey"
        }
        Code::PhoneKeyOnOtherType => {
            form["pages"][1]["fields"][0]["mappedKey"] = json!("phone");
            "/form/pages/1/fields/0/mappedKey"
        }
        Code::ValueKeyOnOtherType => {
            form["pages"][0]["fields"][0]["mappedKey"] = json!("value");
            "/form/pages/0/fields/0/mappedKey"
        }
        Code::PipelineMalformed => {
            form["target_pipeline_id"] = json!("two words");
            "/form/target_pipeline_id"
        }
        Code::PlaceholderNotYetAsked => {
            form["pages"][0]["fields"][0]["label"] = json!("Which, {name}?");
            "/form/pages/0/fields/0/label"
        }
        Code::UnbalancedBrace => {
            form["pages"][0]["fields"][0]["label"] = json!("Which?}");
            "/form/pages/0/fields/0/label"
        }
        Code::UnknownEndingKind => {
            form["settings"]["endings"][0]["kind"] = json!("quiz");
            "/form/settings/endings/0/kind"
        }
        Code::UnknownCalendarProvider => {
            form["settings"]["endings"][0]["calendarProvider"] = json!("other");
            "/form/settings/endings/0/calendarProvider"
        }
        Code::CalendarWithoutSlug => {
            form["settings"]["endings"][0]["kind"] = json!("calendar");
            "/form/settings/endings/0/calendarSlug"
        }
        Code::BadRedirectUrl => {
            form["settings"]["redirectUrl"] = json!("javascript:alert(1)");
            "/form/settings/redirectUrl"
        }
        Code::MetaEventWithoutPixel => {
            form["settings"]["endings"][0]["metaEvent"] = json!({"name": "Lead"});
            "/form/settings/endings/0/metaEvent"
        }
        Code::VerifyEmailWithoutEmail => {
            form["pages"][2]["fields"][1]["type"] = json!("short_text");
            form["settings"]["verifyEmail"] = json!(true);
            "/form/settings/verifyEmail"
        }
        Code::VerifyPhoneWithoutPhone => {
            form["settings"]["verifyPhone"] = json!(true);
            "/form/settings/verifyPhone"
        }
        Code::AutoBookQuestionMissing => {
            form["settings"]["autoBookFieldId"] = json!("nobody");
            "/form/settings/autoBookFieldId"
        }
        Code::NeverPublished => {
            form["is_active"] = json!(true);
            "/form/live_snapshot"
        }
        Code::CreatesLeadAbsent => {
            form["settings"]["endings"][0].as_object_mut().unwrap().remove("createsLead");
            "/form/settings/endings/0"
        }
        Code::PlaceholderSamePage => {
            form["pages"][2]["fields"][1]["label"] = json!("{name}, your address?");
            "/form/pages/2/fields/1/label"
        }
        Code::PlaceholderMaybeUnanswered => {
            form["pages"][0]["fields"][0]["required"] = json!(false);
            "/form/pages/1/fields/0/label"
        }
        Code::BookingUrlUnused => {
            form["settings"]["endings"][0]["postBookingRedirectUrl"] = json!("https://example.org");
            "/form/settings/endings/0/postBookingRedirectUrl"
        }
        Code::Inactive => {
            form["is_active"] = json!(false);
            "/form/is_active"
        }
        Code::DraftDiffers => {
            *record = published(record.take());
            record["form"]["pages"][0]["title"] = json!("New");
            "/form/pages"
        }
        Code::SnapshotHasDefaultSlug => {
            *record = published(record.take());
            record["form"]["live_snapshot"]["settings"]["defaultBookingSlug"] = json!("slug");
            "/form/live_snapshot/settings/defaultBookingSlug"
        }
        Code::BadColour => {
            form["theme"]["primaryColor"] = json!("red");
            "/form/theme/primaryColor"
        }
        Code::LowContrast => {
            form["theme"]["textColor"] = json!("#999999");
            "/form/theme/textColor"
        }
        _ => return None,
    })
}
