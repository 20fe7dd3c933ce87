use leadapi_client::{Client, model::Window};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // The base URL is in LEADAPI_URL, the token in LEADAPI_TOKEN.
    let client = Client::from_env()?.build()?;
    for account in client.client_accounts().list(Window::default()).await?.data {
        println!("{} {}", account.id, account.name);
    }
    Ok(())
}
