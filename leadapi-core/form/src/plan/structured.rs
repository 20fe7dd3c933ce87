//! Answers that consist of several parts: addresses and files.

use super::slot::Slot;
use crate::{address::Address, answer::Answer, file_ref::FileRef, problem::Problem};

/// Reads an address that is not text. An address without any part counts as no answer.
pub(super) fn read_address(answer: &Answer) -> Result<Slot<'_>, Problem> {
    let address = Address::of(answer).ok_or(Problem::NotAnAddress)?;
    Ok(if address.is_empty() { Slot::Empty } else { Slot::Structured(answer) })
}

pub(super) fn read_file(answer: &Answer) -> Result<Slot<'_>, Problem> {
    FileRef::all(answer).map(|_| Slot::Structured(answer)).ok_or(Problem::NotAFile)
}

/// Formats an address or a list of files on one line.
pub(super) fn text(is_file: bool, answer: &Answer) -> Option<String> {
    if !is_file {
        return Address::of(answer).map(|address| address.to_string());
    }
    let files: Vec<String> = FileRef::all(answer)?.iter().map(ToString::to_string).collect();
    Some(files.join(", "))
}
