//! Tests of whole imports.

use leadapi_client::model::{LeadQuery, Window};
use leadapi_testkit::FakeLeadApi;
use tempfile::TempDir;

use super::*;
use crate::{amounts::Notation, error::JournalProblem, exporter::Exporter, field::ColumnTarget, options::ReadOptions};

/// An API, and a folder for journals.
struct Site {
    api: FakeLeadApi,
    folder: TempDir,
}

impl Site {
    async fn new() -> Self {
        Self { api: FakeLeadApi::start().await, folder: tempfile::tempdir().unwrap() }
    }

    /// Imports a file with this content. All files have the same journal.
    async fn import(&self, content: impl AsRef<[u8]>, options: &ReadOptions) -> Result<ImportReport, ImportError> {
        let file = CsvFile::copy("leads.csv", content.as_ref(), options).unwrap();
        let importer = Importer::new(self.api.client(), Destination::url(&self.api.url()));
        importer.folder(self.folder.path()).run(&file).await
    }

    fn journal(&self) -> PathBuf {
        self.folder.path().join("leads.csv.journal")
    }
}

/// The content of a file, and its options.
type Run<'r> = (&'r [u8], ReadOptions);

fn options() -> ReadOptions {
    ReadOptions::default().client("Casa Verde")
}

fn is_other_columns(result: &Result<ImportReport, ImportError>) -> bool {
    matches!(result, Err(ImportError::Journal { problem: JournalProblem::OtherColumns, .. }))
}

#[test]
fn an_import_and_an_export_can_be_spawned() {
    fn assert_send<T: Send>(_: &T) {}
    let _ = |importer: &Importer, exporter: &Exporter, file: &CsvFile| {
        assert_send(&importer.run(file));
        assert_send(&importer.dry_run(file));
        assert_send(&exporter.write(Vec::new()));
    };
}

#[tokio::test]
async fn names_that_cannot_be_looked_up_refuse_no_row() {
    let site = Site::new().await;
    (1..=7).for_each(|n| _ = site.api.fail_nth(n));
    let by_name = ReadOptions::default();
    let import = || site.import("client_id,name\nCasa Verde,Ann\n", &by_name);
    assert_eq!(import().await.unwrap().created, 1);
    (1..=8).for_each(|n| _ = site.api.fail_nth(n));
    let failed = import().await;
    assert!(matches!(failed, Err(ImportError::Api(_))), "{failed:?}");
    let again = import().await.unwrap();
    assert_eq!((again.already_imported, again.refused), (1, 0));
    assert_eq!(site.api.client().leads().list(&LeadQuery::new()).await.unwrap().total, 4);
}

#[tokio::test]
async fn a_run_for_another_client_account_is_refused() {
    let site = Site::new().await;
    let import = async |client: &str| site.import("name\nAnn\n", &ReadOptions::default().client(client)).await;
    assert_eq!(import("Casa Verde").await.unwrap().created, 1);
    let accounts = site.api.client().client_accounts().list(Window::default()).await.unwrap().data;
    let other = accounts.iter().find(|account| account.name != "Casa Verde").unwrap();
    let result = import(&other.name).await;
    let is_refused = matches!(result, Err(ImportError::Journal { problem: JournalProblem::OtherClient, .. }));
    assert!(is_refused, "{result:?}");
    let same = accounts.iter().find(|account| account.name == "Casa Verde").unwrap();
    assert_eq!(import(same.id.as_str()).await.unwrap().already_imported, 1);
}

#[tokio::test]
async fn the_mappings_of_all_earlier_runs_are_compared() {
    let site = Site::new().await;
    let with_comma = options().notation(Notation::DecimalComma);
    site.import("name;value;Notes\nAnn;1.234;x\n", &with_comma).await.unwrap();
    site.import("name;value\nBo;5\n", &options()).await.unwrap();
    let with_point = options().notation(Notation::DecimalPoint);
    let result = site.import("name;value\nAnn;1.234\n", &with_point).await;
    assert!(is_other_columns(&result), "{result:?}");
    let result = site.import("name;value;Notes\nAnn;5;x\n", &options().ignore("Notes")).await;
    assert!(is_other_columns(&result), "{result:?}");
    site.import("name;value;Notes\nAnn;1.234;x\n", &with_comma).await.unwrap();
}

#[tokio::test]
async fn a_journal_of_the_first_version_shows_how_amounts_were_read() {
    let site = Site::new().await;
    site.import("name,value\nAnn,1.234\n", &options()).await.unwrap();
    // The first version recorded no mapping.
    let journal = std::fs::read_to_string(site.journal()).unwrap();
    let lines = journal.lines().filter(|line| !line.contains("columns")).map(|line| format!("{line}\n"));
    std::fs::write(site.journal(), lines.collect::<String>()).unwrap();
    let text = "name,value\nAnn,1.234\nBo,\"1.234,50\"\n";
    let result = site.import(text, &options()).await;
    assert!(is_other_columns(&result), "{result:?}");
    let report = site.import(text, &options().notation(Notation::DecimalPoint)).await.unwrap();
    assert_eq!((report.already_imported, report.refused), (1, 1));
}

#[tokio::test]
async fn a_run_that_would_create_other_leads_from_the_same_rows_is_refused() {
    let notes: ColumnTarget = "notes".parse().unwrap();
    let encoding = |name: &str| options().encoding(name.parse().unwrap());
    let meta = "full_name,created_time,form_id,Plan\nAnn,,7,big\n";
    let both = options().map("Plan", notes).map("Comment", notes);
    let utf_16: Vec<u8> = "name\nZo\u{eb}\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let runs: [(&str, Run<'_>, Run<'_>, bool); 7] = [
        ("a title in the notes", (meta.as_bytes(), options()), (meta.as_bytes(), options().map("Plan", notes)), true),
        (
            "a second column of notes",
            (b"name,Plan\nAnn,big\n", options().map("Plan", notes)),
            (b"name,Plan,Comment\nAnn,big,\n", both.clone()),
            true,
        ),
        (
            "another order of notes",
            (b"name,Plan,Comment\nAnn,big,x\n", both.clone()),
            (b"name,Comment,Plan\nAnn,x,big\n", both),
            true,
        ),
        (
            "another order of e-mail addresses",
            (b"name,E-mail,Email address\nAnn,a@x.org,b@x.org\n", options()),
            (b"name,Email address,E-mail\nAnn,b@x.org,a@x.org\n", options()),
            true,
        ),
        (
            "another encoding",
            (b"name\nZo\xeb\n", encoding("iso-8859-7")),
            (b"name\nZo\xeb\n", encoding("latin1")),
            true,
        ),
        ("another encoding of ASCII", (b"name\nAnn\n", options()), (b"name\nZo\xeb\n", encoding("latin1")), false),
        ("UTF-16 and UTF-8", (&utf_16, options()), ("name\nZo\u{eb}\n".as_bytes(), options()), false),
    ];
    for (case, (first, first_options), (second, second_options), is_refused) in runs {
        let site = Site::new().await;
        assert_eq!(site.import(first, &first_options).await.unwrap().created, 1, "{case}");
        let result = site.import(second, &second_options).await;
        assert_eq!(is_other_columns(&result), is_refused, "{case}: {result:?}");
    }
}
