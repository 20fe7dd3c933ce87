//! Checks for members of the wrong type and for unknown members.

use super::{
    Code, Report,
    names::{Member, quoted},
    similar::similar,
};
use crate::{
    Inspect as _, Raw,
    foreign_member::Effect,
    locale::texts,
    plan::{Questionnaire, Version, is_alternative_member},
};

/// Reports unexpected JSON in a record.
struct ShapeInspector<'r> {
    form: &'r Questionnaire<'r>,
    report: &'r mut Report,
    pointer: String,
    /// JSON pointers to the members to skip, because they belong to the other version.
    excluded: &'static [&'static str],
}

/// The members of a form that are also in its snapshot.
const DRAFT: &[&str] = &["/form/pages", "/form/logic", "/form/theme", "/form/settings", "/form/confirmation_message"];
const LIVE: &[&str] = &["/form/live_snapshot"];

pub(super) fn check(form: &Questionnaire<'_>, report: &mut Report) {
    let excluded = if form.version() == Version::Live { DRAFT } else { LIVE };
    form.source.record.inspect(&mut ShapeInspector { form, report, pointer: String::new(), excluded });
}

impl ShapeInspector<'_> {
    /// Returns whether the member may be an object with one string per language.
    fn takes_languages(&self) -> bool {
        let member = self.pointer.rsplit('/').next().unwrap_or_default();
        ["label", "title", "heading", "message", "confirmation_message", "patternMessage"].contains(&member)
            || self.pointer == "/form/name"
    }

    /// Returns whether a different check reports an unknown member of a page, a question or an option.
    fn is_checked_elsewhere(&self, name: &str) -> bool {
        let owner = self.pointer.rsplit('/').nth(2).unwrap_or_default();
        let is_question = owner == "fields";
        match Effect::named(name) {
            Some(Effect::Required) => is_question || owner == "pages",
            Some(_) => is_question || ["pages", "options"].contains(&owner),
            None => is_question && is_alternative_member(name),
        }
    }
}

impl crate::Inspector for ShapeInspector<'_> {
    fn enter(&mut self, name: &str) -> bool {
        self.pointer.push('/');
        self.pointer.push_str(&name.replace('~', "~0").replace('/', "~1"));
        !self.excluded.contains(&self.pointer.as_str())
    }

    fn leave(&mut self) {
        self.pointer.truncate(self.pointer.rfind('/').unwrap_or_default());
    }

    fn unknown(&mut self, name: &str, known: &'static [&'static str]) {
        if self.enter(name) && !self.is_checked_elsewhere(name) {
            let member = Member { form: self.form, pointer: &self.pointer };
            let message = format_args!("{member} is unknown");
            self.report.add_with_fix(Code::UnknownMember, &self.pointer, message, || {
                Some(format!("Rename it to `{}`.", similar(name, known.iter().copied())?))
            });
        }
        self.leave();
    }

    fn unexpected(&mut self, raw: &Raw, expected: &'static str) {
        let json = raw.text();
        if self.takes_languages() && texts(raw).is_some() {
            return;
        }
        let kind = match json.as_bytes().first() {
            Some(b'{') => "an object",
            Some(b'[') => "an array",
            Some(b'"') => "a string",
            Some(b't' | b'f') => "a boolean",
            Some(b'n') => "null",
            _ => "a number",
        };
        let member = Member { form: self.form, pointer: &self.pointer };
        let message = format_args!("{member} is {kind} instead of {expected}");
        self.report.add_with_fix(Code::UnexpectedType, &self.pointer, message, || {
            // Many authors write an option as a plain label instead of an object.
            let is_option = self.pointer.rsplit_once('/').is_some_and(|(array, _)| array.ends_with("/options"));
            Some(match raw.read::<String>() {
                Ok(label) if is_option => {
                    format!("Replace it with an object such as `{{\"id\": {0}, \"label\": {0}}}`.", quoted(&label))
                }
                _ => format!("Replace it with {expected}."),
            })
        });
    }
}
