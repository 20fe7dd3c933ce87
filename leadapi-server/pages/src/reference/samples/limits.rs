use leadapi_client::{
    Client,
    model::{LeadQuery, Window},
};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // The client paces itself to the limits. After a 429, it waits as long as Retry-After requires.
    let client = Client::from_env()?.build()?;
    let page = client.leads().list(&LeadQuery::new().window(Window::new(1, 0)?)).await?;
    println!("{} leads", page.total);
    Ok(())
}
