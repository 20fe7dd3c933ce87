use leadapi_client::{Client, model::LeadQuery};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let client = Client::from_env()?.build()?;
    // Returns each lead once, even if others are created or deleted during the loop.
    let mut leads = client.leads().list_all(LeadQuery::new()).stream();
    let mut count = 0;
    while leads.try_next().await?.is_some() {
        count += 1;
    }
    println!("{count} leads");
    Ok(())
}
