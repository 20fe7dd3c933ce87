//! Administrative changes to businesses.

use std::sync::PoisonError;

use super::{Business, MemoryStore, Records};
use crate::{
    admin::{self, AdminError, AdminRefusal, LeadOwner},
    dataset::BusinessSeed,
    id::BusinessId,
    sync::RwLock,
};

impl MemoryStore {
    pub(in crate::memory) fn businesses(&self) -> Vec<admin::Business> {
        let shards = self.shards.iter().map(|shard| shard.read().unwrap_or_else(PoisonError::into_inner));
        let mut all: Vec<admin::Business> =
            shards.flat_map(|shard| shard.values().map(|business| business.info.clone()).collect::<Vec<_>>()).collect();
        all.sort_by(|a, b| (a.created_at, &a.id).cmp(&(b.created_at, &b.id)));
        all
    }

    pub(in crate::memory) fn business(&self, id: &BusinessId) -> Option<admin::Business> {
        let shard = self.shard(id).read().unwrap_or_else(PoisonError::into_inner);
        shard.get(id).map(|business| business.info.clone())
    }

    pub(in crate::memory) fn add_business(&self, info: &admin::Business) -> Result<(), AdminRefusal> {
        let mut shard = self.shard_mut(&info.id);
        if shard.contains_key(&info.id) {
            return Err(AdminRefusal::BusinessExists(info.id.clone()));
        }
        let records = Records::new(BusinessSeed::new(info.id.clone(), &*info.name, info.created_at));
        shard.insert(info.id.clone(), Business { info: info.clone(), records: RwLock::new(records) });
        Ok(())
    }

    pub(in crate::memory) fn rename_business(
        &self,
        id: &BusinessId,
        name: &str,
    ) -> Result<admin::Business, AdminRefusal> {
        let mut shard = self.shard_mut(id);
        let business = shard.get_mut(id).ok_or_else(|| AdminRefusal::NoSuchBusiness(id.clone()))?;
        name.clone_into(&mut business.info.name);
        Ok(business.info.clone())
    }

    pub(in crate::memory) fn delete_business(&self, id: &BusinessId, with_leads: bool) -> Result<u64, AdminRefusal> {
        let mut shard = self.shard_mut(id);
        let business = shard.get(id).ok_or_else(|| AdminRefusal::NoSuchBusiness(id.clone()))?;
        let leads = business.records.read().unwrap_or_else(PoisonError::into_inner).leads.by_id.len() as u64;
        if leads > 0 && !with_leads {
            return Err(AdminRefusal::HasLeads { of: LeadOwner::Business, leads });
        }
        shard.remove(id);
        Ok(leads)
    }

    /// Runs a change of the records of a business.
    pub(in crate::memory) fn change<T>(
        &self,
        business: &BusinessId,
        change: impl FnOnce(&mut Records) -> Result<T, AdminError>,
    ) -> Result<T, AdminError> {
        let done = self.write(business, change);
        done.unwrap_or_else(|| Err(AdminRefusal::NoSuchBusiness(business.clone()).into()))
    }
}
