//! Checks for members of the wrong type and for unknown members.

use super::{
    Code, Report,
    names::{Member, quoted},
    similar::similar,
};
use crate::form::{
    extensible_enum::{CalendarProvider, EndingKind, GroupOp, JumpKind, Operator, QuestionType},
    field::{Entry, Field},
    locale::texts,
    logic::Operand,
    number::Number,
    plan::{Questionnaire, Version},
    question::Bound,
    raw::Raw,
};

/// Visits the JSON of a record and reports findings at the current location.
pub(in crate::form) struct Inspector<'r> {
    form: &'r Questionnaire<'r>,
    report: &'r mut Report,
    pointer: String,
    /// JSON pointers to the members to skip, because they belong to the other version.
    excluded: &'static [&'static str],
}

/// A record or value that can be checked for unexpected JSON.
pub(in crate::form) trait Inspect {
    /// The expected JSON, with an article.
    const EXPECTED: &'static str;

    fn inspect(&self, inspector: &mut Inspector<'_>);
}

/// The members of a form that are also in its snapshot.
const DRAFT: &[&str] = &["/form/pages", "/form/logic", "/form/theme", "/form/settings", "/form/confirmation_message"];
const LIVE: &[&str] = &["/form/live_snapshot"];

pub(super) fn check(form: &Questionnaire<'_>, report: &mut Report) {
    let excluded = if form.version() == Version::Live { DRAFT } else { LIVE };
    form.source.record.inspect(&mut Inspector { form, report, pointer: String::new(), excluded });
}

impl Inspector<'_> {
    /// Visits a member of an object or an element of an array.
    pub(in crate::form) fn member(&mut self, name: &str, look: impl FnOnce(&mut Self)) {
        let length = self.pointer.len();
        self.pointer.push('/');
        self.pointer.push_str(&name.replace('~', "~0").replace('/', "~1"));
        if !self.excluded.contains(&self.pointer.as_str()) {
            look(self);
        }
        self.pointer.truncate(length);
    }

    /// Returns whether the member may be an object with a text for each language.
    fn takes_languages(&self) -> bool {
        let member = self.pointer.rsplit('/').next().unwrap_or_default();
        ["label", "title", "heading", "message", "confirmation_message"].contains(&member)
            || self.pointer == "/form/name"
    }

    /// Reports an unknown member. `known` contains the names of the known members of the same object.
    pub(in crate::form) fn unknown(&mut self, name: &str, known: &'static [&'static str]) {
        self.member(name, |inspector| {
            let member = Member { form: inspector.form, pointer: &inspector.pointer };
            let message = format_args!("{member} is unknown");
            inspector.report.add_with_fix(Code::UnknownMember, &inspector.pointer, message, || {
                Some(format!("Rename it to `{}`.", similar(name, known.iter().copied())?))
            });
        });
    }

    fn unexpected(&mut self, raw: &Raw, expected: &str) {
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
            // Many authors write the labels of options only.
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

impl<T: Inspect> Inspect for Field<T> {
    const EXPECTED: &'static str = T::EXPECTED;

    fn inspect(&self, inspector: &mut Inspector<'_>) {
        match self {
            Self::Absent | Self::Null => {}
            Self::Value(value) => value.inspect(inspector),
            Self::Other(raw) => inspector.unexpected(raw, T::EXPECTED),
        }
    }
}

impl<T: Inspect> Inspect for Vec<Entry<T>> {
    const EXPECTED: &'static str = "an array";

    fn inspect(&self, inspector: &mut Inspector<'_>) {
        for (index, entry) in self.iter().enumerate() {
            inspector.member(&index.to_string(), |inspector| match entry {
                Entry::Value(value) => value.inspect(inspector),
                Entry::Other(raw) => inspector.unexpected(raw, T::EXPECTED),
            });
        }
    }
}

macro_rules! plain {
    ($($expected:literal: $($type:ty)+;)+) => {$($(
        impl Inspect for $type {
            const EXPECTED: &'static str = $expected;

            fn inspect(&self, _: &mut Inspector<'_>) {}
        }
    )+)+};
}

plain! {
    "a string": String GroupOp Operator JumpKind QuestionType EndingKind CalendarProvider;
    "a boolean": bool;
    "a number": Number;
    "a number or a date": Bound;
    "a string, a number, a boolean or an array": Operand;
}
