//! The administration of businesses, and access to the records of one business.
//!
//! The in-memory settings have their own lock, but they change within these operations, so no member can be added to a
//! business that is being removed.

use std::sync::PoisonError;

use super::{Business, MemoryStore, Records};
use leadapi_core::{
    admin::{self, AdminError, AdminRefusal, LeadOwner},
    dataset::BusinessSeed,
    id::BusinessId,
};

impl MemoryStore {
    pub(crate) fn businesses(&self) -> Vec<admin::Business> {
        let businesses = self.businesses.read().unwrap_or_else(PoisonError::into_inner);
        let mut all: Vec<admin::Business> = businesses.values().map(|business| business.info.clone()).collect();
        all.sort_by(|a, b| (a.created_at, &a.id).cmp(&(b.created_at, &b.id)));
        all
    }

    /// Adds a business. `add_owner` runs before any other operation can find the business.
    pub(crate) fn add_business(&self, info: &admin::Business, add_owner: impl FnOnce()) -> Result<(), AdminRefusal> {
        let mut businesses = self.businesses.write().unwrap_or_else(PoisonError::into_inner);
        if businesses.contains_key(&info.id) {
            return Err(AdminRefusal::BusinessExists(info.id.clone()));
        }
        let seed = BusinessSeed::new(info.id.clone(), &*info.name, info.created_at);
        businesses.insert(info.id.clone(), Business::new(seed));
        add_owner();
        Ok(())
    }

    /// Renames a business, in the settings too.
    pub(crate) fn rename_business(
        &self,
        id: &BusinessId,
        name: &str,
        rename_in_settings: impl FnOnce(),
    ) -> Result<admin::Business, AdminRefusal> {
        let mut businesses = self.businesses.write().unwrap_or_else(PoisonError::into_inner);
        let business = businesses.get_mut(id).ok_or_else(|| no_such(id))?;
        name.clone_into(&mut business.info.name);
        rename_in_settings();
        Ok(business.info.clone())
    }

    /// Removes a business, from the settings too. Returns the number of its leads.
    pub(crate) fn delete_business(
        &self,
        id: &BusinessId,
        with_leads: bool,
        delete_from_settings: impl FnOnce(),
    ) -> Result<u64, AdminRefusal> {
        let removed = self.write(id, |records| {
            let leads = records.leads.by_id.len() as u64;
            if leads > 0 && !with_leads {
                return Err(AdminRefusal::HasLeads { of: LeadOwner::Business, leads });
            }
            records.is_removed = true;
            let mut businesses = self.businesses.write().unwrap_or_else(PoisonError::into_inner);
            let removed = businesses.remove(id);
            delete_from_settings();
            Ok((leads, removed))
        });
        // Freeing many leads takes a long time, so both locks are released first.
        let (leads, _removed) = removed.ok_or_else(|| no_such(id))??;
        Ok(leads)
    }

    /// Runs `work` with a business, but without its records.
    pub(crate) fn with_business<T>(
        &self,
        id: &BusinessId,
        work: impl FnOnce(&admin::Business) -> Result<T, AdminRefusal>,
    ) -> Result<T, AdminError> {
        let businesses = self.businesses.read().unwrap_or_else(PoisonError::into_inner);
        Ok(work(&businesses.get(id).ok_or_else(|| no_such(id))?.info)?)
    }

    /// Reads the records of a business.
    pub(crate) fn view<T>(
        &self,
        business: &BusinessId,
        read: impl FnOnce(&Records) -> Result<T, AdminRefusal>,
    ) -> Result<T, AdminError> {
        Ok(self.read(business, read).ok_or_else(|| no_such(business))??)
    }

    /// Changes the records of a business.
    pub(crate) fn change<T, E: Into<AdminError>>(
        &self,
        business: &BusinessId,
        change: impl FnOnce(&mut Records) -> Result<T, E>,
    ) -> Result<T, AdminError> {
        self.write(business, change).ok_or_else(|| no_such(business))?.map_err(Into::into)
    }
}

fn no_such(business: &BusinessId) -> AdminRefusal {
    AdminRefusal::NoSuchBusiness(business.clone())
}
