//! The messages for refused administrative changes.

use leadapi_core::{
    admin::{AdminError, AdminRefusal, LeadOwner},
    error_chain,
};

/// Describes an error from an administrative change. A refusal names the option that makes the change possible.
pub(super) fn describe(error: &AdminError) -> String {
    match error {
        AdminError::Refused(refusal @ AdminRefusal::HasLeads { of, leads }) => {
            let them = if *leads == 1 { "it" } else { "them" };
            match of {
                LeadOwner::Pipeline => format!("{refusal}: move {them} first, to a stage of another pipeline"),
                LeadOwner::Stage => format!("{refusal}: move {them} with --move-to STAGE"),
                _ => format!("{refusal}: use --with-leads to remove {them} too"),
            }
        }
        AdminError::Failed(error) => error_chain(error),
        other => other.to_string(),
    }
}
