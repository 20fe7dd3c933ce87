//! A clean form, and for each code of a finding what is done to it to show that.

use leadapi_core::form::Code;
use serde_json::{Value, json};

/// A form with nothing to find.
pub(crate) fn clean() -> Value {
    json!({"form": {
        "client_id": "c1",
        "pages": [
            {"id": "a", "fields": [
                {"id": "kind", "type": "single_choice", "label": "Which?", "required": true, "options": [
                    {"id": "o1", "label": "One", "score": 1}, {"id": "o2", "label": "Two", "score": 2}]}]},
            {"id": "b", "fields": [
                {"id": "age", "type": "number", "label": "How old is {kind}?", "required": true, "min": 18}]},
            {"id": "c", "fields": [
                {"id": "name", "type": "short_text", "label": "Your name?", "required": true, "mappedKey": "name"},
                {"id": "mail", "type": "email", "label": "Your address?", "required": true, "mappedKey": "email"}]}],
        "logic": {"rules": [
            {"id": "r0", "name": "No", "fromPageId": "a", "then": {"kind": "jump", "target": "end:no"}, "outerOp": "OR",
                "groups": [{"op": "AND", "conds": [{"fieldId": "kind", "op": "equals", "value": "o2"}]}]},
            {"id": "r1", "name": "__fallback__", "fromPageId": "a", "then": {"kind": "jump", "target": "b"},
                "outerOp": "OR", "groups": []},
            {"id": "r2", "name": "Old", "fromPageId": "c", "then": {"kind": "jump", "target": "end:call"}, "outerOp": "OR",
                "groups": [{"op": "AND", "conds": [{"fieldId": "age", "op": "gt", "value": 60}]}]}]},
        "settings": {"endings": [
            {"id": "thanks", "message": "Thank you, {name}.", "createsLead": true},
            {"id": "call", "message": "We call you.", "createsLead": true},
            {"id": "no", "message": "Sorry.", "createsLead": false}]},
        "theme": {"bgColor": "#ffffff", "textColor": "#222222"}}})
}

pub(crate) fn question(record: &mut Value, page: usize, question: Value) {
    record["form"]["pages"][page]["fields"].as_array_mut().unwrap().push(question);
}

pub(crate) fn rule(record: &mut Value, rule: Value) {
    record["form"]["logic"]["rules"].as_array_mut().unwrap().push(rule);
}

pub(crate) fn jump(from: &str, to: &str, conditions: Value) -> Value {
    json!({"id": "new", "name": "New", "fromPageId": from, "then": {"kind": "jump", "target": to}, "outerOp": "OR",
        "groups": [{"op": "AND", "conds": conditions}]})
}

pub(crate) fn published(mut record: Value) -> Value {
    let form = &record["form"];
    let names = ["logic", "pages", "theme", "settings"];
    let snapshot = names.iter().map(|name| ((*name).to_owned(), form[*name].clone())).collect();
    record["form"]["live_snapshot"] = Value::Object(snapshot);
    record
}

