//! Tests of the sample record, accessed through its types, and of a record built in code.
#![allow(clippy::unwrap_used, reason = "a failed helper fails its test")]

use leadapi_model::form::{
    CalendarProvider, Condition, EndingKind, Entry, Field, Form, FormRecord, GroupOp, JumpKind, List, Number, Operand,
    Operator, Page, Question, QuestionType, Raw, Rule,
};

fn sample() -> FormRecord {
    serde_json::from_str(include_str!("data/form.json")).unwrap()
}

fn form(record: &FormRecord) -> &Form {
    record.form.get().unwrap()
}

fn texts<'a, T>(items: impl Iterator<Item = &'a T>, field: fn(&'a T) -> &'a Field<String>) -> Vec<&'a str> {
    items.map(|item| field(item).as_str().unwrap()).collect()
}

fn integer(number: &Field<Number>) -> Option<i64> {
    number.get()?.as_i64()
}

#[test]
fn the_members_of_the_form() {
    let record = sample();
    let form = form(&record);
    assert_eq!(form.name.as_str(), Some("Home care check"));
    assert_eq!(form.is_active.get(), Some(&true));
    assert_eq!(integer(&form.live_version), Some(3));
    assert_eq!(form.target_pipeline_id.as_str(), Some("019bb18a-75c0-709b-bb7b-78b1e6989752"));
    assert_eq!(form.fields.get().map(Vec::len), Some(0));
    assert_eq!(record.client.get().unwrap().company_name.as_str(), Some("Example Care Ltd"));
    assert_eq!(record.capi.get().unwrap().preset_id.as_str(), Some("preset_lead_default"));
}

#[test]
fn pages_questions_and_options() {
    let record = sample();
    let pages = &form(&record).pages;
    assert_eq!(
        texts(pages.items(), |page| &page.title),
        [
            "Who is it for?",
            "A few details",
            "What is needed?",
            "How much time?",
            "Live-in care",
            "Where?",
            "Almost done"
        ]
    );
    let questions: Vec<&Question> = pages.items().flat_map(|page| page.fields.items()).collect();
    let kinds: Vec<&QuestionType> = questions.iter().filter_map(|question| question.kind.get()).collect();
    for kind in ["single_choice", "short_text", "email", "phone", "number"] {
        assert!(kinds.contains(&&QuestionType::from(kind)), "{kind}");
    }
    assert!(!kinds.iter().any(|kind| matches!(kind, QuestionType::Other(_))));

    let recipient = questions[0];
    assert_eq!(recipient.label.as_str(), Some("Who needs support at home?"));
    assert_eq!(recipient.mapped_key.as_str(), Some("recipient"));
    assert_eq!(recipient.mapped_key_manual.get(), Some(&true));
    assert!(recipient.min.is_absent());
    assert_eq!(texts(recipient.options.items(), |choice| &choice.id), ["o_mother", "o_father", "o_partner", "o_self"]);
    assert_eq!(recipient.options.items().filter_map(|choice| integer(&choice.score)).collect::<Vec<_>>(), [5, 5, 5, 3]);
    assert_eq!(questions[1].min.as_number().and_then(Number::as_i64), Some(18));
    assert!(questions[1].options.is_absent());
}

#[test]
fn rules_their_groups_and_their_targets() {
    let record = sample();
    let rules: Vec<&Rule> = form(&record).logic.get().unwrap().rules.items().collect();
    let jumps: Vec<_> = rules.iter().map(|rule| rule.then.get().unwrap()).collect();
    assert!(jumps.iter().all(|jump| jump.kind.get() == Some(&JumpKind::Jump)));
    assert_eq!(
        texts(jumps.into_iter(), |jump| &jump.target),
        [
            "end:end_not_served",
            "pg_livein",
            "pg_hours",
            "pg_livein",
            "pg_location",
            "end:end_not_served",
            "pg_location",
            "end:end_booking",
            "end:end_thanks"
        ]
    );
    let fallback = rules[2];
    assert_eq!(fallback.name.as_str(), Some("__fallback__"));
    assert_eq!(fallback.from_page_id.as_str(), Some("pg_need"));
    assert_eq!(fallback.outer_op.get(), Some(&GroupOp::Or));
    assert_eq!(fallback.groups.get().map(Vec::len), Some(0));

    let call: Vec<_> = rules[7].groups.items().collect();
    assert_eq!(call[1].op.get(), Some(&GroupOp::Or));
    let conds: Vec<&Condition> = call.iter().flat_map(|group| group.conds.items()).collect();
    assert_eq!(conds[0].op.get(), Some(&Operator::IsFilled));
    assert!(conds[0].value.is_absent());
    assert_eq!(conds[1].op.get(), Some(&Operator::Gt));
    assert_eq!(conds[1].value.get(), Some(&Operand::Number(9.into())));
    assert_eq!(conds[2].op.get(), Some(&Operator::Equals));
    assert_eq!(conds[2].value.get(), Some(&"o_livein".into()));
}

