//! The checksum of a write-ahead log.

/// The checksum of the header of a log and of all frames so far.
pub(super) struct Checksum {
    parse: fn([u8; 4]) -> u32,
    sums: [u32; 2],
}

impl Checksum {
    /// Creates the checksum of an empty log. The lowest bit of the magic number selects the byte order.
    pub(super) fn new(magic: u32) -> Self {
        Self { parse: if magic & 1 == 1 { u32::from_be_bytes } else { u32::from_le_bytes }, sums: [0; 2] }
    }

    /// Adds bytes whose number is a multiple of eight.
    pub(super) fn add(&mut self, bytes: &[u8]) {
        let [mut even, mut odd] = self.sums;
        for [first, second] in bytes.as_chunks::<4>().0.as_chunks::<2>().0 {
            even = even.wrapping_add((self.parse)(*first)).wrapping_add(odd);
            odd = odd.wrapping_add((self.parse)(*second)).wrapping_add(even);
        }
        self.sums = [even, odd];
    }

    pub(super) fn is(&self, even: u32, odd: u32) -> bool {
        self.sums == [even, odd]
    }
}
