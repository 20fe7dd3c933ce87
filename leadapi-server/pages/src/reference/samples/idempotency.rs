use leadapi_client::{
    Client,
    id::ClientId,
    model::{IdempotencyKey, NewLead},
};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let client = Client::from_env()?.build()?;
    let account = ClientId::parse("019bb17b-d806-7737-af83-b92ecab0df7d")?;
    let key = IdempotencyKey::parse("signup-4711")?;
    // The client retries with the same key. If you set no key, it generates one for each call.
    let lead = client.leads().create(&NewLead::new(&account, "Ada Lovelace")).idempotency_key(key).await?;
    println!("{}", lead.id);
    Ok(())
}
