//! Imports a data set into a database in one transaction.

use std::{collections::HashMap, fmt, sync::Arc};

use async_trait::async_trait;
use leadapi_core::{
    dataset::{BusinessSeed, Dataset},
    id::{BusinessId, LeadId},
    model::Lead,
    port::Clock,
    port::TokenRecord,
    tokens::{self, IssuedToken},
};

use super::{
    SqlStore, SqlStoreError, admin,
    clock::StoreClock,
    error::SqlError,
    idempotency::StoredResponse,
    lead, lead_counts,
    session::{Session, Work, query},
    settings::insert_audit_entry,
    statement, tokens as token,
};

/// The result of an import.
#[derive(Debug)]
#[non_exhaustive]
pub struct Imported {
    /// The number of imported businesses.
    pub businesses: usize,
    /// The number of imported leads.
    pub leads: usize,
    /// The tokens that were issued because their entries in the data set contain neither a secret nor its hash. Their
    /// secrets can be shown only once (contract 5.3).
    pub issued: Vec<IssuedToken>,
}

impl SqlStore {
    /// Imports the businesses of a data set with all their records. `progress` receives the number of leads imported so
    /// far, after every thousandth lead and at the end.
    ///
    /// ```
    /// use leadapi_core::dataset::{Dataset, SAMPLE};
    /// use leadapi_sql::SqlStore;
    ///
    /// # tokio::runtime::Runtime::new()?.block_on(async {
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("leads.db");
    /// let store = SqlStore::open(&format!("sqlite:{}", path.display()).parse()?).await?;
    /// let imported = store.import(Dataset::parse(SAMPLE)?, |_| {}).await?;
    /// assert_eq!(imported.businesses, 2);
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// # })?;
    /// # Ok::<(), leadapi_core::BoxError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the database fails, or if a business or a token already exists. If one already exists, the
    /// message states its position in the data set. After an error, nothing has been imported, unless the outcome of
    /// the commit is unknown.
    pub async fn import(
        &self,
        dataset: Dataset,
        progress: impl Fn(usize) + Send + Sync + 'static,
    ) -> Result<Imported, SqlStoreError> {
        let now = self.clock().now();
        let made = tokens::records(&dataset, now).map_err(|error| SqlStoreError::Failed(error.into()))?;
        let imported = Imported {
            businesses: dataset.businesses.len(),
            leads: dataset.businesses.iter().map(|business| business.leads.len()).sum(),
            issued: made.issued,
        };
        let import = Import { dataset, tokens: made.records, clock: self.clock(), progress: Arc::new(progress) };
        self.database.work(None, import).await?;
        Ok(imported)
    }

    /// Returns whether the store has no businesses yet.
    ///
    /// # Errors
    ///
    /// Returns an error if the database fails.
    pub async fn is_empty(&self) -> Result<bool, SqlStoreError> {
        Ok(self.database.row(None, query!(statement::BUSINESSES), |_| Ok(())).await?.is_none())
    }
}

struct Import {
    dataset: Dataset,
    tokens: Vec<(BusinessId, TokenRecord)>,
    clock: StoreClock,
    progress: Arc<dyn Fn(usize) + Send + Sync>,
}

impl fmt::Debug for Import {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Import").finish_non_exhaustive()
    }
}

#[async_trait]
impl Work for Import {
    type Output = ();

    async fn run(&self, session: &mut dyn Session) -> Result<(), SqlError> {
        self.refuse_existing(session).await?;
        let mut leads = 0;
        for business in &self.dataset.businesses {
            insert(session, business, &self.clock).await?;
            for lead in &business.leads {
                session.execute(lead::insert(&business.id, lead)).await?;
                leads += 1;
                if leads % 1_000 == 0 {
                    (self.progress)(leads);
                }
            }
            for rows in lead_counts::bucket_rows(&business.id, business.leads.iter()) {
                session.execute(rows).await?;
            }
        }
        for (business, record) in &self.tokens {
            session.execute(token::insert(business, record)).await?;
        }
        (self.progress)(leads);
        Ok(())
    }
}

impl Import {
    /// Fails if a business or a token already exists. No other records need a check, because a business that does not
    /// exist yet has none.
    async fn refuse_existing(&self, session: &mut dyn Session) -> Result<(), SqlError> {
        for (at, business) in self.dataset.businesses.iter().enumerate() {
            if session.finds(query!(statement::BUSINESS, &business.id)).await? {
                let id = &business.id;
                return Err(SqlError::refused(format!("businesses[{at}].id: the business {id} already exists")));
            }
            for (nth, (_, token)) in self.tokens.iter().filter(|(owner, _)| *owner == business.id).enumerate() {
                if session.finds(query!(statement::TOKEN_EXISTS, &token.id, &token.hash)).await? {
                    let place = format!("businesses[{at}].tokens[{nth}]");
                    return Err(SqlError::refused(format!("{place}: the token already exists")));
                }
            }
        }
        Ok(())
    }
}

/// Inserts a business with all its records except leads, lead counts and tokens.
async fn insert(session: &mut dyn Session, seed: &BusinessSeed, clock: &StoreClock) -> Result<(), SqlError> {
    let business = &seed.id;
    session.execute(query!(statement::INSERT_BUSINESS, business, &seed.name, seed.created_at)).await?;
    for member in &seed.members {
        session.execute(admin::insert_member(business, member)).await?;
    }
    for client in &seed.clients {
        let insert = query!(statement::INSERT_CLIENT, business, &client.id, &client.name, client.created_at);
        session.execute(insert).await?;
    }
    for pipeline in &seed.pipelines {
        let insert = query!(statement::INSERT_PIPELINE, business, &pipeline.id, &pipeline.name, pipeline.created_at);
        session.execute(insert).await?;
        for stage in &pipeline.stages {
            let (id, name, position) = (&stage.id, &stage.name, stage.position);
            session.execute(query!(statement::INSERT_STAGE, business, id, &pipeline.id, name, position)).await?;
        }
    }
    for form in &seed.forms {
        let id = form.form.get().and_then(|form| form.id.as_str());
        let id = id.ok_or_else(|| SqlError::refused("form.id: must be a string"))?;
        let record = serde_json::to_string(form).map_err(SqlError::other)?;
        session.execute(query!(statement::INSERT_FORM, business, id, record)).await?;
    }
    for entry in &seed.audit {
        session.execute(insert_audit_entry(business, entry)).await?;
    }
    if !seed.idempotency.is_empty() {
        let leads: HashMap<&LeadId, &Lead> = seed.leads.iter().map(|lead| (&lead.id, lead)).collect();
        for seed in &seed.idempotency {
            let unchanged = leads.get(&seed.lead.id).is_some_and(|lead| **lead == seed.lead);
            let stored = StoredResponse::imported(seed, clock);
            session.execute(stored.insert(business, &seed.idempotency.key, unchanged)?).await?;
        }
    }
    Ok(())
}
