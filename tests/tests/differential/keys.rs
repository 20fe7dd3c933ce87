//! Idempotency keys that both businesses use and that expire at different times. Random sequences rarely produce them.

use super::{
    fixture::{self, Who},
    operation::{DAY, Operation, create},
    sides::Stores,
};

#[tokio::test]
async fn stores_agree_on_idempotency_keys_that_expire() {
    let stores = Stores::open(&fixture::seed()).await;
    for who in Who::BOTH {
        let sides = stores.begin().await;
        let other = who.other();
        let operations = [
            create(who, 10, 0),
            create(who, 11, 1),
            create(other, 10, 0),
            Operation::Wait(DAY + 60),
            // Renews the first key of `who`. The second key of `who` and the key of `other` have expired.
            create(who, 12, 0),
            Operation::DeleteExpiredKeys,
            create(who, 12, 0),
            create(who, 13, 1),
            create(other, 14, 0),
            Operation::Wait(60 * 60),
            create(other, 14, 0),
            Operation::DeleteExpiredKeys,
            create(who, 12, 0),
        ];
        for operation in operations {
            sides.play(&operation).await.unwrap_or_else(|wrong| panic!("{operation:?}: {wrong}"));
        }
    }
}
