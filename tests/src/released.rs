//! Compressed files that a released version wrote.

use std::{
    fs::{self, File},
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

use flate2::{Compression, read::GzDecoder, write::GzEncoder};

/// Returns the folder of `tests/data` that holds the files of a version.
pub fn released_folder(version: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(version)
}

/// Returns the decompressed content of the file `NAME.gz` in this folder.
///
/// # Panics
///
/// Panics if the file cannot be read.
pub fn read_released(folder: &Path, name: &str) -> Vec<u8> {
    let mut content = Vec::new();
    GzDecoder::new(File::open(path(folder, name)).unwrap()).read_to_end(&mut content).unwrap();
    content
}

/// Compresses content to the file `NAME.gz` in this folder.
///
/// # Errors
///
/// Returns the error of the file system.
pub fn write_released(folder: &Path, name: &str, content: &[u8]) -> io::Result<()> {
    let mut compressed = GzEncoder::new(Vec::new(), Compression::best());
    compressed.write_all(content)?;
    fs::write(path(folder, name), compressed.finish()?)
}

fn path(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.gz"))
}
