//! Descriptors of files that SQLite may have open in the same process.
//!
//! When a process closes any descriptor of a file, it loses all `fcntl` locks on that file, including SQLite's locks.
//! Descriptors of one file are therefore closed together, once none of them is in use.

use std::{
    collections::BTreeMap,
    fs::File,
    io,
    os::unix::fs::MetadataExt,
    sync::{Arc, Mutex, PoisonError},
};

use crate::file::Inode;

/// The number of descriptors of a file that are in use, and all that are open.
type Descriptors = (usize, Vec<Arc<File>>);

/// The descriptors of each file.
static OPEN: Mutex<BTreeMap<Inode, Descriptors>> = Mutex::new(BTreeMap::new());

/// A descriptor of a file. When it is dropped, its locks (`flock`) are released.
#[derive(Debug)]
pub(crate) struct Descriptor {
    inode: Inode,
    /// `None` only while the value is being dropped.
    file: Option<Arc<File>>,
}

impl Descriptor {
    pub(crate) fn new(file: File) -> io::Result<Self> {
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        let metadata = file.metadata()?;
        let inode = (metadata.dev(), metadata.ino());
        let file = Arc::new(file);
        let (used, files) = open.entry(inode).or_default();
        *used += 1;
        files.push(file.clone());
        Ok(Self { inode, file: Some(file) })
    }

    pub(crate) const fn inode(&self) -> Inode {
        self.inode
    }

    /// Releases the lock.
    pub(crate) fn unlock(&self) {
        if let Some(file) = &self.file {
            file.unlock().unwrap_or_default();
        }
    }

    pub(crate) fn file(&self) -> Option<&File> {
        self.file.as_deref()
    }
}

impl Drop for Descriptor {
    fn drop(&mut self) {
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        self.unlock();
        self.file = None;
        if let Some((used, _)) = open.get_mut(&self.inode) {
            *used -= 1;
            if *used == 0 {
                open.remove(&self.inode);
            }
        }
    }
}
