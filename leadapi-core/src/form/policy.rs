//! What a host may see otherwise, where the record leaves it open.

use super::open::GroupOp;

/// The choices that the record leaves open, each with the default that loses the fewest leads.
///
/// ```
/// use leadapi_core::form::{FormRecord, Policy, Version};
///
/// let mut policy = Policy::default();
/// policy.stand_in_names = false;
/// let record: FormRecord = serde_json::from_str("{}")?;
/// assert_eq!(record.compile(Version::Live, &policy).pages().count(), 0);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Policy {
    /// What joins conditions, or groups, where `op` or `outerOp` is absent or null. `AND`: an unfinished rule should
    /// rather match too little than too much.
    pub missing_join: GroupOp,
    /// Whether an ending makes a lead that does not say (`createsLead` is absent, null or no boolean), the built-in one
    /// among them. It does: a lead too many is deleted in a moment, and one too few is never seen.
    pub lead_by_default: bool,
    /// Whether a lead without a name of its own is named after its business, its email address or its phone number, in
    /// this order. It is; otherwise it is [`NoLead::NoName`](super::NoLead::NoName).
    pub stand_in_names: bool,
    /// The most characters of one answer in the notes; the rest is in the attributes. 2,000.
    pub note_chars: usize,
    /// What a proof, or a list of paths, may cost before it gives up, in steps of exploring one way to answer a page. A
    /// step pays for the work of 64 conditions and for 256 bytes that are kept, so that pages with more rules take more
    /// steps. 200,000 by default: some tenths of a second, and at most 51 MB.
    pub budget: usize,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            missing_join: GroupOp::And,
            lead_by_default: true,
            stand_in_names: true,
            note_chars: 2_000,
            budget: 200_000,
        }
    }
}
