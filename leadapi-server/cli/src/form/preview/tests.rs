use http_body_util::BodyExt;

use super::{FormVersion, handler::Preview};
use leadapi_pages::web::Fields;

const SAMPLE: &str = include_str!("../../../../../leadapi-core/model/tests/data/form.json");

/// A preview of a temporary file.
struct Site {
    folder: tempfile::TempDir,
    preview: Preview,
}

impl Site {
    fn new(form: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let preview = Preview::new(folder.path().join("form.json"), FormVersion::Live, None);
        let site = Self { folder, preview };
        site.write(form);
        site
    }

    fn write(&self, form: &str) {
        std::fs::write(self.folder.path().join("form.json"), form).unwrap();
    }

    async fn get(&self, path: &str, fields: &[(&str, &str)]) -> String {
        let query = form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
        let response = self.preview.page(path, &Fields::parse(query.as_bytes()));
        let body = response.into_body().collect().await.unwrap().to_bytes();
        String::from_utf8(body.into()).unwrap()
    }
}

/// A hostile author writes markup into every string that the page shows.
#[tokio::test]
async fn no_text_of_a_record_becomes_markup() {
    let evil = r#"</style><script src=//evil.example></script>\" onfocus=evil() '<img src=x>{q}"#;
    let form = r#"{"client":{"company_name":"EVIL"},"form":{"name":"EVIL","client_id":"EVIL","pages":[{"id":"EVIL","title":"EVIL",
        "fields":[{"id":"q","type":"EVIL","label":"EVIL"},
            {"id":"qEVIL","type":"single_choice","label":"EVIL","required":true,"mappedKey":"EVIL","options":[
                {"id":"EVIL","label":"EVIL"}]}]}],
        "logic":{"rules":[{"id":"EVIL","name":"EVIL","fromPageId":"EVIL","then":{"kind":"jump","target":"end:EVIL"},
            "groups":[{"conds":[{"fieldId":"qEVIL","op":"EVIL","value":"EVIL"},{"fieldId":"EVIL","op":"equals","value":"EVIL"}]}]}]},
        "theme":{"bgColor":"EVIL","fontFamily":"EVIL"},
        "settings":{"redirectUrl":"EVIL","endings":[{"id":"EVIL","title":"EVIL","heading":"EVIL","message":"EVIL",
            "kind":"calendar","calendarSlug":"EVIL","metaEvent":{"name":"EVIL"}}]}}}"#;
    let site = Site::new(&form.replace("EVIL", evil));
    let evil: String = serde_json::from_str(&format!("\"{evil}\"")).unwrap();
    let answer = serde_json::to_string(&serde_json::json!({"q": evil, format!("q{evil}"): evil})).unwrap();
    for fields in [
        &[][..],
        &[("at", "0"), ("go", "next"), ("q.q", evil.as_str())],
        &[("at", "1"), ("answers", &answer)],
        &[("answers", &evil), ("at", &evil), ("version", &evil)],
    ] {
        let page = site.get("/", fields).await;
        for markup in ["<script", "<img src=x", "</style", "\" onfocus"] {
            assert!(!page.contains(markup), "{markup} is in {page}");
        }
        assert!(page.contains("&lt;script src=//evil.example&gt;"), "{page}");
    }
    let css = site.get("/theme.css", &[]).await;
    assert!(css.contains("--bg: #ffffff;") && !css.contains("evil"), "{css}");
}

/// Walks through the sample to an ending and back, with no state except the URL.
#[tokio::test]
async fn a_visit_is_in_the_url() {
    let site = Site::new(SAMPLE);
    let first = [("at", "0"), ("go", "next")];
    assert!(site.get("/", &first).await.contains("Needs an answer."));
    let page = site.get("/", &[&first[..], &[("q.q_recipient", "o_mother")]].concat()).await;
    assert!(page.contains("Does my mother already have a care level?") && !page.contains("Needs an answer."), "{page}");
    // Invalid answers and page numbers in the URL do no harm.
    for (answers, at) in [("{", "99"), ("7", "-1"), (r#"{"q_age":[[["x"]]]}"#, "18446744073709551615")] {
        let page = site.get("/", &[("answers", answers), ("at", at)]).await;
        assert!(page.contains("Who is it for?"), "{page}");
    }
    let answers = r#"{"q_recipient":"o_self","q_age":81,"q_need":"o_home"}"#;
    let end = site.get("/", &[("answers", answers), ("at", "9")]).await;
    for text in [
        "We cannot help with this one",
        "No lead: the ending creates no lead.",
        "“Nursing home is not offered” matched",
    ] {
        assert!(end.contains(text), "{text} is not in {end}");
    }
    let back = site.get("/", &[("answers", answers), ("at", "3"), ("go", "back")]).await;
    assert!(back.contains("What should we help me with?") && back.contains(r#"value="o_home" checked"#), "{back}");
}

/// The author's own message about a pattern is a sentence, which the label does not precede.
#[tokio::test]
async fn the_list_of_problems_consists_of_sentences() {
    let site = Site::new(
        r#"{"form":{"fields":[{"id":"zip","type":"short_text","label":"Postal code?","pattern":"^[0-9]{5}$",
            "patternMessage":"Please enter five digits."},{"id":"n","type":"number","label":"Age?"}]}}"#,
    );
    let page = site.get("/", &[("at", "0"), ("go", "next"), ("q.zip", "x"), ("q.n", "x")]).await;
    for entry in [r##"<a href="#q0">Please enter five digits.</a>"##, r##"<a href="#q1">Age?</a> must be a number"##] {
        assert!(page.contains(&format!("<li>{entry}</li>")), "{page}");
    }
}

/// Only the pages that the visitor has left count, even if the walk could continue without answers.
#[tokio::test]
async fn a_page_without_required_questions_is_not_skipped() {
    let choice = |id: &str| format!(r#"{{"id":"{id}","type":"single_choice","options":[{{"id":"a","score":5}}]}}"#);
    let form = format!(
        r#"{{"form":{{"pages":[{{"title":"One","fields":[{}]}},{{"title":"Two","fields":[{}]}}]}}}}"#,
        choice("q"),
        choice("r")
    );
    let site = Site::new(&form);
    let both = r#"{"q":"a","r":"a"}"#;
    for (at, title, score) in [("0", "One", "0"), ("1", "Two", "5"), ("2", "Form without a name", "10")] {
        let page = site.get("/", &[("answers", both), ("at", at)]).await;
        assert!(page.contains(&format!("<h1 tabindex=\"-1\" autofocus>{title}</h1>")), "{page}");
        assert!(page.contains(&format!("<dt>Score</dt><dd>{score}</dd>")), "{page}");
    }
}

#[tokio::test]
async fn each_request_reads_the_file_again() {
    let site = Site::new(SAMPLE);
    assert!(site.get("/", &[]).await.contains("my partner"));
    site.write(&SAMPLE.replace("my partner", "my <wife>"));
    assert!(site.get("/", &[]).await.contains("my &lt;wife&gt;"));
    site.write("{\n  \"form\": {\n    <b>\n}");
    let page = site.get("/", &[]).await;
    assert!(page.contains("key must be a string") && page.contains("<mark>    3      &lt;b&gt;</mark>"), "{page}");
    std::fs::remove_file(site.folder.path().join("form.json")).unwrap();
    assert!(site.get("/", &[]).await.contains("cannot read the form record"));
}
