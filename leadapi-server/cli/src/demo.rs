//! The output of `demo`: its pages, the tokens of the sample businesses, and three requests to try.

use leadapi_core::{id::ClientId, tokens::IssuedToken};

use super::{output::print_line, served::Served};

pub(super) fn print(served: &Served, issued: &[IssuedToken]) {
    let Served { url, reference, sign_in_links, .. } = served;
    print_line("\nOpen in a browser:\n");
    if let Some(reference) = reference {
        print_line(&format!("  API reference, which can send requests:  {reference}"));
    }
    for (email, link) in sign_in_links {
        print_line(&format!("  API settings, as {email} (works once):  {link}"));
    }
    print_line("");
    print_line("These tokens are valid until you stop the demo with Ctrl-C. Columns: token, name, scopes, business\n");
    for IssuedToken { business, name, scopes, secret, .. } in issued {
        print_line(&format!("  {}  {name:<28} {scopes:<16} {business}", secret.expose()));
    }
    let Some(token) = issued.first().map(|issued| issued.secret.expose()) else { return };
    let Ok(client) = ClientId::parse("019bb17b-d806-7737-af83-b92ecab0df7d") else { return };
    print_line(&format!(
        r"
Three requests to paste:

  curl -sS -w '\n' '{url}/clients' -H 'Authorization: Bearer {token}'

  curl -sS -w '\n' '{url}/leads?limit=2' -H 'Authorization: Bearer {token}'

{}
",
        create_lead(url, token, &client)
    ));
}

/// Returns the curl command that creates a lead.
pub(super) fn create_lead(url: &str, token: &str, client: &ClientId) -> String {
    format!(
        r#"  curl -sSi -w '\n' '{url}/leads' -H 'Authorization: Bearer {token}' -H 'Content-Type: application/json' \
    -d '{{"client_id":"{client}","name":"Ada Lovelace","email":"ada@example.org","value":450}}'"#
    )
}
