use leadapi_client::{Client, id::LeadId};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let client = Client::from_env()?.build()?;
    match client.leads().get(&LeadId::parse("unknown")?).await {
        Ok(lead) => println!("{}", lead.name),
        Err(error) if error.is_not_found() => println!("{}", error.message()), // id: no such lead
        Err(error) => return Err(error.into()),
    }
    Ok(())
}
