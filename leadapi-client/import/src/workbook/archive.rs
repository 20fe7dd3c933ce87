//! The size of a workbook, which is a ZIP archive.

use std::{
    fs::File,
    io::{self, BufReader, Read},
};

use zip::{ZipArchive, result::ZipError};

use crate::error::FileProblem;

/// The attribute with the number of texts in a workbook. Its reader reserves memory for them.
const COUNT: &[u8] = b"uniqueCount";

/// Returns an error if the uncompressed content of a workbook has more than `largest` bytes, or if it claims to have
/// more texts than fit in it. Reading such a workbook could exhaust the memory.
pub(super) fn check(file: &File, largest: u64) -> Result<(), FileProblem> {
    let mut archive = ZipArchive::new(BufReader::new(file)).map_err(problem)?;
    let mut left = largest;
    for index in 0..archive.len() {
        let entry = archive.by_index(index).map_err(problem)?;
        let has_texts = entry.name().map_err(problem)?.to_lowercase().ends_with("sharedstrings.xml");
        // The size that the archive states can be wrong.
        let mut content = entry.take(left.saturating_add(1));
        let size = if has_texts {
            let mut xml = Vec::new();
            content.read_to_end(&mut xml)?;
            let size = u64::try_from(xml.len()).unwrap_or(u64::MAX);
            if counts(&xml).any(|count| count > size) {
                return Err(FileProblem::Workbook("it claims to have more texts than it has".to_owned()));
            }
            size
        } else {
            io::copy(&mut content, &mut io::sink())?
        };
        left = left.checked_sub(size).ok_or_else(too_large)?;
    }
    Ok(())
}

pub(super) fn too_large() -> FileProblem {
    FileProblem::Workbook("it is larger than 1 GiB: save the sheet as CSV".to_owned())
}

fn counts(xml: &[u8]) -> impl Iterator<Item = u64> {
    let positions = xml.windows(COUNT.len()).enumerate().filter(|(_, name)| *name == COUNT);
    positions.map(|(position, _)| {
        let value = xml.iter().skip(position + COUNT.len());
        let value = value.skip_while(|byte| byte.is_ascii_whitespace() || b"=\"'".contains(byte));
        let digits = value.take_while(|byte| byte.is_ascii_digit()).map(|digit| u64::from(digit - b'0'));
        digits.fold(0_u64, |count, digit| count.saturating_mul(10).saturating_add(digit))
    })
}

fn problem(error: ZipError) -> FileProblem {
    match error {
        ZipError::Io(error) => error.into(),
        error => FileProblem::Workbook(error.to_string()),
    }
}
