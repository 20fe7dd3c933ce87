//! Visits every member of a record, so that a check can report unexpected JSON.

use super::{
    extensible_enum::{CalendarProvider, EndingKind, GroupOp, JumpKind, Operator, QuestionType},
    field::{Entry, Field},
    logic::Operand,
    number::Number,
    question::Bound,
    raw::Raw,
};

/// Receives the findings of [`Inspect::inspect`].
pub trait Inspector {
    /// Enters a member of an object or an element of an array. Returns whether to visit it. [`leave`](Self::leave) is
    /// called in both cases.
    fn enter(&mut self, name: &str) -> bool;

    /// Leaves the member or element that was entered last.
    fn leave(&mut self);

    /// Receives an unknown member of an object. `known` contains the names of the members that the object may have.
    fn unknown(&mut self, name: &str, known: &'static [&'static str]);

    /// Receives a value of an unexpected type. `expected` names the expected JSON with an article.
    fn unexpected(&mut self, raw: &Raw, expected: &'static str);
}

/// A record, or a value in a record, that can be checked for unexpected JSON.
///
/// ```
/// use leadapi_model::form::{FormRecord, Inspect, Inspector, Raw};
///
/// #[derive(Default)]
/// struct Unknown(Vec<String>);
///
/// impl Inspector for Unknown {
///     fn enter(&mut self, _: &str) -> bool {
///         true
///     }
///
///     fn leave(&mut self) {}
///
///     fn unknown(&mut self, name: &str, _: &'static [&'static str]) {
///         self.0.push(name.into());
///     }
///
///     fn unexpected(&mut self, _: &Raw, _: &'static str) {}
/// }
///
/// let record: FormRecord = serde_json::from_str(r#"{"form":{"pages":[{"titel":"Who?"}]}}"#)?;
/// let mut unknown = Unknown::default();
/// record.inspect(&mut unknown);
/// assert_eq!(unknown.0, ["titel"]);
/// # Ok::<(), serde_json::Error>(())
/// ```
pub trait Inspect {
    /// The expected JSON, with an article.
    const EXPECTED: &'static str;

    /// Passes every member and element to the inspector, in the order in which they are written.
    fn inspect(&self, inspector: &mut dyn Inspector);
}

/// Visits a member of an object or an element of an array.
pub(super) fn member(inspector: &mut dyn Inspector, name: &str, visit: impl FnOnce(&mut dyn Inspector)) {
    if inspector.enter(name) {
        visit(inspector);
    }
    inspector.leave();
}

impl<T: Inspect> Inspect for Field<T> {
    const EXPECTED: &'static str = T::EXPECTED;

    fn inspect(&self, inspector: &mut dyn Inspector) {
        match self {
            Self::Absent | Self::Null => {}
            Self::Value(value) => value.inspect(inspector),
            Self::Other(raw) => inspector.unexpected(raw, T::EXPECTED),
        }
    }
}

impl<T: Inspect> Inspect for Vec<Entry<T>> {
    const EXPECTED: &'static str = "an array";

    fn inspect(&self, inspector: &mut dyn Inspector) {
        for (index, entry) in self.iter().enumerate() {
            member(inspector, &index.to_string(), |inspector| match entry {
                Entry::Value(value) => value.inspect(inspector),
                Entry::Other(raw) => inspector.unexpected(raw, T::EXPECTED),
            });
        }
    }
}

macro_rules! value {
    ($($expected:literal: $($type:ty)+;)+) => {$($(
        impl Inspect for $type {
            const EXPECTED: &'static str = $expected;

            fn inspect(&self, _: &mut dyn Inspector) {}
        }
    )+)+};
}

value! {
    "a string": String GroupOp Operator JumpKind QuestionType EndingKind CalendarProvider;
    "a boolean": bool;
    "a number": Number;
    "a number or a date": Bound;
    "a string, a number, a boolean or an array": Operand;
}