#[test]
fn settings_endings_theme_and_the_live_version() {
    let record = sample();
    let form = form(&record);
    let settings = form.settings.get().unwrap();
    assert_eq!(integer(&settings.auto_book_duration), Some(30));
    assert!(settings.redirect_url.is_null() && settings.auto_book_field_id.is_null());
    assert_eq!(settings.default_booking_slug.as_str(), Some("care-advice-call"));

    let endings: Vec<_> = settings.endings.items().collect();
    assert_eq!(endings[0].kind.get(), Some(&EndingKind::Calendar));
    assert_eq!(endings[0].calendar_provider.get(), Some(&CalendarProvider::Builtin));
    assert_eq!(endings[0].meta_event.get().unwrap().name.as_str(), Some("Schedule"));
    assert!(endings[1].kind.is_absent());
    assert_eq!(endings[2].creates_lead.get(), Some(&false));

    let theme = form.theme.get().unwrap();
    assert_eq!(theme.bg_color.as_str(), Some("#FFFFFF"));
    assert_eq!(integer(&theme.bg_gradient_angle), Some(135));
    assert_eq!(theme.show_choice_letters.get(), Some(&true));

    let live = form.live_snapshot.get().unwrap();
    assert_eq!((&live.logic, &live.theme), (&form.logic, &form.theme));
    assert!(live.pages != form.pages, "a label has been edited since the form was published");
    assert_eq!(texts(live.pages.items(), |page| &page.title), texts(form.pages.items(), |page| &page.title));
    assert!(live.settings.get().unwrap().default_booking_slug.is_absent());
}

#[test]
fn one_invalid_element_leaves_the_others_typed() {
    let page: Page = serde_json::from_str(r#"{"fields":[{"id":"a"},7,null,{"id":"b","type":42}]}"#).unwrap();
    assert_eq!(texts(page.fields.items(), |question| &question.id), ["a", "b"]);
    let entries = page.fields.get().unwrap();
    assert_eq!(entries[1], Entry::Other(Raw::parse("7").unwrap()));
    assert_eq!(entries[2], Entry::Other(Raw::parse("null").unwrap()));
    assert_eq!(entries[3].get().unwrap().kind, Field::Other(Raw::parse("42").unwrap()));
}

#[test]
fn unknown_names_are_kept_in_every_extensible_enum() {
    let text = include_str!("data/form.json");
    for (member, known) in [
        ("type", "number"),
        ("op", "gt"),
        ("op", "AND"),
        ("outerOp", "OR"),
        ("kind", "jump"),
        ("kind", "calendar"),
        ("calendarProvider", "builtin"),
    ] {
        let known = format!(r#""{member}": "{known}""#);
        let new = format!(r#""{member}": "{member} Ü""#);
        let changed = text.replace(&known, &new);
        let record: FormRecord = serde_json::from_str(&changed).unwrap();
        let count = format!("{record:?}").matches(&format!(r#"Other("{member} Ü")"#)).count();
        assert_eq!(count, text.matches(&known).count(), "{member}");
        assert!(count > 0);
    }
}

#[test]
fn a_record_can_be_built_in_code() {
    let mut question = Question::default();
    question.kind.set(QuestionType::Number);
    question.min.set(Number::try_from(0.5).unwrap());
    let mut page = Page::default();
    page.id.set("pg");
    page.fields = List::from_iter([question]);
    page.extra.insert("colour".into(), Raw::of("red").unwrap());
    let mut form = Form::default();
    form.description = Field::Null;
    form.pages = List::from_iter([page]);
    form.live_version.set(1);
    let mut record = FormRecord::default();
    record.form.set(form);

    let text = serde_json::to_string(&record).unwrap();
    assert_eq!(
        text,
        r#"{"form":{"description":null,"pages":[{"id":"pg","fields":[{"type":"number","min":0.5}],"colour":"red"}],"live_version":1}}"#
    );
    assert_eq!(serde_json::from_str::<FormRecord>(&text).unwrap(), record);
}
