//! Tests idempotency keys that both businesses use and that expire at different times. Random sequences of operations
//! rarely produce such keys.

use super::{
    fixture::{self, Tenant},
    operation::{DAY, Operation, create},
    sides::Stores,
};

#[tokio::test]
async fn stores_agree_on_idempotency_keys_that_expire() {
    let stores = Stores::open(&fixture::seed()).await;
    for tenant in Tenant::BOTH {
        let sides = stores.begin().await;
        let other = tenant.other();
        let operations = [
            create(tenant, 10, 0),
            create(tenant, 11, 1),
            create(other, 10, 0),
            Operation::Wait(DAY + 60),
            // Renews the first key of `tenant`. The second key of `tenant` and the key of `other` have expired.
            create(tenant, 12, 0),
            Operation::DeleteExpiredKeys,
            create(tenant, 12, 0),
            create(tenant, 13, 1),
            create(other, 14, 0),
            Operation::Wait(60 * 60),
            create(other, 14, 0),
            Operation::DeleteExpiredKeys,
            create(tenant, 12, 0),
        ];
        for operation in operations {
            sides.play(&operation).await.unwrap_or_else(|wrong| panic!("{operation:?}: {wrong}"));
        }
    }
}
