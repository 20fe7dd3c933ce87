//! A browser without scripts that keeps its cookies.

use std::collections::BTreeMap;

use reqwest::{Client, RequestBuilder, redirect::Policy};

pub(crate) struct Visitor {
    client: Client,
    site: String,
    cookies: BTreeMap<String, String>,
}

impl Visitor {
    pub(crate) fn new(site: &str) -> Self {
        let client = Client::builder().redirect(Policy::none()).build().unwrap();
        Self { client, site: site.to_owned(), cookies: BTreeMap::new() }
    }

    /// Returns the status and the page.
    pub(crate) async fn get(&mut self, path: &str) -> (u16, String) {
        self.send(self.client.get(format!("{}{path}", self.site))).await
    }

    /// Submits a form, and returns the status and the page.
    pub(crate) async fn post(&mut self, path: &str, fields: &[(&str, &str)]) -> (u16, String) {
        let form: Vec<String> =
            fields.iter().map(|(name, value)| format!("{name}={}", value.replace(' ', "+"))).collect();
        let request = self.client.post(format!("{}{path}", self.site)).header("origin", &self.site);
        let request = request.header("content-type", "application/x-www-form-urlencoded");
        self.send(request.body(form.join("&"))).await
    }

    async fn send(&mut self, request: RequestBuilder) -> (u16, String) {
        let cookies: Vec<String> = self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let response = request.header("cookie", cookies.join("; ")).send().await.unwrap();
        for cookie in response.headers().get_all("set-cookie") {
            let (name, rest) = cookie.to_str().unwrap().split_once('=').unwrap();
            self.cookies.insert(name.to_owned(), rest.split(';').next().unwrap().to_owned());
        }
        (response.status().as_u16(), response.text().await.unwrap())
    }
}
