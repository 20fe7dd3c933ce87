//! The values of answers, as conditions read them.

use crate::answer::Answer;

/// A valid answer to a question, or no answer.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum Slot<'a> {
    #[default]
    Empty,
    /// The index of the option among the compiled options.
    Chosen(usize),
    /// The ids of different options of a multiple choice, in the order of the answer.
    Many(&'a [String]),
    Number(f64, &'a Answer),
    /// The number of days since a fixed day.
    Date(i32),
    Bool(bool),
    /// A string without surrounding whitespace.
    Text(&'a str),
    /// An email address without surrounding whitespace. Comparisons ignore the case of its domain.
    Email(&'a str),
    /// An address or files. Only their text can be read.
    Structured(&'a Answer),
    /// An answer to a question of an unknown type or a type of the host, or an answer other than text to a hidden
    /// question.
    Any(&'a Answer),
    /// A valid answer about which a proof knows nothing else.
    Opaque,
}