/// How each code is shown: the place, and what is done to the clean form.
#[expect(clippy::too_many_lines, reason = "it is a table")]
pub(crate) fn showcase(code: Code) -> (&'static str, Value) {
    let mut record = clean();
    let form = &mut record["form"];
    let place = match code {
        Code::DuplicatePageId => {
            let copy = json!({"id": "c", "fields": []});
            form["pages"].as_array_mut().unwrap().push(copy);
            "/form/pages/3/id"
        }
        Code::DuplicateQuestionId => {
            question(&mut record, 2, json!({"id": "age", "type": "number", "label": "Again?"}));
            "/form/pages/2/fields/2/id"
        }
        Code::DuplicateOptionId => {
            form["pages"][0]["fields"][0]["options"].as_array_mut().unwrap().push(json!({"id": "o1", "label": "Too"}));
            "/form/pages/0/fields/0/options/2/id"
        }
        Code::DuplicateEndingId => {
            form["settings"]["endings"].as_array_mut().unwrap().push(json!({"id": "no", "createsLead": false}));
            "/form/settings/endings/3/id"
        }
        Code::QuestionWithoutId => {
            question(&mut record, 2, json!({"type": "number", "label": "Again?"}));
            "/form/pages/2/fields/2"
        }
        Code::OptionWithoutId => {
            form["pages"][0]["fields"][0]["options"].as_array_mut().unwrap().push(json!({"id": " ", "label": "Too"}));
            "/form/pages/0/fields/0/options/2"
        }
        Code::NoQuestions => {
            form["pages"] = json!([]);
            form["logic"] = json!({});
            form["settings"] = json!({});
            "/form"
        }
        Code::RequiredChoiceWithoutOptions => {
            // On a way of its own, so that leads are still made.
            form["pages"].as_array_mut().unwrap().push(
                json!({"id": "d", "fields": [{"id": "x", "type": "single_choice", "label": "X?", "required": true}]}),
            );
            rule(
                &mut record,
                json!({"name": "__fallback__", "fromPageId": "c",
                "then": {"kind": "jump", "target": "end:thanks"}}),
            );
            rule(&mut record, jump("b", "d", json!([{"fieldId": "age", "op": "equals", "value": 99}])));
            "/form/pages/3/fields/0/options"
        }
        Code::TargetPageMissing => {
            form["logic"]["rules"][0]["then"]["target"] = json!("nowhere");
            "/form/logic/rules/0/then/target"
        }
        Code::TargetEndingMissing => {
            form["logic"]["rules"][0]["then"]["target"] = json!("end:nowhere");
            "/form/logic/rules/0/then/target"
        }
        Code::ConditionQuestionMissing => {
            form["logic"]["rules"][0]["groups"][0]["conds"][0]["fieldId"] = json!("nobody");
            "/form/logic/rules/0/groups/0/conds/0/fieldId"
        }
        Code::ConditionOptionMissing => {
            form["logic"]["rules"][0]["groups"][0]["conds"][0]["value"] = json!("o9");
            "/form/logic/rules/0/groups/0/conds/0/value"
        }
        Code::EndlessWalk => {
            form["logic"]["rules"][2]["then"]["target"] = json!("b");
            "/form/pages/1"
        }
        Code::NoLeadEnding => {
            for ending in form["settings"]["endings"].as_array_mut().unwrap() {
                ending["createsLead"] = json!(false);
            }
            "/form/settings/endings"
        }
        Code::LeadWithoutName => {
            form["pages"][2]["fields"][0]["required"] = json!(false);
            form["pages"][2]["fields"][1]["required"] = json!(false);
            "/form"
        }
        Code::ClientMissing => {
            form["client_id"] = Value::Null;
            "/form/client_id"
        }
        Code::UnknownPlaceholder => {
            form["settings"]["endings"][0]["message"] = json!("Thank you, {nmae}.");
            "/form/settings/endings/0/message"
        }
        Code::UnexpectedType => {
            form["pages"][1]["fields"][0]["min"] = json!("18");
            "/form/pages/1/fields/0/min"
        }
        Code::PageWithoutId => {
            form["pages"][1]["id"] = Value::Null;
            form["logic"]["rules"].as_array_mut().unwrap().remove(1);
            "/form/pages/1"
        }
        Code::PageIdLikeEnding => {
            form["pages"][1]["id"] = json!("end:b");
            form["logic"]["rules"].as_array_mut().unwrap().remove(1);
            "/form/pages/1/id"
        }
        Code::EndingWithoutId => {
            form["settings"]["endings"][0]["id"] = Value::Null;
            "/form/settings/endings/0"
        }
        Code::DuplicateRuleId => {
            form["logic"]["rules"][1]["id"] = json!("r0");
            "/form/logic/rules/1/id"
        }
        Code::FieldsAndPages => {
            form["fields"] = json!([{"id": "x", "type": "number", "label": "X?"}]);
            "/form/fields"
        }
        Code::UnknownQuestionType => {
            question(&mut record, 2, json!({"id": "x", "type": "rating", "label": "X?"}));
            "/form/pages/2/fields/2/type"
        }
        Code::LabelEmpty => {
            form["pages"][1]["fields"][0]["label"] = json!(" ");
            "/form/pages/1/fields/0/label"
        }
        Code::OptionLabelEmpty => {
            form["pages"][0]["fields"][0]["options"][1]["label"] = json!("");
            "/form/pages/0/fields/0/options/1/label"
        }
        Code::ChoiceWithoutOptions => {
            question(&mut record, 2, json!({"id": "x", "type": "single_choice", "label": "X?"}));
            "/form/pages/2/fields/2/options"
        }
        Code::ScoreNotInteger => {
            form["pages"][0]["fields"][0]["options"][1]["score"] = json!(2.5);
            "/form/pages/0/fields/0/options/1/score"
        }
        Code::FromPageMissing => {
            form["logic"]["rules"][0]["fromPageId"] = json!("nowhere");
            "/form/logic/rules/0/fromPageId"
        }
        Code::UnknownJump => {
            form["logic"]["rules"][0]["then"]["kind"] = json!("popup");
            "/form/logic/rules/0/then/kind"
        }
        Code::UnknownOperator => {
            form["logic"]["rules"][0]["groups"][0]["conds"][0]["op"] = json!("contains");
            "/form/logic/rules/0/groups/0/conds/0/op"
        }
        Code::UnknownJoin => {
            form["logic"]["rules"][0]["groups"][0]["op"] = json!("XOR");
            "/form/logic/rules/0/groups/0/op"
        }
        Code::ValueMismatch => {
            form["logic"]["rules"][2]["groups"][0]["conds"][0]["value"] = json!("sixty");
            "/form/logic/rules/2/groups/0/conds/0/value"
        }
        Code::GtOnNonNumber => {
            form["logic"]["rules"][0]["groups"][0]["conds"][0]["op"] = json!("gt");
            "/form/logic/rules/0/groups/0/conds/0/op"
        }
        Code::RuleWithoutConditions => {
            form["logic"]["rules"][2]["groups"] = json!([]);
            "/form/logic/rules/2"
        }
        Code::DuplicateFallback => {
            let copy = json!({"name": "__fallback__", "fromPageId": "a", "then": {"kind": "jump", "target": "c"}});
            rule(&mut record, copy);
            "/form/logic/rules/3"
        }
        Code::FallbackWithConditions => {
            form["logic"]["rules"][1]["groups"] = form["logic"]["rules"][0]["groups"].clone();
            form["logic"]["rules"][1]["groups"][0]["conds"][0]["value"] = json!("o1");
            "/form/logic/rules/1/groups"
        }
        Code::ConditionOnLaterPage => {
            form["logic"]["rules"][0]["groups"][0]["conds"][0] = json!({"fieldId": "age", "op": "gt", "value": 20});
            "/form/logic/rules/0/groups/0/conds/0/fieldId"
        }
        Code::RuleNeverMatches => {
            form["logic"]["rules"][2]["groups"][0]["conds"][0] = json!({"fieldId": "age", "op": "equals", "value": 17});
            "/form/logic/rules/2"
        }
        Code::RuleShadowed => {
            rule(&mut record, jump("c", "end:no", json!([{"fieldId": "age", "op": "gt", "value": 70}])));
            "/form/logic/rules/3"
        }
        Code::PageUnreachable => {
            form["pages"].as_array_mut().unwrap().push(json!({"id": "d", "fields": []}));
            rule(
                &mut record,
                json!({"name": "__fallback__", "fromPageId": "c",
                "then": {"kind": "jump", "target": "end:thanks"}}),
            );
            "/form/pages/3"
        }
        Code::PageInfeasible => {
            form["pages"].as_array_mut().unwrap().push(json!({"id": "d", "fields": []}));
            rule(
                &mut record,
                json!({"name": "__fallback__", "fromPageId": "c",
                "then": {"kind": "jump", "target": "end:thanks"}}),
            );
            rule(&mut record, jump("b", "d", json!([{"fieldId": "age", "op": "equals", "value": 3}])));
            "/form/pages/3"
        }
        Code::EndingUnreachable => {
            form["settings"]["endings"].as_array_mut().unwrap().push(json!({"id": "x", "createsLead": true}));
            "/form/settings/endings/3"
        }
        Code::EndingInfeasible => {
            form["settings"]["endings"].as_array_mut().unwrap().push(json!({"id": "x", "createsLead": true}));
            rule(&mut record, jump("b", "end:x", json!([{"fieldId": "age", "op": "equals", "value": 3}])));
            "/form/settings/endings/3"
        }
        Code::LeadWithoutContact => {
            form["pages"][2]["fields"][1]["required"] = json!(false);
            "/form"
        }
        Code::MappedTwice => {
            question(&mut record, 1, json!({"id": "x", "type": "email", "label": "X?", "mappedKey": "email"}));
            "/form/pages/2/fields/1/mappedKey"
        }
        Code::ReservedKey => {
            form["pages"][1]["fields"][0]["mappedKey"] = json!("stage_id");
            "/form/pages/1/fields/0/mappedKey"
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
        Code::UnknownMember => {
            form["pages"][1]["fields"][0]["a/b"] = json!(1);
            "/form/pages/1/fields/0/a~1b"
        }
        Code::PageWithoutQuestions => {
            form["pages"].as_array_mut().unwrap().push(json!({"id": "d", "fields": []}));
            "/form/pages/3"
        }
        Code::SingleOption => {
            question(
                &mut record,
                2,
                json!({"id": "x", "type": "single_choice", "label": "X?", "options": [
                {"id": "ok", "label": "I agree"}]}),
            );
            "/form/pages/2/fields/2/options"
        }
        Code::OptionsOnOtherType => {
            form["pages"][1]["fields"][0]["options"] = json!([{"id": "x"}]);
            "/form/pages/1/fields/0/options"
        }
        Code::MinOnOtherType => {
            form["pages"][0]["fields"][0]["min"] = json!(1);
            "/form/pages/0/fields/0/min"
        }
        Code::EmptyGroup => {
            form["logic"]["rules"][0]["groups"].as_array_mut().unwrap().push(json!({"op": "AND", "conds": []}));
            "/form/logic/rules/0/groups/1"
        }
        Code::ValueIgnored => {
            question(&mut record, 2, json!({"id": "x", "type": "short_text", "label": "X?"}));
            rule(&mut record, jump("c", "end:no", json!([{"fieldId": "x", "op": "is_filled", "value": "y"}])));
            "/form/logic/rules/3/groups/0/conds/0/value"
        }
        Code::FallbackNotLast => {
            form["logic"]["rules"].as_array_mut().unwrap().swap(0, 1);
            "/form/logic/rules/0"
        }
        Code::FallbackNeverUsed => {
            let all = json!([{"fieldId": "kind", "op": "equals", "value": "o1"}]);
            rule(&mut record, jump("a", "b", all));
            "/form/logic/rules/1"
        }
        Code::ConditionMaybeUnasked => {
            rule(
                &mut record,
                json!({"id": "r3", "name": "Skip", "fromPageId": "a", "outerOp": "OR",
                "then": {"kind": "jump", "target": "c"},
                "groups": [{"op": "AND", "conds": [{"fieldId": "free", "op": "is_filled"}]}]}),
            );
            question(&mut record, 0, json!({"id": "free", "type": "short_text", "label": "Free?"}));
            "/form/logic/rules/2/groups/0/conds/0/fieldId"
        }
        Code::ConditionAlwaysTrue => {
            form["logic"]["rules"][2]["groups"][0]["conds"]
                .as_array_mut()
                .unwrap()
                .push(json!({"fieldId": "name", "op": "is_filled"}));
            "/form/logic/rules/2/groups/0/conds/1"
        }
        Code::RuleSameAsDefault => {
            rule(&mut record, jump("b", "c", json!([{"fieldId": "age", "op": "gt", "value": 50}])));
            "/form/logic/rules/3"
        }
        Code::UndecidedRule => {
            rule(&mut record, jump("b", "end:no", json!([{"fieldId": "age", "op": "lt", "value": 20}])));
            "/form/logic/rules/3"
        }
        Code::BudgetExceeded => {
            // Fourteen questions of two answers each, and a rule at the end that looks at all of them.
            let ids: Vec<String> = (0..14).map(|number| format!("x{number}")).collect();
            for id in &ids {
                question(&mut record, 1, json!({"id": id, "type": "short_text", "label": "X?"}));
            }
            let all = ids.iter().map(|id| json!({"fieldId": id, "op": "is_filled"})).collect();
            rule(&mut record, jump("c", "end:no", all));
            "/form"
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
            record = published(record);
            record["form"]["pages"][0]["title"] = json!("New");
            "/form/pages"
        }
        Code::SnapshotHasDefaultSlug => {
            record = published(record);
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
        other => panic!("{other} has no form that shows it"),
    };
    (place, record)
}
