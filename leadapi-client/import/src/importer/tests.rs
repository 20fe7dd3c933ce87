//! Tests of whole imports.

use leadapi_client::model::LeadQuery;
use leadapi_testkit::FakeLeadApi;
use tempfile::TempDir;

use super::*;
use crate::{exporter::Exporter, options::ReadOptions};

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
