//! Distributes an existing database over the nodes of a Citus cluster.

use super::{
    Postgres,
    connect::{self, OpenError},
    hosts::Hosts,
    layout,
    migrate::migrate,
    pooler,
    url::Target,
};

impl Postgres {
    /// Connects, migrates the schema to this version, and distributes the tables. Returns the number of tables that
    /// were not distributed before. Changes nothing in a database without Citus, or one that servers use.
    pub(crate) async fn distribute(url: &str) -> Result<usize, OpenError> {
        let target = Target::parse(url)?;
        let hosts = Hosts::new(&target)?;
        pooler::refuse(&hosts).await?;
        let mut client = connect::first(&connect::pool(target, hosts, 1)?).await?;
        connect::check(&client).await?;
        layout::require_coordinator(&client).await?;
        layout::refuse_servers(&client).await?;
        migrate(&mut client).await?;
        layout::distribute(&mut client).await
    }
}
