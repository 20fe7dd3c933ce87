//! Checks of several rate limiters that share their counts, on real clocks (contract D9).

use futures_util::future::join_all;

use super::CheckResult;
use crate::{
    BoxError,
    id::TokenId,
    memory::{AdmissionLog, Limits, Uuids},
    model::Timestamp,
    port::{Admission, Class, IdSource, RateLimiter},
};

/// Sends twice the limit to all limiters concurrently, for two tokens and both classes.
pub(super) async fn admit_one_limit_together(limits: Limits, limiters: &[impl RateLimiter]) -> CheckResult {
    let ids = Uuids::default();
    for _ in 0..2 {
        // New tokens, because earlier requests may still be in the window.
        let token = TokenId::parse(ids.lead_id(Timestamp::now()).to_string())?;
        for (class, limit) in [(Class::Write, limits.writes.get()), (Class::Read, limits.reads.get())] {
            let requests = limiters.iter().cycle().take(limit as usize * 2).map(|limiter| limiter.admit(&token, class));
            let decisions = join_all(requests).await.into_iter().collect::<Result<Vec<_>, BoxError>>()?;
            let admitted = decisions.iter().filter(|decision| **decision == Admission::Admitted).count();
            if admitted != limit as usize {
                return Err(format!("{admitted} of {} requests were admitted, not {limit}", decisions.len()).into());
            }
            let is_valid = |decision: &Admission| match decision {
                Admission::Refused { retry_after } => !retry_after.is_zero() && *retry_after <= AdmissionLog::WINDOW,
                Admission::Admitted => true,
            };
            if let Some(decision) = decisions.iter().find(|decision| !is_valid(decision)) {
                return Err(format!("retry_after is not in (0 s, 60 s]: {decision:?}").into());
            }
        }
    }
    Ok(())
}
